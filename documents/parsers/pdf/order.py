"""The order in which a page is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from documents.parsers.pdf.pieces import Piece

# Files are mostly written in reading order; only when this share of steps goes back up they were not.
TOO_MANY_STEPS_BACK = 0.2
GUTTER = 1.0
PROSE = 25
ROWS_OF_PROSE = 6


def in_reading_order(pieces: list[Piece]) -> list[Piece]:
    """``pieces`` as a person would read them: as written, unless that runs against the page."""
    aside = [piece for piece in pieces if not piece.size]
    pieces = [piece for piece in pieces if piece.size]
    if len(pieces) < 2 or _is_vertical(pieces):
        return pieces + aside
    back = sum(1 for a, b in pairwise(pieces) if _steps_back(a, b))
    if back > TOO_MANY_STEPS_BACK * (len(pieces) - 1) or _is_written_across_columns(pieces):
        return _cut(pieces) + aside
    return pieces + aside


def _is_vertical(pieces: Sequence[Piece]) -> bool:
    tall = sum(len(p.text) for p in pieces if len(p.text) > 1 and p.height > 1.5 * (p.right - p.left))
    return tall > sum(len(p.text) for p in pieces) / 2


def _steps_back(a: Piece, b: Piece) -> bool:
    return b.bottom > a.top and min(a.right, b.right) > max(a.left, b.left)


def _is_written_across_columns(pieces: Sequence[Piece]) -> bool:
    """Long pieces side by side, row after row: two columns of prose, written line by line."""
    rows = sum(
        1
        for a, b in pairwise(pieces)
        if a.shares_row(b) and b.left - a.right > GUTTER * a.height and min(len(a.text), len(b.text)) > PROSE
    )
    return rows >= ROWS_OF_PROSE and rows > len(pieces) / 4


def _cut(pieces: list[Piece]) -> list[Piece]:
    """Recursive cuts along the widest blank stripes: columns first, then from top to bottom."""
    if len(pieces) < 2:
        return pieces
    em = sorted(piece.height for piece in pieces)[len(pieces) // 2]
    if columns := _split(pieces, lambda p: (p.left, p.right), GUTTER * em):
        left, right = columns
        if _is_prose(left) and _is_prose(right):
            return _cut(left) + _cut(right)
    if bands := _split(pieces, lambda p: (-p.top, -p.bottom), 0.1 * em):
        upper, lower = bands
        return _cut(upper) + _cut(lower)
    return sorted(pieces, key=lambda p: (-round(p.top / em), p.left))


def _is_prose(pieces: Sequence[Piece]) -> bool:
    return sum(len(p.text) for p in pieces) > PROSE / 2 * len(pieces)


def _split(
    pieces: list[Piece], span: Callable[[Piece], tuple[float, float]], least: float
) -> tuple[list[Piece], list[Piece]] | None:
    """The pieces before and after the widest blank stripe across ``span``, or None below ``least``."""
    ordered = sorted(pieces, key=span)
    reach, widest, at = span(ordered[0])[1], least, 0
    for n, piece in enumerate(ordered[1:], 1):
        start, end = span(piece)
        if start - reach > widest:
            widest, at = start - reach, n
        reach = max(reach, end)
    return (ordered[:at], ordered[at:]) if at else None
