"""The blocks of a Markdown text, with their character offsets, found in one pass over its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from kbsite.markdown import front_matter_length

LINE = re.compile(r"[^\n]*\n|[^\n]+")
FENCE = re.compile(
    r"^(?P<indent>(?:[ \t]|>)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$"
)
ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
DELIMITERS = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
LONGEST_SETEXT_LINES = 3


class Kind(StrEnum):
    """What a block is; lists are one TEXT block per top item."""

    HEADING = "heading"
    TEXT = "text"
    FENCE = "fence"
    TABLE = "table"


@dataclass(slots=True)
class Block:
    """``content[start:end]`` without the blank lines around it.

    ``level`` is a heading's (1 to 6), ``title`` its words. ``head`` is what a part of a fence or
    table needs to be read alone: the opening line, or the header and delimiter rows.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""
    head: str = ""


@dataclass(slots=True)
class Line:
    """One line: ``text`` has no line break; ``end`` is after it."""

    start: int
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def stop(self) -> int:
        """Where its text ends, before the line break."""
        return self.start + len(self.text)


def lines(content: str) -> list[Line]:
    """The lines of ``content`` in order; a line ends at ``\\n`` only, as in Markdown."""
    return [Line(m.start(), m.end(), m.group().rstrip("\r\n")) for m in LINE.finditer(content)]


def heading_words(text: str) -> str:
    """A heading's words without emphasis, code and link marks."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`|\*\*|__(?=\S)|(?<=\S)__", "", text).strip()


@dataclass
class _Scanner:
    """Reads lines one after the other; ``at`` is the next one."""

    rows: list[Line]
    at: int = 0
    pending: list[Line] = field(default_factory=list)
    in_list: bool = False

    def scan(self) -> Iterator[Block]:
        while self.at < len(self.rows):
            row = self.rows[self.at]
            if row.is_blank:
                yield from self.flush()
                self.at += 1
            elif fence := self.fence_at(row):
                yield from self.flush()
                yield self.fence(fence)
            elif (heading := ATX.match(row.text)) and not self.is_code(row):
                yield from self.flush()
                self.in_list = False
                yield self.heading(row, row, len(heading[1]), heading[2] or "")
            elif self.starts_table(row):
                yield from self.flush()
                yield self.table()
            else:
                yield from self.text(row)
        yield from self.flush()

    def is_code(self, row: Line) -> bool:
        return row.text.startswith(("    ", "\t")) and not self.in_list

    def fence_at(self, row: Line) -> re.Match[str] | None:
        found = FENCE.match(row.text)
        if not found or self.is_code(row) or (found["mark"][0] == "`" and "`" in found["info"]):
            return None
        return found

    def flush(self) -> Iterator[Block]:
        if self.pending:
            yield Block(Kind.TEXT, self.pending[0].start, self.pending[-1].stop)
            self.pending = []

    def heading(self, first: Line, last: Line, level: int, text: str) -> Block:
        self.at += 1
        return Block(Kind.HEADING, first.start, last.stop, level, heading_words(text))

    def fence(self, opening: re.Match[str]) -> Block:
        first = last = self.rows[self.at]
        mark, size, indent = opening["mark"][0], len(opening["mark"]), len(opening["indent"])
        closing = re.compile(rf"^[ \t>]{{0,{indent + 3}}}{mark}{{{size},}}[ \t]*$")
        self.at += 1
        while self.at < len(self.rows):
            last = self.rows[self.at]
            self.at += 1
            if closing.match(last.text):
                break
        return Block(Kind.FENCE, first.start, last.stop, head=first.text.strip() + "\n")

    def starts_table(self, row: Line) -> bool:
        if "|" not in row.text or self.at + 1 >= len(self.rows):
            return False
        below = self.rows[self.at + 1].text
        return "-" in below and ("|" in below or ":" in below) and bool(DELIMITERS.match(below))

    def table(self) -> Block:
        first, last = self.rows[self.at], self.rows[self.at + 1]
        head = f"{first.text}\n{last.text}\n"
        self.at += 2
        while self.at < len(self.rows) and "|" in self.rows[self.at].text:
            last = self.rows[self.at]
            self.at += 1
        return Block(Kind.TABLE, first.start, last.stop, head=head)

    def text(self, row: Line) -> Iterator[Block]:
        underline = SETEXT.match(row.text)
        if (
            underline
            and 0 < len(self.pending) <= LONGEST_SETEXT_LINES
            and not ITEM.match(self.pending[0].text)
        ):
            words = " ".join(line.text.strip() for line in self.pending)
            first, self.pending = self.pending[0], []
            yield self.heading(first, row, 1 if underline[1][0] == "=" else 2, words)
            return
        if ITEM.match(row.text):
            yield from self.flush()
            self.in_list = True
        elif not self.pending and not row.text.startswith((" ", "\t")):
            self.in_list = False
        self.pending.append(row)
        self.at += 1


def scan(content: str) -> list[Block]:
    """The blocks of ``content`` in order. They don't overlap and cover all that is not blank.

    Front matter is one block of text, and no heading.
    """
    top = front_matter_length(content)
    rows = lines(content)
    if not top:
        return list(_Scanner(rows).scan())
    front = Block(Kind.TEXT, 0, len(content[:top].rstrip()))
    return [front, *_Scanner([row for row in rows if row.start >= top]).scan()]
