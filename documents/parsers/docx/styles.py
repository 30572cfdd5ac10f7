"""What a paragraph's style says about it: heading level, numbering, whether it is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from documents.parsers.docx.package import Element, Part, W, number, value

HEADING = re.compile(r"^(?:heading|标题|überschrift|titre|título)\s*(\d)$", re.IGNORECASE)
HEADING_ID = re.compile(r"^heading(\d)$", re.IGNORECASE)
TITLES = {"title", "标题", "titel"}
BODY_LEVEL = 9
DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Style:
    """``level`` counts headings from 1, 0 is the title, None is body text; ``numbering`` is a list's id
    and the level in it."""

    level: int | None = None
    numbering: tuple[str | None, int | None] | None = None


class Styles:
    """Paragraph styles by id, with what they inherit."""

    def __init__(self, part: Part | None) -> None:
        self.elements: dict[str, Element] = {}
        if part is not None:
            for element in part.root.iterfind(f"{W}style"):
                self.elements[value(element, "styleId") or ""] = element
        self.known: dict[str, Style] = {}

    def of(self, style_id: str | None) -> Style:
        """The style of that id; body text where it is unknown, headings told by their id then."""
        if not style_id:
            return Style()
        if style_id not in self.known:
            self.known[style_id] = self._resolve(style_id)
        return self.known[style_id]

    def _resolve(self, style_id: str) -> Style:
        level: int | None = None
        numbering: tuple[str | None, int | None] | None = None
        current: str | None = style_id
        for _ in range(DEEPEST):
            element = self.elements.get(current or "")
            if element is None:
                level = level if level is not None else _level_of_id(current)
                break
            own = _level(element)
            level = level if level is not None else own
            numbering = numbering or numbering_of(element.find(f"{W}pPr"))
            current = value(element.find(f"{W}basedOn"))
            if current is None:
                break
        return Style(None if level == BODY_LEVEL + 1 else level, numbering)


def outline_level(properties: Element | None) -> int | None:
    """The heading level that paragraph properties state, from 1; 10 for body text; None for neither."""
    stated = number(properties.find(f"{W}outlineLvl")) if properties is not None else None
    return None if stated is None else stated + 1


def numbering_of(properties: Element | None) -> tuple[str | None, int | None] | None:
    """The list and the level in it that paragraph properties state."""
    numbered = properties.find(f"{W}numPr") if properties is not None else None
    if numbered is None:
        return None
    return value(numbered.find(f"{W}numId")), number(numbered.find(f"{W}ilvl"))


def _level(style: Element) -> int | None:
    name = (value(style.find(f"{W}name")) or "").strip()
    if match := HEADING.match(name):
        return int(match[1])
    if name.lower() in TITLES:
        return 0
    return outline_level(style.find(f"{W}pPr"))


def _level_of_id(style_id: str | None) -> int | None:
    if style_id and style_id.lower() in TITLES:
        return 0
    match = HEADING_ID.match(style_id or "")
    return int(match[1]) if match else None
