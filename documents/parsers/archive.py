"""Zip files opened with suspicion: counted while they inflate, never unpacked to disk."""

from __future__ import annotations

import io
import zipfile
import zlib

from documents.faults import unreadable

MOST_ENTRIES = 10_000
# XML packs ten to fifty times; what packs much better was made to.
RATIO = 150
RATIO_COUNTS_FROM = 20_000_000
CHUNK = 1 << 20
END_OF_LIST = b"PK\x05\x06"
LONGEST_END = 22 + 65_535
LONGEST_LIST = 5_000_000
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


class Archive:
    """The entries of a zip by name, read within a budget of inflated bytes for the whole file."""

    def __init__(self, data: bytes, *, inflated_mb: int) -> None:
        """Raises UnreadableFile (damaged, too_large)."""
        self.left = inflated_mb * 1_000_000
        if entry_names(data) is None:
            raise unreadable("damaged")
        self.zip = zipfile.ZipFile(io.BytesIO(data))
        if len(self.zip.filelist) > MOST_ENTRIES:
            raise unreadable("too_much_inside")
        self.names = {info.filename.lstrip("/"): info for info in self.zip.filelist}

    def read(self, name: str) -> bytes | None:
        """An entry's bytes, None when there is none of that name. Raises UnreadableFile."""
        info = self.names.get(name.lstrip("/"))
        if info is None:
            return None
        if info.flag_bits & 1:
            raise unreadable("password")
        pieces = []
        inflated = 0
        try:
            with self.zip.open(info) as entry:
                while piece := entry.read(CHUNK):
                    inflated += len(piece)
                    self._count(len(piece), inflated, info.compress_size)
                    pieces.append(piece)
        except BROKEN as error:
            raise unreadable("damaged") from error
        return b"".join(pieces)

    def _count(self, piece: int, inflated: int, packed: int) -> None:
        self.left -= piece
        if self.left < 0 or (inflated > RATIO_COUNTS_FROM and inflated > RATIO * max(packed, 1)):
            raise unreadable("too_much_inside")


def entry_names(data: bytes) -> list[str] | None:
    """The names in a zip; None when it can't be opened, or its list alone is suspiciously long."""
    end = data.rfind(END_OF_LIST, -LONGEST_END)
    if end < 0 or int.from_bytes(data[end + 12 : end + 16], "little") > LONGEST_LIST:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return [name.lstrip("/") for name in opened.namelist()]
    except BROKEN:
        return None
