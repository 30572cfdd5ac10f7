"""A long text in parts that a page can show, and the headings of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kbsite.markdown import Heading, outline
from skills.blocks import Block, Kind, scan

PART = 80_000  # characters that are rendered at once
ALL_AT_ONCE = 120_000


@dataclass(frozen=True, slots=True)
class Part:
    """``content[start:end]``; ``number`` counts from 1, ``title`` is its first heading."""

    number: int
    start: int
    end: int
    title: str = ""


def parts(content: str) -> list[Part]:
    """``content`` in stretches of about 80,000 characters, cut between blocks, at headings where it can.

    One part when it is not much longer than that.
    """
    if len(content) <= ALL_AT_ONCE:
        return [Part(1, 0, len(content))]
    blocks = scan(content)
    starts = [0]
    for block in blocks:
        grown = block.start - starts[-1]
        if grown >= PART or (grown >= PART // 2 and block.kind is Kind.HEADING and block.level <= 2):
            starts.append(block.start)
    ends = [*starts[1:], len(content)]
    titles = [_first_title(blocks, start, end) for start, end in zip(starts, ends, strict=True)]
    return [Part(n, *cut) for n, cut in enumerate(zip(starts, ends, titles, strict=True), 1)]


def _first_title(blocks: Sequence[Block], start: int, end: int) -> str:
    inside = (b.title for b in blocks if b.kind is Kind.HEADING and start <= b.start < end)
    return next(inside, "")


def part_at(found: Sequence[Part], position: int) -> Part:
    """The part that ``position``, in characters, is in."""
    return next((part for part in found if position < part.end), found[-1])


def headings(text: str, prefix: str, *, deepest: int = 2) -> list[Heading]:
    """The headings of ``text`` with the ids that rendering gives them, without parsing the rest."""
    lines = [text[block.start : block.end] for block in scan(text) if block.kind is Kind.HEADING]
    return outline("\n\n".join(lines), heading_prefix=prefix, deepest=deepest)
