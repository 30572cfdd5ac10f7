"""Reading a folder's update log: what happened close together is one line, with the first names."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils.translation import pgettext_lazy

from documents.models import Folder
from documents.querysets import visible_folders
from kbsite.accounts.models import User
from kbsite.keyset import Order
from skills.models import FolderEvent, Skill

NEWEST_FIRST = Order(("-at", "-id"))
TOGETHER = timedelta(minutes=10)
NAMED = 5
WORDS = {
    "written": pgettext_lazy("update log", "Written"),
    "changed": pgettext_lazy("update log", "Changed"),
    "read": pgettext_lazy("update log", "Read from a file"),
    "version": pgettext_lazy("update log", "New version"),
    "moved_in": pgettext_lazy("update log", "Moved in"),
    "moved_out": pgettext_lazy("update log", "Moved out"),
    "deleted": pgettext_lazy("update log", "Deleted"),
    "restored": pgettext_lazy("update log", "Restored"),
    "remade": pgettext_lazy("update log", "This page was made"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """A skill in the log; ``slug`` is empty where it can't be opened any more."""

    name: str
    slug: str = ""


@dataclass(slots=True)
class Line:
    """One line: ``count`` things, some of them named. ``at`` is when the last of it happened."""

    what: str
    at: datetime
    actor: str
    count: int = 0
    names: list[Named] = field(default_factory=list)
    _until: datetime | None = None
    _skills: set[uuid.UUID] = field(default_factory=set)

    @property
    def word(self) -> str:
        """What happened, in the reader's language."""
        return str(WORDS.get(self.what, self.what))

    @property
    def unnamed(self) -> int:
        """How many things are not named."""
        return max(self.count - len(self.names), 0)


def events_of(folder: Folder) -> QuerySet[FolderEvent]:
    """What happened in the folder, in no order."""
    return FolderEvent.objects.filter(folder=folder).select_related("actor")


def lines(given: Iterable[FolderEvent], user: User) -> list[Line]:
    """The log's lines, newest first, for events in that order. Two queries.

    A skill is named by the name it has now, to those who may see it. One that is gone for good is
    named to editors.
    """
    events = list(given)
    known = _known({skill_id for event in events for skill_id in event.skills}, user)
    found: list[Line] = []
    for event in events:
        line = found[-1] if found and _belongs(event, found[-1]) else None
        if line is None:
            line = Line(event.what, event.at, str(event.actor or ""))
            found.append(line)
        _add(line, event, known, user)
    return found


def _belongs(event: FolderEvent, line: Line) -> bool:
    if event.what == "remade" or event.what != line.what or str(event.actor or "") != line.actor:
        return False
    return (line._until or line.at) - event.at <= TOGETHER


def _add(line: Line, event: FolderEvent, known: dict[uuid.UUID, Named | None], user: User) -> None:
    line._until = event.at
    again = set(event.skills) & line._skills
    line.count += event.count - len(again)
    for skill_id, name in zip(event.skills, event.names, strict=False):
        if skill_id in line._skills:
            continue
        line._skills.add(skill_id)
        shown = known.get(skill_id, Named(name) if user.can_edit else None)
        if shown and len(line.names) < NAMED:
            line.names.append(shown)


def _known(skill_ids: set[uuid.UUID], user: User) -> dict[uuid.UUID, Named | None]:
    """How each skill that exists is named to ``user``; None: not at all."""
    rows = Skill.objects.filter(pk__in=skill_ids).only(
        "pk", "slug", "name", "status", "is_active", "deleted_at"
    )
    there = {skill.pk: skill for skill in rows}
    seen = set(Skill.objects.filter(visible_folders(user), pk__in=skill_ids).values_list("pk", flat=True))
    named: dict[uuid.UUID, Named | None] = {}
    for skill_id, skill in there.items():
        may = skill_id in seen and (user.can_edit or skill.is_findable)
        opens = "" if skill.deleted_at else skill.slug
        named[skill_id] = Named(skill.name, opens) if may else None
    return named
