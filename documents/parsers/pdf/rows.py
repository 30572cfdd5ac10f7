"""Pieces side by side become rows; rows whose cells line up become tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from documents.parsers.pdf.pieces import Piece

LEAST_ROWS = 3
LEAST_CELLS = 2
# A cell longer than this is prose beside prose, not a table.
LONGEST_CELL = 80
APART = 1.0
# A blank is between columns when this share of the rows have it; a table is at least so full.
COMMON = 0.3
ENOUGH_FULL = 0.4


@dataclass(slots=True)
class Row:
    """What stands on one line of a page, from left to right."""

    pieces: list[Piece] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The pieces joined by a blank."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def left(self) -> float:
        """In points."""
        return min(piece.left for piece in self.pieces)

    @property
    def right(self) -> float:
        """In points."""
        return max(piece.right for piece in self.pieces)

    @property
    def top(self) -> float:
        """In points, upwards."""
        return max(piece.top for piece in self.pieces)

    @property
    def bottom(self) -> float:
        """In points, upwards."""
        return min(piece.bottom for piece in self.pieces)

    @property
    def size(self) -> float:
        """The height of most of its letters, in points."""
        return max(self.pieces, key=lambda piece: len(piece.text)).size

    @property
    def is_bold(self) -> bool:
        """Whether all of it is."""
        return all(piece.bold for piece in self.pieces)


@dataclass(slots=True)
class Table:
    """Cells by row; the first row is the header."""

    cells: list[list[str]]


def rows_of(pieces: list[Piece]) -> list[Row]:
    """``pieces``, in reading order, put together where they go on along one line."""
    rows: list[Row] = []
    for piece in pieces:
        last = rows[-1].pieces[-1] if rows else None
        if last is not None and last.shares_row(piece) and piece.left >= last.right - APART * last.height:
            rows[-1].pieces.append(piece)
        else:
            rows.append(Row([piece]))
    return rows


def with_tables(rows: list[Row]) -> list[Row | Table]:
    """``rows`` with every run of them that forms a table put into one."""
    found: list[Row | Table] = []
    at = 0
    while at < len(rows):
        end = _end_of_table(rows, at)
        table = _table(rows[at:end]) if end - at >= LEAST_ROWS else None
        if table is None:
            found.append(rows[at])
            at += 1
        else:
            found.append(table)
            at = end
    return found


def _has_cells(row: Row) -> bool:
    return len(row.pieces) >= LEAST_CELLS and all(len(piece.text) <= LONGEST_CELL for piece in row.pieces)


def _end_of_table(rows: list[Row], at: int) -> int:
    """One past the last row that has cells and follows closely; a cell's second line counts too."""
    end = at
    while end < len(rows) and (
        _has_cells(rows[end]) or (end - at >= LEAST_ROWS - 1 and _is_second_line(rows[end - 1], rows[end]))
    ):
        if end > at and not -2.0 < (rows[end - 1].bottom - rows[end].top) / rows[end].pieces[0].height < 4.0:
            break
        end += 1
    while end > at and not _has_cells(rows[end - 1]):
        end -= 1
    return end


def _is_second_line(before: Row, row: Row) -> bool:
    close = before.bottom - row.top < 0.8 * row.pieces[0].height
    return close and len(row.pieces) == 1 and row.left > before.left + before.pieces[0].height


def _table(rows: list[Row]) -> Table | None:
    columns = _columns(rows)
    if len(columns) < LEAST_CELLS:
        return None
    cells: list[list[str]] = []
    for row in rows:
        line = [""] * len(columns)
        for piece in row.pieces:
            n = _column(columns, piece)
            line[n] = f"{line[n]} {piece.text}".strip()
        if cells and not _has_cells(row):
            cells[-1] = [f"{a} {b}".strip() for a, b in zip(cells[-1], line, strict=True)]
        else:
            cells.append(line)
    full = sum(1 for line in cells for cell in line if cell)
    return Table(cells) if full > ENOUGH_FULL * len(columns) * len(cells) else None


def _columns(rows: list[Row]) -> list[tuple[float, float]]:
    """Where the columns stand: between the blanks that most rows have in common."""
    gaps = [(a.right, b.left) for row in rows for a, b in pairwise(row.pieces) if b.left > a.right]
    edges = sorted(_separators(gaps, max(2, round(COMMON * len(rows)))))
    bounds = [min(row.left for row in rows), *edges, max(row.right for row in rows)]
    columns = list(pairwise(bounds))
    return _without_halves(columns, rows)


def _separators(gaps: list[tuple[float, float]], least: int) -> list[float]:
    """Places that lie in the most gaps at once, each gap counted for one place."""
    found = []
    while gaps:
        place, count = _deepest(gaps)
        if count < least:
            break
        found.append(place)
        gaps = [gap for gap in gaps if not gap[0] <= place <= gap[1]]
    return found


def _deepest(gaps: list[tuple[float, float]]) -> tuple[float, int]:
    """The middle of the stretch that most gaps cover, and how many do."""
    # A gap begins with -1, so that at one place the beginnings come before the ends.
    ends = sorted((at, step) for start, end in gaps for at, step in ((start, -1), (end, 1)))
    depth = best = 0
    place = 0.0
    for n, (at, step) in enumerate(ends):
        depth -= step
        if depth > best:
            best, place = depth, (at + ends[n + 1][0]) / 2
    return place, best


def _without_halves(columns: list[tuple[float, float]], rows: list[Row]) -> list[tuple[float, float]]:
    """Two neighbours that no row fills both are one column: a head set left, figures set right."""
    filled = [{_column(columns, piece) for piece in row.pieces} for row in rows]
    whole: list[tuple[float, float]] = []
    members: list[set[int]] = []
    for n, column in enumerate(columns):
        if whole and not any(n in line and line & members[-1] for line in filled):
            whole[-1] = (whole[-1][0], column[1])
            members[-1].add(n)
        else:
            whole.append(column)
            members.append({n})
    return whole


def _column(columns: list[tuple[float, float]], piece: Piece) -> int:
    overlaps = [min(right, piece.right) - max(left, piece.left) for left, right in columns]
    return overlaps.index(max(overlaps))
