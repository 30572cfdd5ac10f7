"""What a list's address asks for, read leniently; and how the list says so."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date

from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills.listing import INDEX, NOT_READY, SPANS, Filters, day_of
from skills.models import Skill
from skills.order import ORDERS
from skills.paths import Step

UNFILED = "unfiled"
HERE = "here"
MOST_TAGS = 10
LONGEST = 200

SPAN_WORDS = {
    "today": gettext_lazy("Today"),
    "7d": gettext_lazy("Last 7 days"),
    "30d": gettext_lazy("Last 30 days"),
}
INDEX_WORDS = {
    "ready": gettext_lazy("Indexed"),
    NOT_READY: gettext_lazy("Not indexed"),
    "failed": gettext_lazy("Indexing failed"),
}


@dataclass(frozen=True)
class Asked:
    """What an address asks a list for. ``ignored`` are the parts that make no sense, as ``name=value``."""

    filters: Filters
    order: str = "path"
    ignored: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The folder as addresses carry it; "" for all."""
        return UNFILED if self.filters.unfiled else str(self.filters.folder_id or "")


@dataclass(frozen=True, slots=True)
class Chip:
    """One thing that narrows the list. ``without`` is the address's query without it."""

    name: str
    label: str
    value: str
    without: str


@dataclass
class _Reader:
    """Reads one parameter after the other; what it can't read it remembers and leaves out."""

    given: QueryDict
    ignored: list[str] = field(default_factory=list)

    def read[T](self, name: str, reading: Callable[[str], T], nothing: T) -> T:
        values = [value for one in self.given.getlist(name) if (value := one.replace("\0", "").strip())]
        if not values:
            return nothing
        value = values[-1]  # A date that is typed beats the span chosen beside it.
        try:
            return reading(value)
        except (ValueError, InvalidInput):
            self.ignored.append(f"{name}={value[:60]}")
            return nothing

    def choice(self, name: str, choices: list[str]) -> str:
        def one_of(value: str) -> str:
            if value not in choices:
                raise ValueError(value)
            return value

        return self.read(name, one_of, "")


def _day(value: str) -> str:
    day_of(value)
    return value


def asked(given: QueryDict) -> Asked:
    """What the address's query asks for; never raises."""
    reader = _Reader(given)
    is_unfiled = given.get("folder") == UNFILED
    tags = [word for tag in given.getlist("tag")[:MOST_TAGS] if (word := " ".join(tag.split())[:LONGEST])]
    filters = Filters(
        folder_id=None if is_unfiled else reader.read("folder", uuid.UUID, None),
        unfiled=is_unfiled,
        recursive=given.get("only") != HERE,
        type=reader.choice("type", Skill.Type.values),
        category=reader.choice("category", Skill.Category.values),
        status=reader.choice("status", Skill.Status.values),
        tags=tuple(dict.fromkeys(tag.replace("\0", "") for tag in tags)),
        author=reader.read("author", uuid.UUID, None),
        since=reader.read("since", _day, ""),
        until=reader.read("until", _day, ""),
        index=reader.choice("index", list(INDEX)),
        q=given.get("q", "").replace("\0", "").strip()[:LONGEST],
    )
    order = reader.choice("order", list(ORDERS)) or "path"
    return Asked(filters, order, reader.ignored)


def chips(given: QueryDict, asked: Asked, path: list[Step], author: User | None) -> list[Chip]:
    """What narrows the list besides the order, each with the address that takes it away."""
    return [
        Chip(name, label, value, _without(given, name, of))
        for name, label, value, of in _narrowings(asked, path, author)
    ]


def _narrowings(asked: Asked, path: list[Step], author: User | None) -> Iterator[tuple[str, str, str, str]]:
    """Parameter, its label, its value for people, and the value to take away ("": all of it)."""
    filters = asked.filters
    yield from _place(asked, path)
    kinds = (
        ("type", _("Type"), filters.type, Skill.Type.choices),
        ("category", _("Category"), filters.category, Skill.Category.choices),
        ("status", _("Status"), filters.status, Skill.Status.choices),
        ("index", _("Index"), filters.index, INDEX_WORDS.items()),
    )
    for name, label, value, words in kinds:
        if value:
            yield name, label, str(dict(words)[value]), ""
    for tag in filters.tags:
        yield "tag", _("Tag"), tag, tag
    if filters.author:
        yield "author", _("Author"), str(author) if author else _("somebody else"), ""
    for name, label, day in (
        ("since", _("Changed since"), filters.since),
        ("until", _("Changed until"), filters.until),
    ):
        if day:
            yield name, label, _shown_day(day), ""


def _place(asked: Asked, path: list[Step]) -> Iterator[tuple[str, str, str, str]]:
    filters = asked.filters
    if asked.folder:
        here = _("Unfiled") if filters.unfiled else path[-1].name if path else _("Root folder")
        yield "folder", _("Folder"), here, ""
    if filters.folder_id and not filters.recursive:
        yield "only", _("Sub-folders"), _("left out"), ""
    if filters.q:
        yield "q", _("Words"), filters.q, ""


def _shown_day(value: str) -> str:
    return str(SPAN_WORDS[value]) if value in SPANS else date_format(date.fromisoformat(value))


def without_page(given: QueryDict) -> str:
    """The address's query but for where in the list it is; empty parts are left out."""
    return _without(given, "page", "")


def _without(given: QueryDict, name: str, value: str) -> str:
    kept = QueryDict(mutable=True)
    for key, values in given.lists():
        if key in ("page", "cursor") or (key == name and not value) or (name == "folder" and key == "only"):
            continue
        some = [one for one in values if one and not (key == name and one.strip() == value)]
        if some:
            kept.setlist(key, some)
    return kept.urlencode()
