"""``/api/trash``."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from kbsite.accounts.auth import person, require
from kbsite.exceptions import NotFound
from kbsite.paging import Done, Page, Paging, paginate
from skills.bin import deeds
from skills.bin.contents import NEWEST, Kind, items, rows

router = Router(tags=["trash"])


class GoneWithOut(Schema):
    """A skill that went to the trash with its document and comes back with it."""

    id: uuid.UUID
    name: str


class TrashItem(Schema):
    """Something in the trash. ``path``: where it was. ``goes_at``: when it is deleted for good.

    ``skills`` went with a document. ``folders`` are the names of those inside a deleted one,
    ``things`` how many skills and documents lay in it.
    """

    kind: Kind
    id: uuid.UUID
    name: str
    path: list[str]
    deleted_by: str
    deleted_at: datetime
    goes_at: datetime | None
    about: str
    skills: list[GoneWithOut]
    folders: list[str]
    things: int


class TrashThing(Schema):
    """One thing in the trash."""

    kind: Kind
    id: uuid.UUID


class RestoreIn(Schema):
    """What is to come back."""

    items: list[TrashThing] = Field(min_length=1, max_length=1000)


class NotRestored(Schema):
    """Why one thing did not come back."""

    id: uuid.UUID
    detail: str


class RestoreOut(Schema):
    """How many things came back, and what became of the others."""

    restored: int
    said: list[str]
    failed: list[NotRestored]


@router.get("", response=Page[TrashItem], summary="What is in the trash, the newest first")
def list_trash(request: HttpRequest, paging: Query[Paging], kind: Kind = "skill") -> dict[str, Any]:
    """One kind at a time: skills (without those that went with a document), documents or folders."""
    user = person(request)
    require(user, "edit")
    page = paginate(rows(kind, user), paging, NEWEST[kind])
    return page | {"items": items(kind, page["items"], user)}


@router.post("/restore", response=RestoreOut, summary="Bring things back from the trash")
def restore_things(request: HttpRequest, payload: RestoreIn) -> dict[str, Any]:
    """Each by itself: one that can't come back keeps no other. When none could, 404."""
    done = deeds.restore([(one.kind, one.id) for one in payload.items], person(request))
    if not done.sentences:
        raise NotFound(next(iter(done.faults.values())))
    failed = [{"id": thing, "detail": detail} for thing, detail in done.faults.items()]
    return {"restored": len(done.sentences), "said": done.sentences, "failed": failed}


@router.delete("/{kind}/{uuid:thing_id}", response=Done, summary="Delete something in the trash for good")
def delete_thing(request: HttpRequest, kind: Kind, thing_id: uuid.UUID) -> dict[str, bool]:
    """Nothing brings it back. Curators may."""
    done = deeds.delete_for_good([(kind, thing_id)], person(request))
    if done.faults:
        raise NotFound(done.faults[thing_id])
    return {"success": True}
