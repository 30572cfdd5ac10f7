"""Rows become paragraphs, list items and headings."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.parsers.pdf.pieces import EAST_ASIAN, LINE_END_HYPHEN
from documents.parsers.pdf.rows import Row, Table

BULLET = re.compile("^[•●▪◦‣∙■□◆◇➢➤✓\uf0b7\uf0a7\uf0d8·*–-][ \t]+(?=\\S)|^[•●▪◦‣■◆➢\uf0b7\uf0a7]")
_ONES = "一二三四五六七八九十百零"
NUMBERED = re.compile(rf"^(\(?\d{{1,3}}[.)、]|\(\w\)|（[{_ONES}\d]+）|[{_ONES}]+、|第[{_ONES}\d]+[章节条款])")
SECTION = re.compile(rf"^(\d{{1,2}}(?:\.\d{{1,2}})*)\.?\s+\S|^(第[{_ONES}\d]+[章篇部])|^([{_ONES}]{{1,3}}、)")
SENTENCE_END = re.compile("[.!?。！？…；;:：”\"')）】]$")
LARGER = 1.15
LONGEST_HEADING = 120
LONGEST_BOLD_HEADING = 80
LEVELS = 4


@dataclass(slots=True)
class Block:
    """A paragraph, an item, a heading (``level`` 1 to 6) or a table (``text`` is Markdown already)."""

    text: str
    level: int = 0
    is_table: bool = False
    is_item: bool = False

    @property
    def markdown(self) -> str:
        """As it goes into the document."""
        if self.level:
            return "#" * self.level + " " + self.text
        if self.is_table or self.is_item:
            return self.text
        return re.sub(r"^(#{1,6}\s|>|```|~~~)", r"\\\1", self.text)


@dataclass(frozen=True, slots=True)
class Look:
    """What the whole document looks like: its text size, its heading sizes from the largest down,
    its table of contents by title, the words that are written with a hyphen, and whether bold
    type stands out (it does not where most of the text is bold)."""

    body: float
    sizes: tuple[float, ...]
    contents: dict[str, int]
    hyphenated: frozenset[str]
    bold_stands_out: bool


def look_of(rows: Iterable[Row], contents: dict[str, int]) -> Look:
    """The :class:`Look` of a document with these ``rows``."""
    weights: Counter[float] = Counter()
    words: set[str] = set()
    bold = 0
    for row in rows:
        bold += len(row.text) if row.is_bold else 0
        weights[row.size] += len(row.text) if row.size else 0
        words.update(match.lower() for match in re.findall(r"\w+-\w+", row.text))
    body = weights.most_common(1)[0][0] if weights else 10.0
    larger = sorted((size for size in weights if size >= body * LARGER), reverse=True)
    return Look(body, tuple(larger[:LEVELS]), contents, frozenset(words), bold < 0.4 * weights.total())


def blocks_of(rows: Sequence[Row | Table], look: Look) -> list[Block]:
    """``rows`` of one page as blocks."""
    blocks: list[Block] = []
    page = _Measures(rows)
    paragraph: list[Row] = []
    for row in rows:
        if isinstance(row, Table):
            _close(paragraph, blocks, look)
            paragraph = []
            blocks.append(Block(_table(row), is_table=True))
            continue
        if paragraph and _begins(paragraph, row, page, look):
            _close(paragraph, blocks, look)
            paragraph = []
        paragraph.append(row)
    _close(paragraph, blocks, look)
    return blocks


def joined(first: str, second: str, look: Look) -> str:
    """Two lines as one: hyphens of line ends undone, no blank between East Asian letters."""
    if first.endswith(LINE_END_HYPHEN):
        first = first[:-1]
        before, after = re.search(r"\w*$", first), re.match(r"\w*", second)
        compound = f"{before[0] if before else ''}-{after[0] if after else ''}".lower()
        return f"{first}-{second}" if compound in look.hyphenated else first + second
    if first and second and EAST_ASIAN.match(first[-1]) and EAST_ASIAN.match(second[0]):
        return first + second if not _is_hangul(first[-1]) else f"{first} {second}"
    if first.endswith("-") and first[-2:-1].isalpha() and second[:1].islower():
        return first + second
    return f"{first} {second}"


def ends_open(text: str) -> bool:
    """Whether a paragraph that ends so may go on after a page or column break."""
    return not SENTENCE_END.search(text)


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"


def _usual_gap(rows: Sequence[Row | Table]) -> float:
    gaps = [
        a.bottom - b.top
        for a, b in pairwise(rows)
        if isinstance(a, Row) and isinstance(b, Row) and -0.5 * a.size < a.bottom - b.top < 2 * a.size
    ]
    return statistics.median(gaps) if gaps else 0.0


def _begins(paragraph: Sequence[Row], row: Row, page: _Measures, look: Look) -> bool:
    """Whether ``row`` begins a new paragraph after those of ``paragraph``."""
    last = paragraph[-1]
    em = max(row.size, 1.0)
    if abs(last.size - row.size) > 0.12 * em or last.is_bold != row.is_bold:
        return True
    down = last.bottom - row.top
    if _is_heading(last, look) or _is_heading(row, look):
        return not (_is_heading(last, look) and _is_heading(row, look) and -em < down < em)
    if BULLET.match(row.text) or NUMBERED.match(row.text):
        return True
    if down < -em or row.left > last.right or row.right < last.left:
        return not ends_open(last.text)
    if down > max(page.gap * 1.5, page.gap + 0.35 * em):
        return True
    if len(paragraph) > 1 and row.left - last.left > 0.8 * em and not BULLET.match(paragraph[0].text):
        return True
    return page.would_have_fitted(last, row)


class _Measures:
    """What is usual on a page: the gap between lines, and how far to the right each column's go."""

    def __init__(self, rows: Sequence[Row | Table]) -> None:
        self.gap = _usual_gap(rows)
        self.right_edges: dict[int, float] = {}
        run: list[Row] = []
        for row in rows:
            if isinstance(row, Table) or (run and not _is_in_column(run, row)):
                self._close(run)
                run = []
            if isinstance(row, Row):
                run.append(row)
        self._close(run)

    def _close(self, run: Sequence[Row]) -> None:
        edge = max((row.right for row in run), default=0.0)
        self.right_edges |= {id(row): edge for row in run}

    def would_have_fitted(self, last: Row, row: Row) -> bool:
        """Whether the first word of ``row`` had room on the line before: so the break was meant."""
        room = self.right_edges[id(last)] - last.right
        letters = max(len(row.text), 1)
        unspaced = EAST_ASIAN.match(row.text) and not _is_hangul(row.text[0])
        first = 2 if unspaced else len(row.text.split(maxsplit=1)[0]) + 1
        return room > (row.right - row.left) / letters * first + 0.8 * row.size


