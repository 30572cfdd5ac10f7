"""The picture of a whole base: folders as areas within areas, skills as dots in columns.

The same base makes the same picture. An area has room for some more, so that a new skill moves
only those after it in its own folder until that room is full.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from skills.graph.fetch import Edge, Node
from skills.graph.treemap import Rect, columns, divide, room_for

type Points = list[tuple[float, float]]
"""One x and y for each node."""
type FolderRow = tuple[uuid.UUID, uuid.UUID | None, str]
"""A folder's id, its parent's, and its name, in the tree's order."""

LEVELS = 3
WIDE, HIGH = 1080.0, 760.0
FULL, SMALLEST = 150, 0.4  # skills that fill that size; a picture of fewer is smaller, and shown larger
SHAPES = ((600, 4.0), (10**9, 2.2))  # up to so many skills: how much wider than high a place is
LARGEST_CELL = (190.0, 34.0)
HEADING = 20.0
LEAST_WEIGHT = 2.5
MARGINS = (7.0, 5.0, 4.0)


@dataclass(slots=True)
class Area:
    """A folder in the picture; ``id`` None is what lies in no folder. ``level`` is 0 at the top.

    ``dots`` are places in the list of nodes, in the list's order. ``count`` includes areas within;
    ``middle`` is the middle of all their dots.
    """

    id: uuid.UUID | None
    name: str
    level: int = 0
    dots: list[int] = field(default_factory=list)
    within: list[Area] = field(default_factory=list)
    count: int = 0
    weight: float = 0.0
    rect: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))

    middle: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is. ``cells`` are how wide and high each dot's place is; ``above`` the chain of
    areas of each node, the outermost first. ``box`` is x, y, width, height.
    """

    points: Points
    cells: Points
    areas: list[Area]
    above: list[list[Area]]
    box: tuple[float, float, float, float]


def area_tree(nodes: Sequence[Node], folders: Iterable[FolderRow], unfiled: str) -> list[Area]:
    """The areas that hold ``nodes``, the top ones, in the tree's order; what is unfiled comes last.

    Folders more than three deep share the area of the one above them; a folder that holds
    nothing but one other folder shares one area with it.
    """
    rows = list(folders)
    known = {id_: (parent, name) for id_, parent, name in rows}
    own: dict[uuid.UUID | None, list[int]] = {}
    in_order = sorted(range(len(nodes)), key=lambda n: (nodes[n].priority, nodes[n].name, nodes[n].id))
    for n in in_order:
        folder = nodes[n].folder_id
        own.setdefault(folder if folder in known else None, []).append(n)
    needed: set[uuid.UUID] = set()
    for folder in own:
        while folder in known and folder not in needed:
            needed.add(folder)
            folder = known[folder][0]
    areas = {id_: Area(id_, name, dots=own.get(id_, [])) for id_, _parent, name in rows if id_ in needed}
    top: list[Area] = []
    for id_, parent, _name in rows:
        if id_ in needed:
            (areas[parent].within if parent in areas else top).append(areas[id_])
    if None in own:
        top.append(Area(None, unfiled, dots=own[None]))
    return [_settled(area, 0) for area in top]


def _settled(area: Area, level: int) -> Area:
    """The area with its level, count and weight; chains are joined and what is too deep is lifted up."""
    while not area.dots and len(area.within) == 1:
        only = area.within[0]
        area = Area(only.id, f"{area.name} / {only.name}", dots=only.dots, within=only.within)
    area.level = level
    if level + 1 >= LEVELS:
        area.dots = _all_dots(area)
        area.within = []
    area.within = [_settled(inner, level + 1) for inner in area.within]
    area.count = len(area.dots) + sum(inner.count for inner in area.within)
    inside = sum(inner.weight for inner in area.within)
    area.weight = max(room_for(len(area.dots)) + inside * 1.12, LEAST_WEIGHT)
    return area


def _all_dots(area: Area) -> list[int]:
    """Its own and those of all folders below, each folder's together, in the tree's order."""
    waiting, found = [area], []
    while waiting:
        one = waiting.pop()
        found += one.dots
        waiting += reversed(one.within)
    return found


def lay_out(nodes: Sequence[Node], top: Sequence[Area]) -> Layout:
    """Places for ``nodes`` within the areas of :func:`area_tree`. About n log n."""
    points: Points = [(0.0, 0.0)] * len(nodes)
    weights = [area.weight for area in top]
    small = min(max(math.sqrt(room_for(math.ceil(sum(weights))) / FULL), SMALLEST), 1.0)
    whole = Rect(0, 0, WIDE * small, HIGH * small)
    layout = Layout(points, points[:], [], [[] for _ in nodes], (0.0, 0.0, whole.w, whole.h))
    waiting: list[tuple[Area, list[Area]]] = []
    for area, rect in zip(top, divide(whole, weights), strict=True):
        area.rect = rect.inside(3, 3).rounded()
        waiting.append((area, [area]))
    waiting.reverse()
    while waiting:
        area, chain = waiting.pop()
        layout.areas.append(area)
        for dot in area.dots:
            layout.above[dot] = chain
        _fill(area, layout)
        waiting += [(inner, [*chain, inner]) for inner in reversed(area.within)]
    for area in layout.areas:
        found = [points[n] for n in _all_dots(area)]
        area.middle = (sum(x for x, _y in found) / len(found), sum(y for _x, y in found) / len(found))
    return layout


def _fill(area: Area, layout: Layout) -> None:
    """Share the area out among its own dots and the areas within."""
    margin = min(MARGINS[area.level], area.rect.w * 0.08, area.rect.h * 0.08)
    rect = area.rect.inside(min(HEADING, area.rect.h * 0.3), margin)
    own = [float(room_for(len(area.dots)))] if area.dots else []
    parts = divide(rect, own + [inner.weight for inner in area.within])
    if area.dots:
        _put(area.dots, parts.pop(0).inside(2, 2), layout)
    for inner, part in zip(area.within, parts, strict=True):
        gap = min(2.5, part.w * 0.05, part.h * 0.05)
        inner.rect = part.inside(gap, gap).rounded()


def _put(dots: Sequence[int], rect: Rect, layout: Layout) -> None:
    shape = next(shape for most, shape in SHAPES if len(layout.points) <= most)
    rows, w, h = columns(rect, room_for(len(dots)), shape, LARGEST_CELL)
    for n, dot in enumerate(dots):
        column, row = divmod(n, rows)
        layout.points[dot] = (rect.x + column * w + min(w * 0.3, 9.0), rect.y + (row + 0.5) * h)
        layout.cells[dot] = (w, h)


def curve(layout: Layout, edge: Edge, rims: Sequence[float]) -> tuple[float, ...]:
    """The eight numbers of a cubic curve from one dot's rim to the other's.

    Edges between two folders are drawn through both folders' middles, so that they run together;
    within a folder they bend a little towards its middle. ``rims`` are the dots' radii.
    """
    start, end = layout.points[edge.source], layout.points[edge.target]
    ours, theirs = layout.above[edge.source], layout.above[edge.target]
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] is theirs[shared]:
        shared += 1
    if abs(end[0] - start[0]) < 1 and ours is theirs:  # in one column: on the side without names
        bow = 6 + min(abs(end[1] - start[1]) * 0.16, 26)
        above, below = start[0] - rims[edge.source], end[0] - rims[edge.target]
        return (above, start[1], start[0] - bow, start[1], end[0] - bow, end[1], below, end[1])
    if shared and (shared == len(ours) or shared == len(theirs)):
        one = other = ours[shared - 1].middle
        pull = 0.3
    else:
        one, other, pull = ours[shared].middle, theirs[shared].middle, 0.7
    bow = -30.0 if abs(end[0] - start[0]) < 12 else 0.0  # not straight down through the dots between
    ax, ay = start[0] + (one[0] - start[0]) * pull + bow, start[1] + (one[1] - start[1]) * pull
    bx, by = end[0] + (other[0] - end[0]) * pull + bow, end[1] + (other[1] - end[1]) * pull
    sx, sy = towards(start[0], start[1], ax, ay, rims[edge.source])
    ex, ey = towards(end[0], end[1], bx, by, rims[edge.target])
    return (sx, sy, ax, ay, bx, by, ex, ey)


def towards(x: float, y: float, to_x: float, to_y: float, distance: float) -> tuple[float, float]:
    """The point ``distance`` from (x, y) on the way to (to_x, to_y)."""
    length = math.hypot(to_x - x, to_y - y)
    part = min(distance / length, 1.0) if length else 0.0
    return x + (to_x - x) * part, y + (to_y - y) * part
