"""A stretch of a Markdown text, marked in its rendered form, whatever it runs through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from kbsite.markdown import render
from kbsite.markdown.links import Links
from skills.blocks import Block, Kind, scan

OPEN, CLOSE = "\ue000", "\ue001"  # private use: no Markdown, and no text we were given means them
SIGNS = re.compile(f"[{OPEN}{CLOSE}]")
TRIES = 24
AROUND = 3_000  # characters of a long paragraph that are tried at a time
WORD = re.compile(r"\w")
TAG = re.compile(r'(<(?:"[^"]*"|[^">])*>)')


@dataclass(frozen=True, slots=True)
class _Edit:
    """``content[start:end]`` becomes ``text``."""

    start: int
    end: int
    text: str


def render_marked(
    content: str, start: int, end: int, *, mark_id: str, heading_prefix: str, links: Links | None = None
) -> SafeString:
    """``content`` as HTML with what ``content[start:end]`` shows inside ``<mark>``.

    The first mark has the id ``mark_id``. The rest of the HTML is as :func:`render` makes it
    (but a listing in which the stretch begins or ends loses its colours). Without any word in
    the stretch that is shown, nothing is marked. ``links`` as for :func:`render`; a link in which the
    stretch begins or ends stays whole, outside it.
    """
    content = SIGNS.sub("\ufffd", content)
    edits = _edits(content, start, end, links)
    if not edits:
        return render(content, heading_prefix=heading_prefix, links=links)
    html = render(_apply(content, edits), heading_prefix=heading_prefix, links=links)
    return mark_safe(_wrap(html, mark_id))  # noqa: S308 - what render() cleaned, with marks added


def _edits(content: str, start: int, end: int, links: Links | None) -> list[_Edit]:
    blocks = [block for block in scan(content) if block.start < end and block.end > start]

    def front(block: Block) -> Iterator[int]:
        return _words(content, max(start, block.start), min(end, block.end))

    def back(block: Block) -> Iterator[int]:
        return _words_back(content, max(start, block.start), min(end, block.end))

    first = _place(content, [_near(block, start) for block in blocks], front, OPEN, links)
    last = _place(content, [_near(block, end) for block in reversed(blocks)], back, CLOSE, links)
    if not first or not last:
        return []
    return sorted({*first, *last}, key=lambda edit: (edit.start, edit.end))


def _near(block: Block, at: int) -> Block:
    """What is around ``at`` of a long paragraph; other blocks only make sense whole."""
    if block.kind is not Kind.TEXT:
        return block
    return Block(block.kind, max(block.start, at - AROUND), min(block.end, at + AROUND))


def _words(content: str, start: int, end: int) -> Iterator[int]:
    """Positions before a letter or digit, from the front."""
    return (match.start() for match in WORD.finditer(content, start, end))


def _words_back(content: str, start: int, end: int) -> Iterator[int]:
    """Positions at the end of the stretch, then after its letters and digits, from the back."""
    yield end
    for at in range(end - 1, start - 1, -1):
        if WORD.match(content, at):
            yield at + 1


def _place(
    content: str,
    blocks: list[Block],
    positions: Callable[[Block], Iterator[int]],
    sign: str,
    links: Links | None,
) -> list[_Edit]:
    """The edits that put ``sign`` at the first position where it changes nothing else."""
    for block in blocks:
        plain = _uncoloured(content, block)
        before = str(render(_apply_within(content, block, plain), links=links))
        for at in islice(positions(block), TRIES):
            if plain and at < plain[0].end:
                continue
            edits = [*plain, _Edit(at, at, sign)]
            after = str(render(_apply_within(content, block, edits), links=links))
            if sign in TAG.sub("", after) and after.replace(sign, "") == before:
                return edits
    return []


def _uncoloured(content: str, block: Block) -> list[_Edit]:
    """A fence loses its language: colouring cannot bear a sign in the code."""
    if block.kind is not Kind.FENCE:
        return []
    line = content.find("\n", block.start, block.end)
    line = block.end if line < 0 else line
    opening = re.match(r"[^`~]*[`~]+", content[block.start : line])
    return [_Edit(block.start + opening.end(), line, "")] if opening else []


def _apply_within(content: str, block: Block, edits: list[_Edit]) -> str:
    moved = [_Edit(e.start - block.start, e.end - block.start, e.text) for e in edits]
    return _apply(content[block.start : block.end], moved)


def _apply(content: str, edits: list[_Edit]) -> str:
    parts, at = [], 0
    for edit in edits:
        parts += [content[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, content[at:]])


def _wrap(html: str, mark_id: str) -> str:
    """``html`` with every text between the signs inside ``<mark>``, and without the signs."""
    parts, inside, named = [], False, False
    for piece in TAG.split(html):
        if piece.startswith("<"):
            parts.append(SIGNS.sub("", piece))
            continue
        for text in re.split(f"([{OPEN}{CLOSE}])", piece):
            if text in (OPEN, CLOSE):
                inside = text == OPEN
            elif inside and text.strip():
                parts.append(
                    f"<mark>{text}</mark>" if named else f'<mark id="{escape(mark_id)}">{text}</mark>'
                )
                named = True
            else:
                parts.append(text)
    return "".join(parts)
