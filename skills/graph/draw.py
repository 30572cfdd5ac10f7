"""A graph as shapes: what the template writes as SVG and the script reads again from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.encoding import uri_to_iri
from django.utils.translation import pgettext

from skills.graph import areas, radial
from skills.graph.fetch import RELATION, Edge, Graph, Node
from skills.graph.words import TURNED, phrase, shorten, type_word, width

KNOWN = ("conflict", "duplicate", "subset", "complement")
LETTERS = 12.0  # units of the picture, which is about as many pixels wide without a script
MOST_LABELS = 500
LONGEST, FEWEST = 17.0, 3.5  # ems
FEW_EDGES, MANY_EDGES = 100, 1_500
RADIAL_LETTERS = 14.0
RADIAL_LONGEST = 12.0  # ems


@dataclass(frozen=True, slots=True)
class Dot:
    """A skill. ``look`` is "off" (search does not find it), "torn" (in conflict), "alone" or ""."""

    href: str
    slug: str
    name: str
    x: int
    y: int
    r: float
    look: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A name beside its dot or at the top of its area."""

    x: float
    y: float
    text: str
    anchor: str = "middle"
    look: str = ""
    href: str = ""
    full: str = ""


@dataclass(slots=True)
class Strand:
    """All edges of one type: one path of many curves, and the pairs of dots that they join."""

    type: str
    kind: str
    look: str
    word: str
    is_directed: bool
    curves: list[str] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)

    @property
    def d(self) -> str:
        """The path."""
        return "".join(self.curves)

    @property
    def count(self) -> int:
        """How many edges."""
        return len(self.curves)


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that is drawn. Lengths are units of the picture; ``letters`` is the size of its labels."""

    box: tuple[float, float, float, float]
    letters: float
    dots: list[Dot]
    strands: list[Strand]
    labels: list[Label]
    areas: list[areas.Area] = field(default_factory=list)
    notes: list[Label] = field(default_factory=list)
    is_radial: bool = False

    @property
    def crowd(self) -> str:
        """ "few", "" or "many" edges: the more there are, the fainter each is drawn."""
        count = sum(strand.count for strand in self.strands)
        return "few" if count <= FEW_EDGES else "many" if count > MANY_EDGES else ""

    @property
    def view_box(self) -> str:
        """The SVG's ``viewBox``."""
        return " ".join(f"{value:.0f}" for value in self.box)

    @property
    def names(self) -> list[dict[str, Any]]:
        """The areas' names, for the script to place at other sizes."""
        return [
            {"name": " ".join(area.name.split()), "level": area.level, "href": _address(area)}
            for area in self.areas
        ]

    @property
    def data(self) -> list[dict[str, Any]]:
        """What the script needs besides the shapes."""
        return [
            {
                "type": strand.look,
                "word": strand.word,
                "out": phrase(_out(strand)),
                "in": phrase(TURNED.get(_out(strand), _out(strand))),
                "link": strand.kind != RELATION,
                "directed": strand.is_directed,
                "pairs": strand.pairs,
            }
            for strand in self.strands
        ]


def _out(strand: Strand) -> str:
    return strand.type if strand.kind == RELATION else "out"


def _look(node: Node, torn: set[int], n: int) -> str:
    if not node.is_findable:
        return "off"
    return "torn" if n in torn else "" if node.degree else "alone"


def _dots(graph: Graph, points: areas.Points, rims: Sequence[float]) -> list[Dot]:
    torn = {n for edge in graph.edges if edge.type == "conflict" for n in (edge.source, edge.target)}
    base = uri_to_iri(reverse("skills:skill", args=["~"]))
    before, _slug, after = base.partition("~")
    return [
        Dot(
            f"{before}{node.slug.replace('%', '%25').replace('?', '%3F').replace('#', '%23')}{after}",
            node.slug,
            node.name,
            round(points[n][0]),
            round(points[n][1]),
            rims[n],
            _look(node, torn, n),
            graph.steps[n] if graph.steps else 0,
        )
        for n, node in enumerate(graph.nodes)
    ]


def _strands(edges: Iterable[Edge], curve: Callable[[Edge], Sequence[float]]) -> list[Strand]:
    """The edges by type: relations first, the known ones in a set order; links last."""
    found: dict[tuple[str, str], Strand] = {}
    for edge in edges:
        key = (edge.kind, edge.type)
        if key not in found:
            look = "link" if edge.kind != RELATION else edge.type if edge.type in KNOWN else "other"
            found[key] = Strand(edge.type, edge.kind, look, type_word(*key), edge.is_directed)
        found[key].curves.append(_path(curve(edge)))
        found[key].pairs += (edge.source, edge.target)
    order = {name: n for n, name in enumerate(KNOWN)}
    return sorted(
        found.values(), key=lambda strand: (strand.kind != RELATION, order.get(strand.type, 9), strand.type)
    )


def _path(numbers: Sequence[float]) -> str:
    """The curve in whole units, relative to where it starts: short."""
    x, y = round(numbers[0]), round(numbers[1])
    rest = [round(value) - (y if n % 2 else x) for n, value in enumerate(numbers[2:])]
    return f"M{x} {y}c" + " ".join(str(value) for value in rest)


