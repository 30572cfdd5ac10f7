"""Use: counted when a skill was used, never when it was only a candidate."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db.models import F
from django.utils import timezone

from skills.models import Skill


def record_use(skill_ids: Iterable[uuid.UUID]) -> int:
    """Count one use (opened, cited, or read by the agent) of each skill; returns how many there were.

    One statement; rows are not otherwise touched.
    """
    ids = sorted(set(skill_ids))
    if not ids:
        return 0
    used = Skill.objects.filter(pk__in=ids, deleted_at=None)
    return used.update(active_count=F("active_count") + 1, last_used_at=timezone.now())
