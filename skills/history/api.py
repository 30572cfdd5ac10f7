"""A revision as JSON, and what it changed."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from kbsite.accounts.auth import person
from skills.history.compare import NAMES, revision
from skills.relations.relate import seen
from skills.revisions import KEPT, whole

router = Router(tags=["skills"])


class RevisionChange(Schema):
    """A field that differs; the values are those that the skill has there."""

    field: str
    before: Any
    after: Any


class RevisionDetail(Schema):
    """A skill as it was after a change. ``changes``: against which revision, None for the first."""

    number: int
    reason: str
    author: str | None
    at: datetime
    skill: dict[str, Any] = Field(description="Its fields as they were, texts whole.")
    against: int | None
    changes: list[RevisionChange]


@router.get("/{uuid:skill_id}/revisions/{int:number}", response=RevisionDetail, summary="One revision")
def get_revision(
    request: HttpRequest, skill_id: uuid.UUID, number: int, against: int | None = None
) -> dict[str, Any]:
    """The skill as it was, and what differs from revision ``against`` (without it, from the one before)."""
    skill = seen(skill_id, person(request))
    shown = revision(skill, number)
    other = number - 1 if against is None else against
    kept = whole(shown)
    before = whole(revision(skill, other)) if against is not None or other > 0 else {}
    differing = [field for field in NAMES if before and before.get(field) != kept.get(field)]
    return {
        "number": number,
        "reason": shown.why,
        "author": str(shown.author) if shown.author else None,
        "at": shown.at,
        "skill": {field: kept.get(field) for field in KEPT},
        "against": other if before else None,
        "changes": [{"field": f, "before": before.get(f), "after": kept.get(f)} for f in differing],
    }