def whole(graph: Graph, folders: Iterable[areas.FolderRow], unfiled: str) -> Picture:
    """The picture of a base or a folder: areas with dots in them."""
    layout = areas.lay_out(graph.nodes, areas.area_tree(graph.nodes, folders, unfiled))
    rims = [
        round(min(2.6 + 0.9 * math.sqrt(min(node.degree, 30)), cell[1] * 0.4, cell[0] * 0.3), 1)
        for node, cell in zip(graph.nodes, layout.cells, strict=True)
    ]
    dots = _dots(graph, layout.points, rims)
    rooms = [cell[0] - rim - LETTERS * 0.6 for cell, rim in zip(layout.cells, rims, strict=True)]
    return Picture(
        box=layout.box,
        letters=LETTERS,
        dots=dots,
        strands=_strands(graph.edges, lambda edge: areas.curve(layout, edge, rims)),
        labels=_placed(_area_labels(layout.areas), _dot_labels(graph, dots, rooms)),
        areas=layout.areas,
    )


def _area_labels(found: Sequence[areas.Area]) -> list[Label]:
    """The names of areas that are wide enough for a few letters, the largest first."""
    labels = []
    for area in sorted(found, key=lambda area: (area.level, -area.weight)):
        room = (area.rect.w - 2 * areas.MARGINS[0]) / LETTERS
        if room >= min(width(area.name), 4) and area.rect.h >= areas.HEADING:
            text, look = shorten(area.name, room), f"area-{area.level}"
            x, y = area.rect.x + areas.MARGINS[0], area.rect.y + LETTERS * 1.25
            labels.append(
                Label(
                    round(x, 1), round(y, 1), text, "start", look, _address(area), f"{area.name} {area.count}"
                )
            )
    return labels


def _address(area: areas.Area) -> str:
    return f"{reverse('skills:graph')}?folder={area.id or 'unfiled'}"


def _dot_labels(graph: Graph, dots: Sequence[Dot], rooms: Sequence[float]) -> Iterable[Label]:
    """A name right of each dot that has room for a few letters there, the most linked first."""
    order = sorted(range(len(dots)), key=lambda n: (-graph.nodes[n].degree, -graph.nodes[n].uses, n))
    for n in order:
        ems = min(rooms[n] / LETTERS, LONGEST)
        if ems >= FEWEST:
            x, y = dots[n].x + dots[n].r + LETTERS * 0.35, dots[n].y + LETTERS * 0.35
            yield Label(round(x, 1), round(y, 1), shorten(dots[n].name, ems), "start")


def _placed(first: Sequence[Label], rest: Iterable[Label]) -> list[Label]:
    """Those labels that cover none before them, at most ``MOST_LABELS``."""
    taken: dict[int, list[tuple[float, float]]] = {}
    placed = []
    for label in [*first, *rest]:
        left, right = label.x, label.x + width(label.text) * LETTERS
        rows = range(int((label.y - LETTERS * 0.9) // 6), int((label.y + LETTERS * 0.2) // 6) + 1)
        if any(a < right and left < b for row in rows for a, b in taken.get(row, ())):
            continue
        for row in rows:
            taken.setdefault(row, []).append((left, right))
        placed.append(label)
        if len(placed) == MOST_LABELS:
            break
    return placed


def near(graph: Graph) -> Picture:
    """The picture of a neighbourhood: every dot has its name beside it."""
    points, box = radial.lay_out(graph)
    rims = [11.0 if step == 0 else 6.5 if step == 1 else 5.0 for step in graph.steps]
    dots = _dots(graph, points, rims)
    reaches = [
        dot.r + 12 + width(shorten(dot.name, RADIAL_LONGEST)) * RADIAL_LETTERS if dot.step else dot.r
        for dot in dots
    ]
    return Picture(
        box=box,
        letters=RADIAL_LETTERS,
        dots=dots,
        strands=_strands(graph.edges, lambda edge: radial.curve(points, edge, rims, reaches)),
        labels=[_name_beside(dot) for dot in dots],
        notes=list(_notes(graph, dots)),
        is_radial=True,
    )


def _name_beside(dot: Dot) -> Label:
    if dot.step == 0:
        return Label(
            dot.x, round(dot.y + dot.r + RADIAL_LETTERS * 1.8, 1), shorten(dot.name, 22), look="centre"
        )
    gap = dot.r + 6
    text = shorten(dot.name, RADIAL_LONGEST)
    y = dot.y + RADIAL_LETTERS * 0.35
    x = round(dot.x + (gap if dot.x >= 0 else -gap), 1)
    return Label(x, round(y, 1), text, anchor="start" if dot.x >= 0 else "end")


def _notes(graph: Graph, dots: Sequence[Dot]) -> Iterable[Label]:
    """What each edge of the centre is called, before the dot it leads to; one line a dot."""
    words: dict[int, list[str]] = {}
    for edge in graph.edges:
        if 0 in (edge.source, edge.target):
            kind = edge.type if edge.kind == RELATION else "out"
            turned = edge.target == 0
            words.setdefault(edge.source + edge.target, []).append(
                phrase(TURNED.get(kind, kind) if turned else kind)
            )
    comma = pgettext("between names", ", ")
    for n, found in words.items():
        dot, side = dots[n], 1 if dots[n].x >= 0 else -1
        yield Label(
            round(dot.x - side * (dot.r + 9), 1),
            dot.y - 3.5,
            shorten(comma.join(dict.fromkeys(found)), 11),
            anchor="end" if side > 0 else "start",
        )
