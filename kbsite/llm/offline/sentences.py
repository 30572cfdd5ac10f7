"""Sentences, terms and sizes of Chinese and English text, without any model."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import snowballstemmer

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA_HANGUL = r"\u3040-\u30ff\uac00-\ud7af"
_CLOSING = "」』”’）】》〉\"')\\]"
_END = re.compile(
    rf"[。！？]+[{_CLOSING}]*"
    rf"|(?<![.!?…])[.!?…]++[{_CLOSING}]*(?=\s+[\"'“‘(\[]?[A-Z0-9À-Þ{_HAN}]|\s*$)"
    rf"|(?<![!?])[!?]++[{_CLOSING}]*(?=[{_HAN}])|(?<=[{_HAN}])\.(?=[{_HAN}])|…{{2,}}"
)
_PART = re.compile(rf"；+[{_CLOSING}]*")
LONG_SENTENCE = 60
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|no|fig|figs|eq|vol|pp|ch|sec|approx|inc|ltd|co|corp|jr|sr|dept|est"
    r"|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|gen|col|lt|rev|hon|al)|\b[a-z]|\b[a-z]\.[a-z]"
    r"|^\s*\d{1,3})\.$",
    re.IGNORECASE,
)
_WORD = re.compile(
    rf"[{_HAN}]+|[{_KANA_HANGUL}]+|[^\W_{_HAN}{_KANA_HANGUL}]+(?:['’.+#/_-]+[^\W_{_HAN}{_KANA_HANGUL}]+)*[+#]*"
)
_IS_HAN = re.compile(rf"[{_HAN}]")

STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())
# Letters that join words: a pair with one of them in it says little about what a text is about.
_STOP_HAN = frozenset("的了在是和与及或也就都而但这那其之们吗呢吧啊呀很么哪谁请您你我他她它哦嘛")


@lru_cache(maxsize=1)
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


def is_chinese(text: str) -> bool:
    """Whether a reader would call ``text`` Chinese: a fifth of its first letters are Han."""
    sample = text[:4000]
    letters = sum(c.isalpha() for c in sample)
    return letters > 0 and len(_IS_HAN.findall(sample)) * 5 >= letters


def size(text: str) -> int:
    """About how many tokens ``text`` has: 0.75 for a Han letter; for the rest 1.3 a word, or 1 for
    four letters where that is more."""
    rest = _IS_HAN.sub("", text)
    han = len(text) - len(rest)
    other = rest.split()
    return round(0.75 * han + max(1.3 * len(other), sum(map(len, other)) / 4))


def sentences(text: str) -> list[str]:
    """``text`` cut at line ends and after full stops (。！？ and . ! ?), never inside a number or an
    abbreviation; a sentence of more than sixty tokens is also cut after ；.

    Nothing is lost but the blanks between; the last may lack its full stop.
    """
    found: list[str] = []
    for line in text.split("\n"):
        for sentence in _cut(line, _END):
            found += _cut(sentence, _PART) if size(sentence) > LONG_SENTENCE else [sentence]
    return found


def _cut(text: str, ends: re.Pattern[str]) -> list[str]:
    found: list[str] = []
    start = 0
    for end in ends.finditer(text):
        if end.group(0).startswith(".") and _ABBREVIATION.search(
            text[max(start, end.start() - 12) : end.end()]
        ):
            continue
        if sentence := text[start : end.end()].strip():
            found.append(sentence)
        start = end.end()
    if rest := text[start:].strip():
        found.append(rest)
    return found


def terms(text: str) -> list[str]:
    """The words that carry meaning: stemmed Latin words and pairs of Han letters, in lower case.

    Stop words are left out; a Han run of one letter counts as it is.
    """
    found: list[str] = []
    for run in _WORD.findall(text.lower()):
        if _IS_HAN.match(run):
            found += _pairs(run)
        elif run not in STOP_WORDS and (len(run) > 1 or run.isdigit()):
            found.append(_stem(run))
    return found


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [] if run in _STOP_HAN else [run]
    pairs = (run[n : n + 2] for n in range(len(run) - 1))
    return [p for p in pairs if p not in STOP_WORDS and p[0] not in _STOP_HAN and p[1] not in _STOP_HAN]
