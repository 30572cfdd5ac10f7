"""Word tables as grids: merged cells keep their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from documents.parsers.docx.package import Element, W, number, value

MOST_COLUMNS = 200

type Read = Callable[[Element], str]


def grid(table: Element, read: Read) -> list[list[str]]:
    """Every row's cells in their columns; ``read`` turns a ``w:tc`` into text.

    A cell merged over rows is repeated in each, one merged over columns stands in the first of
    them. Rows are as long as the longest.
    """
    rows: list[list[str]] = []
    for row in _children(table, "tr"):
        before = number(row.find(f"{W}trPr/{W}gridBefore")) or 0
        line = [""] * min(before, MOST_COLUMNS)
        for cell in _children(row, "tc"):
            text = _above(rows, len(line)) if _continues(cell) else read(cell)
            span = number(cell.find(f"{W}tcPr/{W}gridSpan")) or 1
            line += [text] + [""] * (min(span, MOST_COLUMNS) - 1)
        rows.append(line)
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def as_markdown(rows: list[list[str]]) -> str:
    """A Markdown table with the first row as its header; columns that are empty throughout are dropped."""
    used = [n for n in range(len(rows[0])) if any(row[n] for row in rows)] if rows else []
    if not used:
        return ""
    lines = ["| " + " | ".join(_cell(row[n]) for n in used) + " |" for row in rows if any(row)]
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]])


def as_line(rows: list[list[str]]) -> str:
    """A table inside a cell, on one line."""
    return "; ".join(" ".join(cell for cell in row if cell) for row in rows if any(row))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _continues(cell: Element) -> bool:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and value(merge) != "restart"


def _above(rows: list[list[str]], column: int) -> str:
    return rows[-1][column] if rows and column < len(rows[-1]) else ""


def _children(element: Element, name: str) -> Iterator[Element]:
    """Children of that name, also inside content controls and tracked insertions."""
    for child in element:
        if child.tag == f"{W}{name}":
            if name != "tr" or child.find(f"{W}trPr/{W}del") is None:
                yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _children(child, name)
