"""Relations as JSON: listed, made and taken away."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from kbsite.accounts.auth import person
from kbsite.paging import Done, Page, Paging, paginate
from skills.relations.relate import relate, relations_of, seen, unrelate
from skills.schemas import RelationOut, relation_out

router = Router(tags=["skills"])


class RelationIn(Schema):
    """How the skill relates to another."""

    target_id: uuid.UUID
    type: str = Field(
        description="duplicate, subset, superset, conflict, complement, or a new lower_snake word."
    )
    reason: str = ""


@router.get("/{uuid:skill_id}/relations", response=Page[RelationOut], summary="Relations to other skills")
def list_relations(request: HttpRequest, skill_id: uuid.UUID, paging: Query[Paging]) -> dict[str, Any]:
    """Only to skills that you may see."""
    user = person(request)
    page = paginate(relations_of(seen(skill_id, user), user), paging, ("type", "id"))
    return page | {"items": [relation_out(relation) for relation in page["items"]]}


@router.post("/{uuid:skill_id}/relations", response={200: RelationOut, 201: RelationOut}, summary="Relate")
def add_relation(request: HttpRequest, skill_id: uuid.UUID, payload: RelationIn) -> Status[dict[str, Any]]:
    """Written both ways: subset and superset are each other's inverse, others their own. 200: was there."""
    related = relate(skill_id, payload.target_id, payload.type, person(request), reason=payload.reason)
    return Status(201 if related.made else 200, relation_out(related.relation))


@router.delete(
    "/{uuid:skill_id}/relations/{uuid:target_id}/{type}", response=Done, summary="Take a relation away"
)
def remove_relation(request: HttpRequest, skill_id: uuid.UUID, target_id: uuid.UUID, type: str) -> Done:
    """Both directions."""
    unrelate(skill_id, target_id, type, person(request))
    return Done()
