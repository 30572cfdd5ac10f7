"""The orders a list of skills can have; each pages by keyset."""

from __future__ import annotations

import math
from typing import Any

from django.conf import settings
from django.db.models import F, FloatField, IntegerField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Coalesce, Extract, Ln

from skills.models import Skill

UNFILED = 2_147_483_647
SECONDS_A_DAY = 86_400

# Every folder's place in a walk of the whole tree: siblings by sort_order (then name, id), a folder
# before what is under it. One value for the statement, not one per row: it does not refer to it.
PLACES = """
((WITH RECURSIVE ranked AS (
    SELECT id, parent_id, row_number() OVER (PARTITION BY parent_id ORDER BY sort_order, name, id) AS n
    FROM documents_folder
), tree AS (
    SELECT id, ARRAY[n] AS path FROM ranked WHERE parent_id IS NULL
    UNION ALL
    SELECT r.id, t.path || r.n FROM ranked r JOIN tree t ON r.parent_id = t.id
)
SELECT jsonb_object_agg(id, place)
FROM (SELECT id, row_number() OVER (ORDER BY path) AS place FROM tree) walk)
-> skills_skill.folder_id::text)::int
"""

ORDERS: dict[str, tuple[str, ...]] = {
    "path": ("place", "priority", "name", "id"),
    "updated": ("-updated_at", "-id"),
    "name": ("name", "id"),
    "hot": ("-heat", "-id"),
}


def ordered(skills: QuerySet[Skill], order: str) -> tuple[QuerySet[Skill], tuple[str, ...]]:
    """``skills`` with what ``order`` needs, and the fields to sort by. Raises KeyError.

    ``path``: every sort_order on the folder's path, then priority; unfiled ones last. ``hot``:
    by hotness, in a form that does not change as time passes, so that a cursor stays good.
    """
    fields = ORDERS[order]
    annotations: dict[str, Any] = {}
    if order == "path":
        place = RawSQL(PLACES, (), output_field=IntegerField())  # noqa: S611 - no outside value in it
        annotations["place"] = Coalesce(place, UNFILED)
    if order == "hot":
        annotations["heat"] = _heat()
    return skills.annotate(**annotations), fields


def _heat() -> Any:
    """ln of hotness, less what is the same for all: ln(1+n) − ln(2+n) + updated·ln 2/half-life.

    sigmoid(ln(1+n)) = (1+n)/(2+n), and 2^(−age/half-life) falls alike for all as time passes.
    """
    per_second = math.log(2) / (settings.KB_HALF_LIFE_DAYS * SECONDS_A_DAY)
    used = Cast(F("active_count"), FloatField())
    fresh = Cast(Extract("updated_at", "epoch"), FloatField())
    return Ln(used + 1.0) - Ln(used + 2.0) + fresh * per_second
