"""Changing one field of many skills: what :mod:`skills.edit` does to one, in few statements."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from itertools import batched
from typing import Any

from django.utils import timezone

from kbsite.accounts.models import User
from skills import heart, revisions
from skills.edit import INDEXED
from skills.models import Skill
from skills.signals import skill_written

CHUNK = 100  # Whole texts are in memory for a revision.


def change_each(
    ids: Iterable[uuid.UUID],
    user: User,
    field: str,
    value_for: Callable[[Skill], Any],
    reason: str,
) -> dict[str, Any]:
    """Set ``field`` of each skill to what ``value_for`` gives, with a revision and, where the field is
    indexed, a place in the queue. Call it in a transaction.

    Returns the former values by id, of those that changed; unchanged ones are not touched.
    """
    before: dict[str, Any] = {}
    for some in batched(sorted(ids), CHUNK, strict=False):
        held = Skill.objects.visible_to(user).filter(pk__in=some).held()
        changed = []
        for skill in held.exclude(type=Skill.Type.SYSTEM):
            was, value = getattr(skill, field), value_for(skill)
            if value != was:
                before[str(skill.pk)] = was
                setattr(skill, field, value)
                changed.append(skill)
        _save(changed, field, user, reason)
        for skill in changed:
            was_now = {field: before[str(skill.pk)]}
            skill_written.send(Skill, skill=skill, user=user, what="changed", was=was_now)
    return before


def _save(skills: list[Skill], field: str, user: User, reason: str) -> None:
    is_indexed = field in INDEXED
    now = timezone.now()
    for skill in skills:
        skill.version += 1
        skill.updated_at = now
        if is_indexed:
            heart.make_due(skill)
            heart.send(skill.pk)
    hearts = heart.HEART_FIELDS if is_indexed else ()
    Skill.objects.bulk_update(skills, [field, "version", "updated_at", *hearts])
    revisions.record_each(skills, user, reason)
