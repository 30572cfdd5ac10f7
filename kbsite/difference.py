"""How two texts differ, for people: line by line, and word by word inside the lines that changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

type Kind = Literal["same", "removed", "added"]
type Stretch = tuple[int, int, int, int]  # a[from:to] became b[from:to]

CELLS = 200_000_000  # pairs compared exactly, at a bit each: 25 MB
FOLD_SHOWN = 200  # unchanged lines that a fold keeps at hand
SHOWN = 200_000  # characters of changed lines that are given back at most
LINE_SHOWN = 20_000  # of one line
LINE_COSTS = 40  # what a line takes besides its characters
ALIKE = 0.3  # the share of a line that must stay for its words to be compared

_CJK = "\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(
    rf"\n|[^\S\n]+|[{_CJK}]|(?:(?![{_CJK}])\w)+|[^\w\s](?:[\u0300-\u036f\ufe0e\ufe0f]|\u200d[^\w\s])*"
)


class Span(NamedTuple):
    """A piece of a line: in both texts, or in one."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of either text, or of both. ``number`` counts from 1 in the text it stands in."""

    kind: Kind
    spans: tuple[Span, ...]
    number: int

    @property
    def text(self) -> str:
        """The line without its end."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Row:
    """What stands side by side; one that is the same in both texts is twice the same line."""

    before: Line | None
    after: Line | None

    @property
    def same(self) -> bool:
        """Whether the line is in both texts."""
        return self.after is not None and self.after.kind == "same"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Rows that belong together. ``folded``: ``count`` unchanged rows; of very many none are given."""

    rows: tuple[Row, ...]
    folded: bool = False
    count: int = 0

    @property
    def lines(self) -> Iterator[Line]:
        """One below the other: of each changed stretch what was removed, then what was added."""
        waiting: list[Line] = []
        for row in self.rows:
            if row.same and row.after:
                yield from waiting
                waiting = []
                yield row.after
                continue
            if row.before:
                yield row.before
            if row.after:
                waiting.append(row.after)
        yield from waiting


@dataclass(frozen=True, slots=True)
class Difference:
    """All hunks in order; false when the texts are equal.

    ``removed`` and ``added`` count lines. ``coarse``: too much changed to be told apart exactly, so
    that larger stretches are called changed. ``left_out``: changed rows beyond what a page can show.
    """

    hunks: tuple[Hunk, ...] = ()
    removed: int = 0
    added: int = 0
    coarse: bool = False
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.hunks)

    def __iter__(self) -> Iterator[Hunk]:
        return iter(self.hunks)

    @property
    def lines(self) -> Iterator[Line]:
        """The lines of all hunks, one below the other, those in folds too."""
        for hunk in self.hunks:
            yield from hunk.lines


def difference(before: str, after: str, *, context: int = 3) -> Difference:
    """How ``after`` differs from ``before``; unchanged stretches are folded but for ``context`` lines.

    Chinese and Japanese are compared by character, other scripts by word. Time and size are bounded:
    texts of 5 MB take a few seconds at most, and say so by ``coarse`` and ``left_out``.
    """
    if before == after:
        return Difference()
    old = before.replace("\r\n", "\n").split("\n")
    new = after.replace("\r\n", "\n").split("\n")
    changes, exact = changed(old, new)
    return _Builder(old, new, context).build(changes, exact)


