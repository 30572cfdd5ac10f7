"""What a search gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from uuid import UUID

from django.utils.functional import Promise

from search.highlight import Mark, Snippet, marks, snippet
from skills.models import Skill
from skills.paths import Step

Mode = Literal["hybrid", "layered", "keyword"]
MatchedBy = Literal["semantic", "lexical", "both", "name", "text"]


@dataclass(frozen=True, slots=True)
class Scores:
    """A hit's scores. ``l0``, ``l1`` and ``passage`` are calibrated (or cosines, by setting) and None
    without a vector; ``lexical`` is the share of the query its words cover, 0 to 1; ``final`` ranks."""

    l0: float | None
    l1: float | None
    passage: float | None
    semantic: float | None
    hotness: float
    lexical: float
    final: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One row of the explanation: a leg's value, its weight, and what it adds to the sum."""

    name: str | Promise
    value: float
    weight: float
    layer: int | None = None

    @property
    def adds(self) -> float:
        """value · weight."""
        return self.value * self.weight

    @property
    def bar(self) -> int:
        """The value as a share of a full bar, 0 to 100."""
        return round(100 * min(max(self.value, 0.0), 1.0))


@dataclass(frozen=True)
class HitPassage:
    """A passage of a hit. ``start`` and ``end`` are characters of the skill's content."""

    id: UUID
    text: str
    heading: str
    page: int | None
    start: int
    end: int
    score: float
    terms: Mapping[str, float] = field(repr=False, default_factory=dict)

    @cached_property
    def marks(self) -> list[Mark]:
        """Where the query's words stand in ``text``: (start, end) in characters, sorted, apart."""
        return marks(self.text, self.terms)


@dataclass
class Hit:
    """A skill that was found. ``path`` is its folders from the top; ``layer`` is where it matched best.

    ``passages`` are up to three, best first. ``score`` is ``scores.final`` as shown: 0 to 1. ``shown``
    is the text that two lines are taken from, ``terms`` what is marked in it.
    """

    skill: Skill
    path: list[Step]
    score: float
    scores: Scores
    matched_by: MatchedBy
    layer: int
    shown: str
    terms: Mapping[str, float] = field(repr=False)
    passages: list[HitPassage] = field(default_factory=list)
    legs: list[Leg] = field(default_factory=list)
    sentence: str = ""

    @cached_property
    def snippet(self) -> Snippet:
        """Two lines of what matched, with marks."""
        return snippet(self.shown, self.terms)

    @property
    def bar(self) -> int:
        """The score as a share of a full bar, 0 to 100."""
        return round(100 * self.score)


@dataclass
class Results:
    """The hits, best first. ``total`` counts the relevant candidates, more than are shown.

    ``found`` is False when nothing among them is about the query. ``notes`` are sentences for
    people about how it was searched.
    """

    query: str
    mode: Mode
    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    found: bool = False
    took_ms: float = 0.0
    notes: list[str] = field(default_factory=list)
