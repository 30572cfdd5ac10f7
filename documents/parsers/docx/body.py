"""A Word document's blocks, one after the other, as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from documents.parsers.docx.inline import LINE, Inline, Seen
from documents.parsers.docx.numbering import Label, Numbering
from documents.parsers.docx.package import Element, M, Part, W, value
from documents.parsers.docx.styles import BODY_LEVEL, Styles, numbering_of, outline_level
from documents.parsers.docx.tables import as_line, as_markdown, grid

# Containers without a meaning of their own; what was inserted counts, what was deleted does not.
TRANSPARENT = {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "body", "hdr", "ftr"}
DEEPEST_HEADING = 6
_SIMPLE_NUMBER = re.compile(r"^\d{1,9}[.)]$")
_MARKUP = re.compile(r"^(#{1,6}(?=\s|$)|[>+*-](?=\s)|```|~~~|={3,}$|-{3,}$)")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of Markdown. ``level`` is a heading's, from 0 for the title; ``depth`` a list item's."""

    markdown: str
    level: int | None = None
    depth: int | None = None
    mark: str = ""


class Body:
    """Reads the blocks of a document's parts; lists count on from one to the next."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self.styles = styles
        self.numbering = numbering
        self.seen = Seen()

    def blocks(self, part: Part, root: Element) -> list[Block]:
        """The blocks under ``root``, an element of ``part``."""
        inline = Inline(part.relations, self.seen)
        found: list[Block] = []
        for element in root:
            found += self._block(element, part, inline)
        return found

    def _block(self, element: Element, part: Part, inline: Inline) -> list[Block]:
        name = str(element.tag).removeprefix(W)
        if name == "p":
            return self._paragraph(element, part, inline)
        if name == "tbl":
            return self._table(element, part)
        if name in ("del", "moveFrom"):
            self.seen.deletions += 1
        if element.tag == f"{M}oMathPara":
            return [Block(inline.equation(element))]
        if name in TRANSPARENT:
            return [block for child in element for block in self._block(child, part, inline)]
        return []

    def _paragraph(self, paragraph: Element, part: Part, inline: Inline) -> list[Block]:
        before = len(self.seen.boxes)
        text = _tidy(inline.text(paragraph))
        boxes, self.seen.boxes = self.seen.boxes[before:], self.seen.boxes[:before]
        properties = paragraph.find(f"{W}pPr")
        style = self.styles.of(value(properties.find(f"{W}pStyle")) if properties is not None else None)
        level = outline_level(properties)
        level = style.level if level is None else level
        label, depth = self._label(properties, style.numbering) if text else (None, 0)
        found = [_as_block(text, level, label, depth)] if text else []
        for box in boxes:
            found += self.blocks(part, box)
        return found

    def _label(
        self, properties: Element | None, of_style: tuple[str | None, int | None] | None
    ) -> tuple[Label | None, int]:
        """What stands before a numbered paragraph, and how deep it is. Its own numbering goes first."""
        own = numbering_of(properties)
        list_id, level = own or of_style or (None, None)
        if own and of_style:
            list_id, level = own[0] or of_style[0], own[1] if own[1] is not None else of_style[1]
        return self.numbering.label(list_id, level or 0), level or 0

    def _table(self, table: Element, part: Part) -> list[Block]:
        cells = table.findall(f"{W}tr/{W}tc")
        if len(cells) == 1:
            return self.blocks(part, cells[0])
        markdown = as_markdown(grid(table, lambda cell: self._cell(cell, part)))
        return [Block(markdown)] if markdown else []

    def _cell(self, cell: Element, part: Part) -> str:
        inline = Inline(part.relations, self.seen)
        pieces: list[str] = []
        for child in cell:
            if child.tag == f"{W}tbl":
                pieces.append(as_line(grid(child, lambda inner: self._cell(inner, part))))
            else:
                pieces += [_plain(block) for block in self._block(child, part, inline)]
        return " ".join(piece for piece in pieces if piece)


def _plain(block: Block) -> str:
    number = block.mark if block.mark != "-" else ""
    return f"{number} {block.markdown}".strip()


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split(LINE))
    return LINE.join(line for line in lines if line)


def _as_block(text: str, level: int | None, label: Label | None, depth: int) -> Block:
    number = label.text if label and not label.is_bullet else ""
    if level is not None and level <= BODY_LEVEL:
        return Block(f"{number} {text}".strip().replace(LINE, " "), level=level)
    broken = text.replace(LINE, "  \n")
    if label is None:
        return Block(_MARKUP.sub(r"\\\1", broken))
    if number and depth == 0 and not _SIMPLE_NUMBER.match(number):
        return Block(f"{number} {broken}")
    if _SIMPLE_NUMBER.match(number):
        return Block(broken, depth=depth, mark=number)
    return Block(f"{number} {broken}".strip(), depth=depth, mark="-")


class _Lists:
    """Writes list items so that a reader of Markdown sees the numbers that Word shows."""

    def __init__(self) -> None:
        self.base = 0
        # Per depth: the last item's mark in Word, and as it was written.
        self.marks: list[tuple[str, str]] = []

    def end(self) -> None:
        """What comes is no item."""
        self.marks = []

    def write(self, block: Block) -> str:
        """An item with its indent. The first of a run stands at the margin, however deep it was."""
        if not self.marks:
            self.base = block.depth or 0
        depth = min(max((block.depth or 0) - self.base, 0), len(self.marks))
        before = self.marks[depth] if depth < len(self.marks) else ("", "")
        mark = _written(block.mark, *before)
        self.marks = [*self.marks[:depth], (block.mark, mark)]
        indent = "   " * depth
        hanging = "\n" + indent + " " * (len(mark) + 1)
        return f"{indent}{mark} {block.markdown.replace(chr(10), hanging)}"


def _written(mark: str, before: str, before_written: str) -> str:
    """``mark`` with the other delimiter where it begins anew, else Markdown would go on counting."""
    if "-" in (mark, before) or not before:
        return mark
    goes_on = before[-1] == mark[-1] and int(mark[:-1]) == int(before[:-1]) + 1
    if goes_on:
        return mark[:-1] + before_written[-1]
    return mark[:-1] + (")" if before_written[-1] == "." else ".")


def together(blocks: list[Block]) -> str:
    """Blocks as one text: a blank line between them, none between the items of a list.

    Headings begin at ``#``; where there is a title, all others move down one level.
    """
    shift = 1 if any(block.level == 0 for block in blocks) else 0
    lists = _Lists()
    text = ""
    was_item = False
    for block in blocks:
        is_item = block.depth is not None
        if is_item:
            markdown = lists.write(block)
        else:
            lists.end()
            markdown = _heading(block, shift)
        joint = "\n" if was_item and is_item else "\n\n"
        text += (joint if text else "") + markdown
        was_item = is_item
    return text


def _heading(block: Block, shift: int) -> str:
    if block.level is None:
        return block.markdown
    depth = min(max(block.level + shift, 1), DEEPEST_HEADING)
    return "#" * depth + " " + block.markdown
