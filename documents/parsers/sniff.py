"""What kind of file it is: by its first bytes, then by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from pkgutil import iter_modules

from documents.faults import unreadable
from documents.parsers import formats
from documents.parsers.archive import entry_names
from documents.parsers.document import Format
from kbsite.exceptions import UnreadableFile

FORMATS: dict[str, Format] = {
    module.name: import_module(f"{formats.__name__}.{module.name}").FORMAT
    for module in iter_modules(formats.__path__)
}
BY_EXTENSION = {extension: format for format in FORMATS.values() for extension in format.extensions}
TEXT_FORMATS = ("md", "txt")
# Kinds that are recognised, so that the person is told which they sent (words: documents.faults).
OTHERS = (
    (b"\x89PNG", "PNG images"),
    (b"\xff\xd8\xff", "JPEG images"),
    (b"GIF8", "GIF images"),
    (b"\x1f\x8b", "gzip archives"),
    (b"7z\xbc\xaf\x27\x1c", "7z archives"),
    (b"Rar!", "RAR archives"),
    (b"{\\rtf", "RTF files"),
    (b"\xd0\xcf\x11\xe0", "Files of Office 2003 and older (.doc, .xls, .ppt)"),
    (b"\x7fELF", "Programs"),
    (b"MZ\x90", "Programs"),
)
# The same for zips, by what is in them.
INSIDE_ZIP = (
    ("xl/", "Excel sheets"),
    ("ppt/", "PowerPoint slides"),
    ("META-INF/manifest.xml", "OpenDocument files"),
)
MARKUP = (b"<!doctype html", b"<html", b"<svg", b"<?xml")


def extension_of(filename: str) -> str:
    """The ending of the name in lower case, without the dot."""
    return PurePath(filename.strip()).suffix.lower().lstrip(".")


def format_of(data: bytes, filename: str) -> Format:
    """The format to read ``data`` as. Raises UnreadableFile (empty, unknown_type)."""
    if not data.strip(b"\x00 \t\r\n\x0b\x0c"):
        raise unreadable("empty")
    named = BY_EXTENSION.get(extension_of(filename))
    for name, format in FORMATS.items():
        if name not in TEXT_FORMATS and format.is_one(data):
            return format
    _refuse_known(data, named)
    if FORMATS["txt"].is_one(data):
        return named if named is not None and named.name in TEXT_FORMATS else FORMATS["txt"]
    raise unreadable("damaged" if named is not None else "unknown_type")


def _refuse_known(data: bytes, named: Format | None) -> None:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise _zip_fault(entry_names(data), named)
    for magic, kind in OTHERS:
        if data.startswith(magic):
            raise unreadable("unknown_type_named", kind=kind)
    head = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(MARKUP):
        raise unreadable("unknown_type_named", kind="HTML and XML files")


def _zip_fault(names: list[str] | None, named: Format | None) -> UnreadableFile:
    if names is None:
        return unreadable("damaged")
    for start, kind in INSIDE_ZIP:
        if any(name.startswith(start) for name in names):
            return unreadable("unknown_type_named", kind=kind)
    meant_otherwise = named is not None and named.name not in TEXT_FORMATS
    return unreadable("damaged") if meant_otherwise else unreadable("unknown_type_named", kind="Zip archives")
