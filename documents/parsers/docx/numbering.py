"""List numbers as Word shows them: counted through the whole document, whatever stands between."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.parsers.docx.figures import figure
from documents.parsers.docx.package import Element, Part, W, is_on, number, value

LEVELS = 9


@dataclass(slots=True)
class Level:
    """How one level of a list counts and looks."""

    format: str = "decimal"
    text: str = ""
    start: int = 1
    restarts_after: int | None = None
    all_decimal: bool = False


@dataclass(slots=True)
class List:
    """A list's levels, where its count is kept (``family``), and starts it sets anew."""

    family: str
    levels: dict[int, Level]
    restarts: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before an item: a bullet, or a number as text."""

    text: str
    is_bullet: bool


class Numbering:
    """Counts every numbered paragraph in document order."""

    def __init__(self, part: Part | None) -> None:
        self.lists: dict[str, List] = {}
        self.counts: dict[str, list[int | None]] = {}
        self.begun: set[tuple[str, int]] = set()
        if part is not None:
            self._load(part.root)

    def _load(self, root: Element) -> None:
        families: dict[str, dict[int, Level]] = {}
        links: dict[str, str] = {}
        by_style: dict[str, str] = {}
        for abstract in root.iterfind(f"{W}abstractNum"):
            id = value(abstract, "abstractNumId") or ""
            families[id] = dict(map(_level, abstract.iterfind(f"{W}lvl")))
            if link := value(abstract.find(f"{W}numStyleLink")):
                links[id] = link
            if style := value(abstract.find(f"{W}styleLink")):
                by_style[style] = id
        for element in root.iterfind(f"{W}num"):
            family = value(element.find(f"{W}abstractNumId")) or ""
            family = by_style.get(links.get(family, ""), family)
            made = List(family, dict(families.get(family, {})))
            for override in element.iterfind(f"{W}lvlOverride"):
                _override(made, override)
            self.lists[value(element, "numId") or ""] = made

    def label(self, list_id: str | None, level: int) -> Label | None:
        """The label of the next item of that list and level; None when it has none."""
        found = self.lists.get(list_id or "")
        if found is None or list_id == "0":
            return None
        level = min(level, LEVELS - 1)
        shape = found.levels.get(level, Level())
        counts = self.counts.setdefault(found.family, [None] * LEVELS)
        self._count(list_id or "", found, level, counts)
        if shape.format == "bullet":
            return Label("", is_bullet=True)
        text = _filled(shape, found, counts)
        return Label(text, is_bullet=False) if text else None

    def _count(self, list_id: str, found: List, level: int, counts: list[int | None]) -> None:
        for above in range(level):
            if counts[above] is None:
                counts[above] = found.levels.get(above, Level()).start
        start = found.levels.get(level, Level()).start
        anew = found.restarts.get(level)
        if anew is not None and (list_id, level) not in self.begun:
            counts[level] = anew
        else:
            before = counts[level]
            counts[level] = start if before is None else before + 1
        self.begun.add((list_id, level))
        for below in range(level + 1, LEVELS):
            after = found.levels.get(below, Level()).restarts_after
            if after is None or level < after:
                counts[below] = None


def _level(element: Element) -> tuple[int, Level]:
    restart = number(element.find(f"{W}lvlRestart"))
    start = number(element.find(f"{W}start"))
    level = Level(
        format=value(element.find(f"{W}numFmt")) or "decimal",
        text=value(element.find(f"{W}lvlText")) or "",
        start=1 if start is None else start,
        restarts_after=restart,
        all_decimal=is_on(element.find(f"{W}isLgl")),
    )
    return number(element, "ilvl") or 0, level


def _override(made: List, override: Element) -> None:
    n = number(override, "ilvl") or 0
    if (own := override.find(f"{W}lvl")) is not None:
        made.levels[n] = _level(own)[1]
    if (start := number(override.find(f"{W}startOverride"))) is not None:
        made.restarts[n] = start


def _filled(shape: Level, found: List, counts: list[int | None]) -> str:
    text = shape.text
    for n in range(LEVELS):
        place = f"%{n + 1}"
        if place in text:
            own = found.levels.get(n, Level())
            format = "decimal" if shape.all_decimal else own.format
            count = counts[n]
            text = text.replace(place, figure(own.start if count is None else count, format))
    return text.strip()
