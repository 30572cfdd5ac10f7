"""Text into words: folded, cut, stemmed, hashed. Pure; the same for passages, queries and marks.

Case, width, accents and script (traditional, simplified) are folded away. Runs of Chinese, Japanese,
Korean or Thai become single characters and pairs; other words are stemmed as English; codes and
names (``err_conn_1042``, ``10.20.30.40``, ``c++``, ``path/x.py``, ``95%``) are kept whole as well
as in parts. There is no list of stop words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from operator import add

import opencc
import snowballstemmer

HASHES = 1_000_000_000 - 1
PART_OF = "\x03"
WITHOUT_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
LETTERS = rf"[^\W_{WITHOUT_BLANKS}]+"
JOINER = r"[._\-/+#:@]"

RUN = re.compile(f"[{WITHOUT_BLANKS}]+")
WORD = re.compile(rf"{LETTERS}(?:{JOINER}{LETTERS})*(?:\+\+?|#|%)?")
PIECE = re.compile(LETTERS)
SYMBOL = re.compile(
    r"[%&@#*\\_^~|$+<=>`©®°±×÷]|[\u2100-\u2bff\u20a0-\u20bf]|[\U0001f000-\U0001faff]",
)
LONGEST_PART = 24

_ALSO = {
    "著": "着",
    "妳": "你",
    "牠": "它",
    "祂": "它",
    "甚": "什",
    "麽": "么",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
}
_ALSO |= {"ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i", "’": "'"}
_english = snowballstemmer.stemmer("english")


@dataclass(frozen=True, slots=True)
class Words:
    """What a text says. ``grams`` and ``words`` repeat as they occur and make up its length.

    ``pairs`` are adjacent characters; ``names`` are codes and names kept whole; ``symbols`` are signs
    and emoji, each once; ``parts`` are three-letter pieces of what has digits, for partial codes.
    """

    grams: list[str]
    pairs: list[str]
    words: list[str]
    names: list[str]
    symbols: set[str]
    parts: set[str]

    @property
    def length(self) -> tuple[int, int]:
        """Terms of the scripts without blanks, and of the others."""
        return len(self.grams) + len(self.pairs), len(self.words)


@cache
def folding() -> dict[int, str | None]:
    """The table for ``str.translate``: script, accents and a few look-alikes. 30 ms, once."""
    table: dict[int, str | None] = dict.fromkeys(range(0x300, 0x370))
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0].lower()
        if base != chr(code):
            table[code] = base
    blocks = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0x20000, 0x323B0))
    hanzi = [chr(code) for block in blocks for code in range(*block)]
    simplified = opencc.OpenCC("t2s").convert("\n".join(hanzi)).split("\n")
    table.update({ord(a): b for a, b in zip(hanzi, simplified, strict=True) if a != b and len(b) == 1})
    table.update({ord(a): b for a, b in _ALSO.items()})
    return table


def fold(text: str) -> str:
    """``text`` in one width, case and script, without accents; NUL and other controls as they are."""
    return unicodedata.normalize("NFKC", text).lower().translate(folding())


@lru_cache(maxsize=20_000)
def _fold_one(character: str) -> str:
    return fold(character)


def fold_with_places(text: str) -> tuple[str, Sequence[int]]:
    """``fold(text)``, and for each of its characters the place in ``text`` that it came from."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text))
    pieces = list(map(_fold_one, text))
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), places


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The English stem of a folded word; words of other alphabets or with digits as they are."""
    stemmed: str = _english.stemWord(word) if word.isascii() and word.isalpha() else word
    return stemmed


@lru_cache(maxsize=500_000)
def hash_of(term: str) -> int:
    """A term's index, 1 to 999,999,999: the same on every machine, for ever."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return 1 + int.from_bytes(digest) % HASHES


def has_digit(word: str) -> bool:
    """Whether the word is a code or number rather than a plain word."""
    return not word.isalpha() and any(character.isdigit() for character in word)


def parts_of(name: str) -> set[str]:
    """The three-letter pieces of a code's first 24 letters, marked so as not to pass for words."""
    short = name[:LONGEST_PART]
    return {PART_OF + short[n : n + 3] for n in range(len(short) - 2)}


def cut(text: str) -> Words:
    """The words of ``text``, folded first."""
    folded = fold(text)
    runs = RUN.findall(folded)
    pairs = [pair for run in runs for pair in map(add, run, run[1:])]
    words: list[str] = []
    names: list[str] = []
    parts: set[str] = set()
    for token in WORD.findall(folded):
        if token.isalpha():
            words.append(stem(token))
            continue
        pieces = PIECE.findall(token)
        words.extend(map(stem, pieces))
        if token != pieces[0]:
            names.append(token)
        if len(token) >= 4 and has_digit(token):
            parts |= parts_of(token)
    return Words(list("".join(runs)), pairs, words, names, set(SYMBOL.findall(folded)), parts)
