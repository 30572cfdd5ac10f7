"""How many of what was found each filter would leave. Pure but for the folders' names: one query."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from search.asked import PERIODS, UNFILED, Asked
from search.candidates import Candidate
from skills.models import Skill
from skills.paths import paths

MOST_FOLDERS = 12
PERIOD_NAMES = {"": _("Any time"), "month": _("Past month"), "year": _("Past year")}


@dataclass(frozen=True)
class Choice:
    """One value of a filter."""

    value: str
    name: str | Promise
    count: int | None
    chosen: bool


@dataclass(frozen=True)
class Facet:
    """One filter. ``kind`` is checkbox or radio; ``field`` is its name in the address."""

    field: str
    name: str | Promise
    choices: list[Choice] = dataclasses.field(default_factory=list)
    kind: str = "checkbox"


Labels = Sequence[tuple[str, str | Promise]]


class _Count:
    """The candidates, and which of them each filter keeps."""

    def __init__(self, asked: Asked, found: Sequence[Candidate], now: datetime) -> None:
        self.asked, self.found = asked, found
        self.places = paths(candidate.folder_id for candidate in found)
        self.since = {period: now - length for period, length in PERIODS.items()}

    def folders(self, candidate: Candidate) -> list[str]:
        """The folders that hold it, from the top; or unfiled."""
        steps = self.places[candidate.folder_id]
        return [str(step.id) for step in steps] if candidate.folder_id else [UNFILED]

    def kept(self, candidate: Candidate, but: str) -> bool:
        """Whether every filter except ``but`` keeps it."""
        asked = self.asked
        checks: dict[str, Callable[[], bool]] = {
            "folder": lambda: not asked.folders or not set(asked.folders).isdisjoint(self.folders(candidate)),
            "type": lambda: not asked.types or candidate.type in asked.types,
            "category": lambda: not asked.categories or candidate.category in asked.categories,
            "updated": lambda: not asked.updated or candidate.updated_at >= self.since[asked.updated],
        }
        return all(check() for name, check in checks.items() if name != but)

    def of(self, but: str, values: Callable[[Candidate], Iterable[str]]) -> Counter[str]:
        """How often each value occurs among what the other filters keep."""
        return Counter(value for one in self.found if self.kept(one, but) for value in values(one))


def _folders(count: _Count) -> Facet:
    """Top folders that hold something found, the fullest first, and the chosen ones wherever they are."""
    asked = count.asked
    counts = count.of("folder", count.folders)
    names: dict[str, str | Promise] = {UNFILED: _("Unfiled")}
    names |= {str(step.id): step.name for steps in count.places.values() for step in steps}
    top = {count.folders(one)[0] for one in count.found if count.folders(one)}
    shown = [f for f, _n in counts.most_common() if f in top or f in asked.folders][:MOST_FOLDERS]
    shown += [folder for folder in asked.folders if folder not in shown]
    choices = [Choice(f, names.get(f, "…"), counts[f], f in asked.folders) for f in shown]
    return Facet("folder", _("Folder"), choices)


def _kinds(facet: Facet, labels: Labels, counts: Counter[str], chosen: Sequence[str]) -> Facet:
    """``facet`` with a choice for each label that was found or is chosen."""
    shown = [(value, label) for value, label in labels if counts[value] or value in chosen]
    facet.choices.extend(Choice(value, label, counts[value], value in chosen) for value, label in shown)
    return facet


def _periods(count: _Count) -> Facet:
    counts = count.of(
        "updated", lambda one: [period for period, since in count.since.items() if one.updated_at >= since]
    )
    choices = [
        Choice(period, name, counts[period] if period else None, period == count.asked.updated)
        for period, name in PERIOD_NAMES.items()
    ]
    return Facet("updated", _("Updated"), choices, kind="radio")


def facets(asked: Asked, found: Sequence[Candidate], now: datetime) -> list[Facet]:
    """The filters with counts over ``found``, what the query alone finds. One query, or none."""
    count = _Count(asked, found, now)
    types = count.of("type", lambda one: [one.type])
    categories = count.of("category", lambda one: [one.category])
    made = [
        _folders(count),
        _kinds(Facet("type", _("Type")), Skill.Type.choices, types, asked.types),
        _kinds(Facet("category", _("Category")), Skill.Category.choices, categories, asked.categories),
        _periods(count),
    ]
    return [facet for facet in made if facet.choices]
