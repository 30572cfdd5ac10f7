"""Dividing a rectangle among weights, and putting points into a rectangle row by row.

Pure and deterministic. Lengths have no unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEP_UP = 1.3


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float
    w: float
    h: float

    def inside(self, top: float, around: float) -> Rect:
        """What is left within margins, never less than nothing."""
        w, h = max(self.w - 2 * around, 0.0), max(self.h - top - around, 0.0)
        return Rect(self.x + around, self.y + top, w, h)

    def rounded(self) -> Rect:
        """To hundredths: short to write, and too little to see."""
        return Rect(round(self.x, 2), round(self.y, 2), round(self.w, 2), round(self.h, 2))


def room_for(count: int) -> int:
    """``count`` or somewhat more, in steps of 30 %: what has this much room grows without moving others."""
    if count <= 3:
        return count
    return math.ceil(3 * STEP_UP ** math.ceil(math.log(count / 3, STEP_UP) - 1e-9))


def divide(rect: Rect, weights: Sequence[float]) -> list[Rect]:
    """A part of ``rect`` for each weight, in proportion, near to square ("squarified", Bruls 2000).

    The largest lie upper left; equal ones keep their order.
    """
    order = sorted(range(len(weights)), key=lambda n: -weights[n])
    scale = rect.w * rect.h / (sum(weights) or 1.0)
    sizes = [max(weights[n] * scale, 1e-9) for n in order]
    parts: list[Rect] = []
    start = 0
    while start < len(sizes):
        side = max(min(rect.w, rect.h), 1e-6)
        end = _row_end(sizes, start, side)
        row, rect = _row(sizes[start:end], rect)
        parts += row
        start = end
    placed = dict(zip(order, parts, strict=True))
    return [placed[n] for n in range(len(weights))]


def _row_end(sizes: Sequence[float], start: int, side: float) -> int:
    """Up to where sizes share a row: as long as its worst shape gets better."""
    total, worst, end = 0.0, math.inf, start
    while end < len(sizes):
        grown = total + sizes[end]
        shape = max(side**2 * sizes[start] / grown**2, grown**2 / (side**2 * sizes[end]))
        if shape > worst:
            break
        total, worst, end = grown, shape, end + 1
    return end


def _row(sizes: Sequence[float], rect: Rect) -> tuple[list[Rect], Rect]:
    """A row along the shorter side, and what remains of the rectangle."""
    total = sum(sizes)
    along = 0.0
    parts = []
    if rect.w >= rect.h:
        wide = total / max(rect.h, 1e-6)
        for size in sizes:
            parts.append(Rect(rect.x, rect.y + along, wide, size / wide))
            along += size / wide
        return parts, Rect(rect.x + wide, rect.y, max(rect.w - wide, 0.0), rect.h)
    high = total / max(rect.w, 1e-6)
    for size in sizes:
        parts.append(Rect(rect.x + along, rect.y, size / high, high))
        along += size / high
    return parts, Rect(rect.x, rect.y + high, rect.w, max(rect.h - high, 0.0))


def columns(rect: Rect, room: int, shape: float, largest: tuple[float, float]) -> tuple[int, float, float]:
    """How to put ``room`` cells about ``shape`` times as wide as high into ``rect``, column by column.

    Returns rows a column, and a cell's width and height, at most ``largest``.
    """
    best = (1, 0.0, 0.0)
    least = math.inf
    for count in range(1, room + 1):
        rows = math.ceil(room / count)
        w, h = min(rect.w / count, largest[0]), min(rect.h / rows, largest[1])
        off = abs(math.log(max(w, 1e-9) / max(h, 1e-9) / shape)) - 2 * math.log(max(w * h, 1e-9))
        if off < least:
            best, least = (rows, w, h), off
        if w < h:
            break
    return best
