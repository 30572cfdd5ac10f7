"""The API about oneself: who am I, my keys."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Field, Router, Schema, Status

from kbsite.accounts.audit import record
from kbsite.accounts.auth import person
from kbsite.accounts.keys import make_key, revoke
from kbsite.accounts.models import ApiKey, User
from kbsite.exceptions import NotAllowed
from kbsite.paging import Done

router = Router(tags=["people"])


class Me(Schema):
    """The person who asks."""

    id: UUID
    email: str
    name: str
    role: str
    language: str
    can_edit: bool
    can_curate: bool
    can_administer: bool


class KeyOut(Schema):
    """A key without the key."""

    id: UUID
    name: str
    prefix: str
    read_only: bool
    folder_id: UUID | None
    created_at: datetime
    last_used_at: datetime | None


class NewKey(Schema):
    """What a new key may do."""

    name: str = Field(min_length=1, max_length=100)
    read_only: bool = False
    folder_id: UUID | None = None


class KeyOnce(KeyOut):
    """A key with the key, shown this once."""

    key: str


@router.get("/me", response=Me)
def me(request: HttpRequest) -> User:
    """Who the key or the session belongs to."""
    return person(request)


@router.get("/keys", response=list[KeyOut])
def keys(request: HttpRequest) -> list[ApiKey]:
    """One's own keys that still work."""
    return list(person(request).api_keys.filter(revoked_at=None))


@router.post("/keys", response={201: KeyOnce})
def key_make(request: HttpRequest, body: NewKey) -> Status[dict[str, object]]:
    """Make a key. A narrower key can't make a wider one."""
    user = person(request)
    if user.read_only:
        raise NotAllowed(_("This key can only read."), code="read_only_key")
    if user.narrowed_to and body.folder_id != user.narrowed_to:
        raise NotAllowed(_("This key is limited to a folder, so a key it makes must be too."))
    key, token = make_key(user, body.name, read_only=body.read_only, folder_id=body.folder_id)
    record(user, "key.made", str(key))
    return Status(201, {**KeyOut.from_orm(key).model_dump(), "key": token})


@router.delete("/keys/{key_id}", response=Done)
def key_revoke(request: HttpRequest, key_id: UUID) -> Done:
    """Revoke one of one's own keys. A narrower key can't revoke a wider one."""
    user = person(request)
    if user.read_only:
        raise NotAllowed(_("This key can only read."), code="read_only_key")
    within = {"folder_id": user.narrowed_to} if user.narrowed_to else {}
    key = get_object_or_404(ApiKey, pk=key_id, user=user, **within)
    revoke(key)
    record(user, "key.revoked", str(key))
    return Done()
