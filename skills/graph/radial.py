"""The picture of a neighbourhood: the skill in the middle, its neighbours on both sides of it.

Every name has a line of its own beside its dot, so that none covers another however many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from skills.graph.areas import Points
from skills.graph.fetch import Edge, Graph

LINE = 26.0
FIRST, BETWEEN, NAME = 165.0, 245.0, 190.0
FEW = 6


def _nearest_parent(graph: Graph) -> dict[int, int]:
    """For each node two steps away, the first node one step away that it hangs on."""
    parents: dict[int, int] = {}
    for edge in graph.edges:
        for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
            if graph.steps[near] == 1 and graph.steps[far] == 2:
                parents[far] = min(near, parents.get(far, near))
    return parents


def sides(graph: Graph) -> tuple[list[int], list[int]]:
    """The nodes one step away, shared out to right and left so that both need about as many lines."""
    parents = _nearest_parent(graph)
    children: dict[int, int] = {}
    for parent in parents.values():
        children[parent] = children.get(parent, 0) + 1
    first = [n for n, step in enumerate(graph.steps) if step == 1]
    if len(first) <= 2:
        return first[:1], first[1:]
    lines = [max(children.get(n, 0), 1) for n in first]
    half, taken = sum(lines) / 2, 0.0
    for place, count in enumerate(lines):
        if place and taken + count / 2 > half:
            return first[:place], first[place:]
        taken += count
    return first, []


def lay_out(graph: Graph) -> tuple[Points, tuple[float, float, float, float]]:
    """Where each node is, and the box x, y, width, height that holds dots and names."""
    points: Points = [(0.0, 0.0)] * len(graph.nodes)
    parents = _nearest_parent(graph)
    for side, first in zip((1, -1), sides(graph), strict=True):
        _one_side(points, side, first, parents)
    far = max(graph.steps, default=0)
    reach = FIRST + BETWEEN * max(far - 1, 0) + NAME if far else 260
    tall = max(max((abs(y) for _x, y in points), default=0.0) + 2 * LINE, 170)
    width = max(max((abs(x) for x, _y in points), default=0.0) + NAME, reach)
    return points, (-width, -tall, 2 * width, 2 * tall)


def _one_side(points: Points, side: int, first: Sequence[int], parents: dict[int, int]) -> None:
    second = {n: sorted(far for far, near in parents.items() if near == n) for n in first}
    lines = [max(len(second[n]), 1) for n in first]
    room = LINE * (1.6 if sum(lines) <= FEW else 1.0)
    total = sum(lines)
    taken = 0
    tall = max(total * room / 2, 1.0)
    for n, count in zip(first, lines, strict=True):
        middle = (taken + count / 2 - total / 2) * room
        points[n] = (side * (FIRST + _bow(middle, tall)), middle)
        for place, far in enumerate(second[n]):
            y = (taken + place + 0.5 - total / 2) * room
            points[far] = (side * (FIRST + BETWEEN + _bow(y, tall)), y)
        taken += count


def _bow(y: float, tall: float) -> float:
    """How far a line is drawn in towards the middle, so that the ends of a column lie on an arc."""
    part = min(abs(y) / tall, 1.0)
    return -min(tall * 0.35, 90.0) * (1 - math.sqrt(1 - part * part * 0.9))


def curve(points: Points, edge: Edge, rims: Sequence[float], reaches: Sequence[float]) -> tuple[float, ...]:
    """The eight numbers of a cubic curve between two dots, level at both ends.

    ``reaches`` says how far each dot and its name reach outwards: lines outwards begin after the name.
    """
    (sx, sy), (ex, ey) = points[edge.source], points[edge.target]
    if abs(ex - sx) < 60:  # in one column: round the inner side, clear of the names
        bend = 40 + min(abs(ey - sy) * 0.2, 80)
        bend = -bend if sx > 0 else bend
        inner = math.copysign(1, bend)
        start, end = sx + inner * rims[edge.source], ex + inner * rims[edge.target]
        return (start, sy, sx + bend, sy, ex + bend, ey, end, ey)
    start = sx + _leave(sx, ex, rims[edge.source], reaches[edge.source])
    end = ex + _leave(ex, sx, rims[edge.target], reaches[edge.target])
    half = (end - start) * 0.5
    return (start, sy, start + half, sy, end - half, ey, end, ey)


def _leave(x: float, to: float, rim: float, reach: float) -> float:
    """How far from a dot's middle a line to ``to`` begins."""
    ahead = math.copysign(1, to - x)
    return ahead * (reach if x and ahead == math.copysign(1, x) and abs(to) > abs(x) + reach else rim)
