"""Where a query's words stand in a text: marks, and a snippet around the best of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from skills import words

Mark = tuple[int, int]
Spot = tuple[int, int, str]

SNIPPET = 170
SNIPPET_OF_HANZI = 90
LEAD = 0.2
CLEAR = 0.3
MOST_SPOTS = 200
AGAIN = 0.1
BEGINNING = 2

_MARKUP = re.compile(
    r"!?\[([^\]\n]*)\]\([^)\n]*\)"  # links keep their words
    r"|^[ \t]*(?:#{1,6}|>|[-*+]|```\S*|~~~\S*)(?:[ \t]+|$)|^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$"
    r"|\*{1,3}|`+|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|[ \t]*\|[ \t]*",
    re.MULTILINE,
)
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """Part of a text with the marks in it; ``before`` and ``after`` say whether more was there."""

    text: str
    marks: list[Mark]
    before: bool = False
    after: bool = False


def telling(idf: Mapping[str, float], known: Collection[str]) -> dict[str, float]:
    """The terms worth marking: not those that nearly every text has, unless there are no others.

    ``known`` are those that occur at all. A single character counts only when no pair holds it.
    """
    in_pairs = {c for term in idf if len(term) == 2 and words.RUN.fullmatch(term) for c in term}
    kept = {t: w for t, w in idf.items() if not t.startswith(words.PART_OF) and t not in in_pairs}
    least = CLEAR * max((weight for term, weight in kept.items() if term in known), default=0)
    return {term: weight for term, weight in kept.items() if weight >= least}


def marks(text: str, terms: Mapping[str, float]) -> list[Mark]:
    """Ranges of ``text`` (characters, sorted, apart) whose words are among ``terms``."""
    return _joined(_spots(text, terms))


def snippet(text: str, terms: Mapping[str, float]) -> Snippet:
    """About two lines of ``text`` where most of ``terms`` stand, without markup, with its marks."""
    text = _BLANKS.sub(" ", _MARKUP.sub(_words_of, text)).strip()
    spots = sorted(_spots(text, terms))[:MOST_SPOTS]
    size = _size(text)
    start = 0
    if spots and spots[-1][1] > size:
        start = _word_start(text, _densest(spots, terms, size) - int(LEAD * size))
    start = max(min(start, len(text) - size), 0)
    end = min(start + size, len(text))
    inside = [(max(a - start, 0), min(b, end) - start) for a, b in _joined(spots) if a < end and b > start]
    return Snippet(text[start:end], inside, start > 0, end < len(text))


def _words_of(markup: re.Match[str]) -> str:
    if markup.group(1) is not None:
        return markup.group(1)
    return "" if markup.group()[0] in "*_`" and not markup.group().endswith((" ", "\t")) else " "


def _spots(text: str, terms: Mapping[str, float]) -> Iterator[Spot]:
    """Where each of ``terms`` stands in ``text``; in no order."""
    folded, origin = words.fold_with_places(text)
    for start, end, term in _folded_spots(folded, terms):
        yield origin[start], origin[end - 1] + 1, term


def _folded_spots(folded: str, terms: Mapping[str, float]) -> Iterator[Spot]:
    beginnings = set()
    for term in terms:
        if words.WORD.match(term):
            beginnings.add(term[:BEGINNING])
            continue
        start = folded.find(term)
        while start >= 0:
            yield start, start + len(term), term
            start = folded.find(term, start + 1)
    for token in words.WORD.finditer(folded) if beginnings else ():
        word = token.group()
        if word.isalpha():
            # A stem begins as its word does: few words need be stemmed to see.
            if word[:BEGINNING] in beginnings and (stem := words.stem(word)) in terms:
                yield token.start(), token.end(), stem
            continue
        if word in terms:
            yield token.start(), token.end(), word
        for piece in words.PIECE.finditer(folded, token.start(), token.end()):
            if (stem := words.stem(piece.group())) in terms:
                yield piece.start(), piece.end(), stem


def _joined(spots: Iterable[tuple[int, int] | Spot]) -> list[Mark]:
    joined: list[Mark] = []
    for start, end, *_ in sorted(spots):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _size(text: str) -> int:
    beginning = text[: 2 * SNIPPET]
    hanzi = sum(map(len, words.RUN.findall(beginning)))
    return SNIPPET_OF_HANZI if hanzi > len(beginning) / 3 else SNIPPET


def _densest(spots: list[Spot], terms: Mapping[str, float], size: int) -> int:
    """Where the stretch of ``size`` characters begins that holds the most weight of different terms."""
    room = size * (1 - LEAD)

    def weight(first: int) -> float:
        inside = [term for a, b, term in spots[first:] if b <= spots[first][0] + room]
        return sum(terms[term] for term in set(inside)) + AGAIN * sum(terms[term] for term in inside)

    return spots[max(range(len(spots)), key=weight)][0]


def _word_start(text: str, place: int) -> int:
    """The start of the word or sentence at or shortly before ``place``."""
    for back in range(place, max(place - 20, 0), -1):
        if text[back - 1].isspace() or text[back - 1] in "。！？；，、.!?;,":
            return back
    return max(place, 0)