class _Builder:
    """Puts hunks together until enough is shown."""

    def __init__(self, old: list[str], new: list[str], context: int) -> None:
        self.old, self.new, self.context = old, new, context
        self.hunks: list[Hunk] = []
        self.room = self.room_in_folds = SHOWN
        self.left_out = 0

    def build(self, changes: list[Stretch], exact: bool) -> Difference:
        at_old = at_new = 0
        for a1, a2, b1, b2 in changes:
            self._same(at_old, a1, at_new, first=not self.hunks)
            exact = self._rows(a1, a2, b1, b2) and exact
            at_old, at_new = a2, b2
        if changes:
            self._same(at_old, len(self.old), at_new, last=True)
        return Difference(
            tuple(self.hunks),
            removed=sum(a2 - a1 for a1, a2, _, _ in changes),
            added=sum(b2 - b1 for _, _, b1, b2 in changes),
            coarse=not exact,
            left_out=self.left_out,
        )

    def _same(self, start: int, end: int, at_new: int, *, first: bool = False, last: bool = False) -> None:
        if self.room <= 0 and not last:
            return
        head = 0 if first else self.context
        tail = 0 if last else self.context
        if end - start <= head + tail + 1:
            self._keep(start, end, at_new)
            return
        self._keep(start, start + head, at_new)
        count = end - tail - start - head
        size = sum(len(line) + LINE_COSTS for line in self.old[start + head : end - tail])
        fits = count <= FOLD_SHOWN and size <= self.room_in_folds
        self.room_in_folds -= size if fits else 0
        shown = self._unchanged(start + head, end - tail, at_new + head) if fits else ()
        self.hunks.append(Hunk(shown, folded=True, count=count))
        self._keep(end - tail, end, at_new + end - tail - start)

    def _keep(self, start: int, end: int, at_new: int) -> None:
        if end > start:
            self.hunks.append(Hunk(self._unchanged(start, end, at_new)))

    def _unchanged(self, start: int, end: int, at_new: int) -> tuple[Row, ...]:
        rows = []
        for shift in range(end - start):
            text = _cut(self.old[start + shift])
            old, new = (Line("same", (Span("same", text),), n + shift + 1) for n in (start, at_new))
            rows.append(Row(old, new))
        return tuple(rows)

    def _fitting(self, lines: list[str]) -> list[str]:
        """As many of the lines, at least one, as there is room for."""
        sizes = accumulate(len(line) + LINE_COSTS for line in lines)
        return lines[: 1 + sum(1 for _ in takewhile(lambda size: size <= self.room, sizes))]

    def _rows(self, a1: int, a2: int, b1: int, b2: int) -> bool:
        if self.room <= 0:
            self.left_out += max(a2 - a1, b2 - b1)
            return True
        old, new = self._fitting(self.old[a1:a2]), self._fitting(self.new[b1:b2])
        self.left_out += max(a2 - a1 - len(old), b2 - b1 - len(new))
        (old_spans, new_spans), exact = _spans(old, new)
        rows: list[Row] = []
        for i, j in _pairs(old_spans, new_spans):
            if self.room <= 0:
                self.left_out += 1
                continue
            before = Line("removed", _shortened(old_spans[i]), a1 + i + 1) if i is not None else None
            after = Line("added", _shortened(new_spans[j]), b1 + j + 1) if j is not None else None
            self.room -= sum(LINE_COSTS + len(line.text) for line in (before, after) if line)
            rows.append(Row(before, after))
        self.hunks.append(Hunk(tuple(rows)))
        return exact


def changed(a: Sequence[str], b: Sequence[str]) -> tuple[list[Stretch], bool]:
    """The stretches in which ``b`` differs from ``a``, in order, and whether they are as short as can be.

    What is too long to compare pair by pair is first cut where an item occurs once in both.
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a_end, b_end = len(a) - end, len(b) - end
    if start in (a_end, b_end):
        whole = [(start, a_end, start, b_end)] if a_end > start or b_end > start else []
        return whole, True
    middle_a, middle_b = a[start:a_end], b[start:b_end]
    if len(middle_a) * len(middle_b) <= CELLS:
        found, exact = _exactly(middle_a, middle_b), True
    else:
        found, exact = _between_anchors(middle_a, middle_b)
    return [(start + a1, start + a2, start + b1, start + b2) for a1, a2, b1, b2 in found], exact


def _exactly(a: Sequence[str], b: Sequence[str]) -> list[Stretch]:
    found: list[Stretch] = []
    for op in LCSseq.opcodes(a, b):
        if op.tag == "equal":
            continue
        if found and found[-1][1] == op.src_start and found[-1][3] == op.dest_start:
            found[-1] = (found[-1][0], op.src_end, found[-1][2], op.dest_end)
        else:
            found.append((op.src_start, op.src_end, op.dest_start, op.dest_end))
    return found


def _between_anchors(a: Sequence[str], b: Sequence[str]) -> tuple[list[Stretch], bool]:
    """Compare what lies between items that occur once in both, in the same order."""
    anchors = _anchors(a, b)
    found: list[Stretch] = []
    exact = True
    at_a = at_b = 0
    for i, j in [*anchors, (len(a), len(b))]:
        gap_a, gap_b = a[at_a:i], b[at_b:j]
        if anchors or len(gap_a) * len(gap_b) <= CELLS:
            inner, sure = changed(gap_a, gap_b)
        else:
            inner, sure = [(0, len(gap_a), 0, len(gap_b))], False
        found += [(at_a + a1, at_a + a2, at_b + b1, at_b + b2) for a1, a2, b1, b2 in inner]
        exact = exact and sure
        at_a, at_b = i + 1, j + 1
    return found, exact


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Places of items that occur once in both, those of the longest run in the same order."""
    count_a, count_b = Counter(a), Counter(b)
    place = {item: j for j, item in enumerate(b) if count_b[item] == 1}
    both = [(i, place[item]) for i, item in enumerate(a) if count_a[item] == 1 and item in place]
    tops: list[int] = []
    at: list[int] = []
    back = [-1] * len(both)
    for k, (_i, j) in enumerate(both):
        row = bisect_left(tops, j)
        back[k] = at[row - 1] if row else -1
        if row == len(tops):
            tops.append(j)
            at.append(k)
        else:
            tops[row], at[row] = j, k
    chain = []
    k = at[-1] if at else -1
    while k >= 0:
        chain.append(both[k])
        k = back[k]
    return chain[::-1]


