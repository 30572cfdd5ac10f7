"""Finding a skill by the beginning of its name, for completion."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Length

from kbsite.accounts.models import User
from kbsite.text import folded
from skills.models import FormerName, Skill


@dataclass(frozen=True, slots=True)
class Named:
    """A skill as completion offers it. ``former``: the earlier name by which it was found."""

    id: uuid.UUID
    slug: str
    name: str
    folder: str
    former: str = ""


def names(prefix: str, user: User, limit: int = 10) -> list[Named]:
    """Skills ``user`` may see whose name begins with ``prefix``, then those that had such a name,
    then those with a word that begins so, then those that contain it. Without a prefix those changed last.

    At most three queries, each on an index.
    """
    key = folded(prefix)
    seen = Skill.objects.visible_to(user)
    if not key:
        return [_named(skill) for skill in _lean(seen.order_by("-updated_at", "-id"))[:limit]]
    found = {}
    for skill in _lean(seen.filter(name_key__startswith=key).order_by(Length("name_key"), "name", "id"))[
        :limit
    ]:
        found[skill.pk] = _named(skill)
    if len(found) < limit:
        found |= {one.id: one for one in _formerly(key, seen, limit) if one.id not in found}
    if len(found) < limit:
        word_start = When(Q(name_key__contains=f" {key}"), then=Value(0))
        place = Case(word_start, default=Value(1), output_field=IntegerField())
        inside = seen.filter(name_key__contains=key).exclude(pk__in=list(found))
        for skill in _lean(inside.order_by(place, Length("name_key"), "name", "id"))[:limit]:
            found[skill.pk] = _named(skill)
    return list(found.values())[:limit]


def _lean(skills: QuerySet[Skill]) -> QuerySet[Skill]:
    return skills.select_related("folder").only("id", "slug", "name", "folder__name", "folder__is_system")


def _named(skill: Skill, former: str = "") -> Named:
    return Named(skill.pk, skill.slug, skill.name, skill.folder.shown if skill.folder else "", former)


def _formerly(key: str, seen: QuerySet[Skill], limit: int) -> list[Named]:
    rows = FormerName.objects.filter(key__startswith=key, skill__in=seen).select_related("skill__folder")
    return [_named(row.skill, row.name) for row in rows.order_by("key", "id")[:limit]]
