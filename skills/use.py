"""Use: counted when a skill was used, never when it was only a candidate."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from skills.models import Skill, SkillUse

DAYS = 30
BAR, GAP, HEIGHT = 4, 1, 28  # pixels of the small chart

# Rows are held in the order of their ids, so that two who count the same skills never wait for each other.
COUNT = """
WITH held AS (
    SELECT id FROM skills_skill WHERE id = ANY(%(ids)s) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
), used AS (
    UPDATE skills_skill s SET active_count = s.active_count + 1, last_used_at = %(now)s
    FROM held WHERE s.id = held.id RETURNING s.id
)
INSERT INTO skills_skilluse AS day (skill_id, day, kind, count) SELECT id, %(day)s, %(kind)s, 1 FROM used
ON CONFLICT (skill_id, day, kind) DO UPDATE SET count = day.count + 1
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A day in the chart; in pixels."""

    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Use:
    """How much a skill was used in the last :data:`DAYS` days: a chart, and the same in words."""

    total: int
    words: str
    bars: list[Bar]

    WIDTH = DAYS * (BAR + GAP) - GAP
    HEIGHT = HEIGHT
    BAR = BAR


def record_use(skill_ids: Iterable[uuid.UUID], kind: str = SkillUse.Kind.OPENED) -> int:
    """Count one use of each skill, for today (UTC) and in all; returns how many there were.

    One statement; rows are not otherwise touched.
    """
    ids = sorted(set(skill_ids))
    if not ids:
        return 0
    now = timezone.now()
    given: dict[str, Any] = {"ids": ids, "now": now, "day": now.astimezone(UTC).date(), "kind": str(kind)}
    with connection.cursor() as cursor:
        cursor.execute(COUNT, given)
        return int(cursor.rowcount)


def use_of(skill: Skill, today: date | None = None) -> Use:
    """The skill's use over the last :data:`DAYS` days, ``today`` included. One query."""
    last = today or timezone.now().astimezone(UTC).date()
    first = last - timedelta(days=DAYS - 1)
    rows = list(
        SkillUse.objects.filter(skill=skill, day__range=(first, last)).values_list("day", "kind", "count")
    )
    per_day = [sum(n for day, _kind, n in rows if day == first + timedelta(days=d)) for d in range(DAYS)]
    per_kind = {kind: sum(n for _day, of, n in rows if of == kind) for kind in SkillUse.Kind.values}
    return Use(sum(per_day), _in_words(per_kind), _bars(per_day))


def _bars(per_day: list[int]) -> list[Bar]:
    most = max(per_day, default=0)
    heights = [max(2, round(HEIGHT * n / most)) if n else 0 for n in per_day]
    return [Bar(d * (BAR + GAP), HEIGHT - height, height) for d, height in enumerate(heights) if height]


def _in_words(per_kind: dict[str, int]) -> str:
    opened, cited, read = (per_kind[kind] for kind in ("opened", "cited", "read"))
    parts = []
    if opened:
        parts.append(ngettext("opened %(n)d time", "opened %(n)d times", opened) % {"n": opened})
    if cited:
        parts.append(ngettext("cited %(n)d time", "cited %(n)d times", cited) % {"n": cited})
    if read:
        said = ngettext("read by the agent %(n)d time", "read by the agent %(n)d times", read)
        parts.append(said % {"n": read})
    return pgettext("between things in a list", ", ").join(parts) or _("not used")