type Lines = list[tuple[Span, ...]]


def _spans(old: list[str], new: list[str]) -> tuple[tuple[Lines, Lines], bool]:
    """The lines of a changed stretch with their words told apart, and whether that was exact."""
    if not old or not new:
        return (_whole(old, "removed"), _whole(new, "added")), True
    a, b = _WORD.findall("\n".join(old)), _WORD.findall("\n".join(new))
    changes, exact = changed(a, b)
    kept_a, kept_b = [True] * len(a), [True] * len(b)
    for a1, a2, b1, b2 in _joined(changes, a):
        kept_a[a1:a2] = [False] * (a2 - a1)
        kept_b[b1:b2] = [False] * (b2 - b1)
    return (_told_apart(a, kept_a, "removed"), _told_apart(b, kept_b, "added")), exact


def _whole(lines: list[str], kind: Kind) -> Lines:
    return [(Span(kind, line),) for line in lines]


def _joined(changes: list[Stretch], a: list[str]) -> list[Stretch]:
    """Changes with nothing but blanks or marks between them are one."""
    found: list[Stretch] = []
    for change in changes:
        between = a[found[-1][1] : change[0]] if found else []
        if found and len(between) < 4 and not any(word == "\n" or word.isalnum() for word in between):
            found[-1] = (found[-1][0], change[1], found[-1][2], change[3])
        else:
            found.append(change)
    return found


def _told_apart(tokens: list[str], kept: list[bool], kind: Kind) -> Lines:
    lines: Lines = []
    current: list[tuple[bool, list[str]]] = []
    for word, stays in zip([*tokens, "\n"], [*kept, True], strict=True):
        if word == "\n":
            spans = tuple(Span("same" if same else kind, "".join(words)) for same, words in current)
            lines.append(_plain_if_new(spans, kind))
            current = []
        elif current and current[-1][0] == stays:
            current[-1][1].append(word)
        else:
            current.append((stays, [word]))
    return lines


def _plain_if_new(spans: tuple[Span, ...], kind: Kind) -> tuple[Span, ...]:
    """A line of which next to nothing stayed is shown as new, not as a patchwork."""
    size = sum(len(span.text.strip()) for span in spans)
    same = sum(len(span.text.strip()) for span in spans if span.kind == "same")
    if not spans or same < ALIKE * size:
        return (Span(kind, "".join(span.text for span in spans)),)
    return spans


def _pairs(old: Lines, new: Lines) -> Iterator[tuple[int | None, int | None]]:
    """Which lines stand side by side: those that share words, in order; between them, as they come."""
    at_new = at_old = 0
    if len(old) == len(new):
        yield from ((n, n) for n in range(len(old)))
        return
    shared: dict[str, int] = {}
    for j, spans in enumerate(new):
        for span in spans:
            if span.kind == "same" and len(span.text.strip()) > 3:
                shared.setdefault(span.text.strip(), j)
    for i, spans in enumerate(old):
        places = [shared[s.text.strip()] for s in spans if s.kind == "same" and s.text.strip() in shared]
        place = next((place for place in places if place >= at_new), None)
        if place is None:
            continue
        yield from _side_by_side(at_old, i, at_new, place)
        yield i, place
        at_old, at_new = i + 1, place + 1
    yield from _side_by_side(at_old, len(old), at_new, len(new))


def _side_by_side(i: int, i_end: int, j: int, j_end: int) -> Iterator[tuple[int | None, int | None]]:
    for n in range(max(i_end - i, j_end - j)):
        yield (i + n if i + n < i_end else None), (j + n if j + n < j_end else None)


def _cut(text: str) -> str:
    return text if len(text) <= LINE_SHOWN else f"{text[:LINE_SHOWN]}…"


def _shortened(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Of a line as long as a book, what changed with a little around it."""
    if sum(len(span.text) for span in spans) <= LINE_SHOWN:
        return spans
    found: list[Span] = []
    room = LINE_SHOWN
    for span in spans:
        text = span.text
        if span.kind == "same" and len(text) > 400:
            text = f"{text[:160]} … {text[-160:]}"
        found.append(span._replace(text=text if len(text) <= room else f"{text[:room]}…"))
        room -= len(text)
        if room <= 0:
            break
    return tuple(found)
