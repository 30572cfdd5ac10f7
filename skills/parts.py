"""A long text in parts that a page can show, and the headings of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kbsite.markdown import Heading, outline
from skills.blocks import Block, Kind, scan

PART = 80_000  # characters that are rendered at once
ALL_AT_ONCE = 120_000
PLACE_TO_CUT = re.compile(r"\n|[。！？]|[.!?]\s")


@dataclass(frozen=True, slots=True)
class Part:
    """``content[start:end]``; ``number`` counts from 1, ``title`` is its first heading.

    ``head`` is what it needs before it to be rendered: the opening of a fence or table that began
    in an earlier part.
    """

    number: int
    start: int
    end: int
    title: str = ""
    head: str = ""

    def text(self, content: str) -> str:
        """The part's Markdown, whole in itself."""
        return self.head + content[self.start : self.end]


def parts(content: str) -> list[Part]:
    """``content`` in stretches of about 80,000 characters, cut at headings or between blocks where it can.

    One part when it is not much longer than that.
    """
    if len(content) <= ALL_AT_ONCE:
        return [Part(1, 0, len(content))]
    blocks = scan(content)
    cuts = list(_cuts(content, blocks))
    ends = [start for start, _ in cuts[1:]] + [len(content)]
    titles = _first_titles(blocks, ends)
    rows = zip(cuts, ends, titles, strict=True)
    return [Part(n, start, end, title, head) for n, ((start, head), end, title) in enumerate(rows, 1)]


def _cuts(content: str, blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Where parts start, with their heads."""
    last = 0
    yield 0, ""
    for block in blocks:
        grown = block.start - last
        if grown >= PART or (grown >= PART // 2 and block.kind is Kind.HEADING and block.level <= 2):
            last = block.start
            yield last, ""
        while block.end - last > 2 * PART:
            found = PLACE_TO_CUT.search(content, max(last, block.start) + PART, block.end)
            last = found.end() if found else max(last, block.start) + PART
            yield last, block.head


def _first_titles(blocks: Sequence[Block], ends: Sequence[int]) -> list[str]:
    """For each part the words of the first heading in it."""
    titles = [""] * len(ends)
    at = 0
    for block in blocks:
        while block.start >= ends[at]:
            at += 1
        if block.kind is Kind.HEADING and not titles[at]:
            titles[at] = block.title
    return titles


def part_at(found: Sequence[Part], position: int) -> Part:
    """The part that ``position``, in characters, is in."""
    return next((part for part in found if position < part.end), found[-1])


def headings(text: str, prefix: str, *, deepest: int = 2) -> list[Heading]:
    """The headings of ``text`` with the ids that rendering gives them, without parsing the rest."""
    lines = [text[block.start : block.end] for block in scan(text) if block.kind is Kind.HEADING]
    return outline("\n\n".join(lines), heading_prefix=prefix, deepest=deepest)