def _is_in_column(run: Sequence[Row], row: Row) -> bool:
    last, em = run[-1], max(row.size, 1.0)
    near = -em < last.bottom - row.top < 2 * em and abs(last.size - row.size) < 0.12 * em
    return near and abs(run[0].left - row.left) < 3 * em


def _is_heading(row: Row, look: Look) -> bool:
    return bool(_level(row.text, row.size, row.is_bold, look))


def _level(text: str, size: float, is_bold: bool, look: Look) -> int:
    """The heading level that a paragraph of this look has; 0 for none."""
    plain = " ".join(text.split())
    if listed := look.contents.get(plain.casefold()):
        return listed
    if not any(character.isalpha() for character in plain) or len(plain) > LONGEST_HEADING:
        return 0
    if size >= look.body * LARGER and size in look.sizes:
        return look.sizes.index(size) + 1
    numbered = SECTION.match(plain)
    if not (is_bold and look.bold_stands_out) or len(plain) > LONGEST_BOLD_HEADING or size < look.body * 0.95:
        return 0
    if numbered or not SENTENCE_END.search(plain):
        depth = numbered[1].count(".") if numbered and numbered[1] else 0
        return min(len(look.sizes) + 1 + depth, 6)
    return 0


def _close(paragraph: Sequence[Row], blocks: list[Block], look: Look) -> None:
    if not paragraph:
        return
    text = paragraph[0].text
    for row in paragraph[1:]:
        text = joined(text, row.text, look)
    text = text.replace(LINE_END_HYPHEN, "-")
    level = _level(text, paragraph[0].size, all(row.is_bold for row in paragraph), look)
    if level:
        blocks.append(Block(" ".join(text.split()), level=level))
    elif bullet := BULLET.match(text):
        blocks.append(Block("- " + text[bullet.end() :].lstrip(), is_item=True))
    else:
        blocks.append(Block(text))


def _table(table: Table) -> str:
    lines = [
        "| " + " | ".join(cell.replace(LINE_END_HYPHEN, "-").replace("|", "\\|") for cell in line) + " |"
        for line in table.cells
    ]
    rule = "|" + " --- |" * len(table.cells[0])
    return "\n".join([lines[0], rule, *lines[1:]])
