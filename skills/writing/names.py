"""Names of skills for completing ``[[…``."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from kbsite.accounts.models import User
from kbsite.text import folded
from skills.models import Skill
from skills.paths import Step, paths

MOST = 8
NEEDS_ADDRESS = frozenset("[]|#\\`")
LEAN = ("id", "slug", "name", "name_key", "folder_id", "type")


@dataclass(frozen=True)
class Name:
    """A skill that a link may lead to: ``written`` is the link, ``path`` where the skill lies."""

    skill: Skill
    written: str
    path: list[Step]


def names(prefix: str, user: User, limit: int = MOST) -> list[Name]:
    """Skills that ``user`` may see whose name begins with ``prefix``, then those that hold it.

    Without a prefix those saved last. At most four queries.
    """
    seen = Skill.objects.visible_to(user).only(*LEAN)
    key = folded(prefix)
    if key:
        found = list(seen.filter(name_key__startswith=key).order_by("name_key", "id")[:limit])
        taken = [skill.pk for skill in found]
        more = seen.filter(name_key__contains=key).exclude(pk__in=taken).order_by("name_key", "id")
        found += more[: limit - len(found)]
    else:
        found = list(seen.order_by("-updated_at", "-id")[:limit])
    keys = {skill.name_key for skill in found}
    counted = Skill.objects.visible_to(user).filter(name_key__in=keys).order_by().values_list("name_key")
    several = {name_key for name_key, n in counted.annotate(n=Count("pk")) if n > 1}
    where = paths([skill.folder_id for skill in found])
    return [
        Name(skill, written(skill, alone=skill.name_key not in several), where[skill.folder_id])
        for skill in found
    ]


def written(skill: Skill, *, alone: bool) -> str:
    """The link to ``skill``: by its name, or by its address where the name would not do."""
    if alone and not NEEDS_ADDRESS.intersection(skill.name):
        return f"[[{skill.name}]]"
    words = "".join(f"\\{letter}" if letter in "[]\\`*_<" else letter for letter in skill.name)
    return f"[{words}]({skill.uri})"
