"""Cutting L2 into passages: short stretches that keep heading path, page and character offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from django.conf import settings
from django.utils.translation import gettext as _

from kbsite.exceptions import InvalidInput
from kbsite.llm import tokens
from skills.blocks import Block, Kind, scan

SENTENCE_END = re.compile(r"[。！？；…]+[”’」』）)\]]*|[.!?;]+[\"')\]”’]*(?=\s)")
LINE_END = re.compile(r"\n+")
CLAUSE_END = re.compile(r"[，、：,:]+|\s+")
LONGEST_TOKEN = 64  # characters; a longer stretch between two tokens counts as several


@dataclass(frozen=True, slots=True)
class PassageDraft:
    """``text == content[start:end]``, of ``tokens`` tokens.

    ``prefix`` is not part of the text: the opening line of a fence or the header of a table that
    began in an earlier passage. ``page`` counts from 1; None when the format has no pages.
    """

    text: str
    start: int
    end: int
    heading_path: list[str]
    page: int | None
    tokens: int
    prefix: str = ""


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    prefix: str = ""
    is_heading: bool = False


class _Ruler:
    """Counts the tokens of stretches of one text, in logarithmic time."""

    def __init__(self, content: str) -> None:
        self.starts: list[int] = []
        known = [start for start, end in tokens.offsets(content) if end > start]
        for start, following in pairwise([*known, len(content)]):
            self.starts.extend(range(start, max(following, start + 1), LONGEST_TOKEN))

    def count(self, start: int, end: int) -> int:
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def reach(self, start: int, limit: int) -> int | None:
        """Where the token after the next ``limit`` tokens starts; None when there are fewer."""
        at = max(bisect_left(self.starts, start) + limit, bisect_right(self.starts, start))
        return self.starts[at] if at < len(self.starts) else None


@dataclass
class _Cutter:
    content: str
    limit: int
    page_starts: Sequence[int]
    ruler: _Ruler
    across_headings: bool = False
    path: list[tuple[int, str]] = field(default_factory=list)
    held: list[_Piece] = field(default_factory=list)

    def cut(self) -> Iterator[PassageDraft]:
        for block in scan(self.content):
            if block.kind is Kind.HEADING:
                yield from self.enter(block)
            for piece in self.pieces(block):
                if self.held and (piece.prefix or self.size(self.held[0].start, piece.end) > self.limit):
                    yield self.passage()
                self.held.append(piece)
        if self.held:
            yield self.passage()

    def enter(self, heading: Block) -> Iterator[PassageDraft]:
        """Headings without words of their own stay with what follows them."""
        if not self.across_headings and any(not piece.is_heading for piece in self.held):
            yield self.passage()
        self.path = [(level, title) for level, title in self.path if level < heading.level]
        if heading.title:
            self.path.append((heading.level, heading.title))

    def size(self, start: int, end: int) -> int:
        return self.ruler.count(start, end)

    def room(self) -> int:
        """How long the first part of a block may be so that the headings above it stay with it."""
        if not self.held or not all(piece.is_heading for piece in self.held):
            return self.limit
        return max(self.limit - self.size(self.held[0].start, self.held[-1].end), self.limit // 2)

    def pieces(self, block: Block) -> Iterator[_Piece]:
        room, size = self.room(), self.size(block.start, block.end)
        if size <= room or (size <= self.limit and block.kind is not Kind.TEXT):
            yield _Piece(block.start, block.end, is_heading=block.kind is Kind.HEADING)
            return
        breaks = [LINE_END, CLAUSE_END] if block.head else [SENTENCE_END, LINE_END, CLAUSE_END]
        head = block.head if self.size_of_head(block) <= self.limit // 2 else ""
        for n, (start, end) in enumerate(self.split(block.start, block.end, breaks, room)):
            yield _Piece(start, end, prefix=head if n else "")

    def size_of_head(self, block: Block) -> int:
        return self.size(block.start, block.start + len(block.head))

    def split(
        self, start: int, end: int, breaks: list[re.Pattern[str]], room: int
    ) -> Iterator[tuple[int, int]]:
        """Stretches within ``room``, then the limit, each up to the first kind of break in reach."""
        while (reach := self.ruler.reach(start, room)) is not None and reach < end:
            stop = next((at for kind in breaks if (at := self.last_break(kind, start, reach))), reach)
            if not self.content[start:stop].isspace():
                yield start, stop
            start, room = stop, self.limit
        if not self.content[start:end].isspace():
            yield start, end

    def last_break(self, kind: re.Pattern[str], start: int, reach: int) -> int | None:
        """The last one before ``reach``, unless that would leave less than a quarter of a passage."""
        ends = [at for m in kind.finditer(self.content, start, reach + 1) if (at := m.end()) <= reach]
        return ends[-1] if ends and self.size(start, ends[-1]) >= self.limit // 4 else None

    def passage(self) -> PassageDraft:
        start, end = self.trim(self.held[0].start, self.held[-1].end)
        prefix = self.held[0].prefix
        self.held = []
        return PassageDraft(
            text=self.content[start:end],
            start=start,
            end=end,
            heading_path=[title for _level, title in self.path],
            page=bisect_right(self.page_starts, start) or None,
            tokens=self.size(start, end),
            prefix=prefix,
        )

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Without blanks around it, but with the indent of its first line."""
        stretch = self.content[start:end]
        first = start + len(stretch) - len(stretch.lstrip())
        line = self.content.rfind("\n", max(start - 1, 0), first) + 1
        if self.content[line:first].isspace():
            first = max(line, start)
        return first, start + len(stretch.rstrip())


def checked_limit(limit: int | None) -> int:
    """The passage limit in tokens, ``KB_PASSAGE_TOKENS`` when None; raises InvalidInput below 1."""
    size: int = settings.KB_PASSAGE_TOKENS if limit is None else limit
    if size < 1:
        raise InvalidInput(_("A passage must be at least one token long."))
    return size


def cut(content: str, page_starts: Sequence[int] = (), limit: int | None = None) -> list[PassageDraft]:
    """The passages of a Markdown text, in order, each of at most ``limit`` tokens.

    Every character that is not blank is in exactly one; none overlap. A code fence or table is
    split only when it is longer than the limit, at line ends. ``page_starts`` are character
    offsets, one per page. Linear in the text. Raises InvalidInput for a limit below 1.
    """
    size = checked_limit(limit)
    return list(_Cutter(content, size, page_starts, _Ruler(content)).cut())


def windows(text: str, limit: int) -> list[str]:
    """``text`` in as few stretches of at most ``limit`` tokens as its blocks allow, in order."""
    cutter = _Cutter(text, checked_limit(limit), (), _Ruler(text), across_headings=True)
    return [draft.prefix + draft.text for draft in cutter.cut()]
