"""``/api/skills``."""

from __future__ import annotations

import uuid
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Header, Query, Router, Status

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.paging import Done, Page, Paging, paginate
from kbsite.sent import version_in
from skills import edit, heart, moves, trash
from skills.bulk.schemas import SkillFilters
from skills.listing import listed
from skills.models import Skill
from skills.order import ordered
from skills.schemas import (
    AppendIn,
    MoveOut,
    MoveSkillsIn,
    RevisionOut,
    SkillChange,
    SkillIn,
    SkillOut,
    SkillRow,
    rows_of,
    with_related,
)

router = Router(tags=["skills"])


def _found(skill_id: uuid.UUID, user: User) -> Skill:
    skill = with_related(Skill.objects.visible_to(user)).filter(pk=skill_id).first()
    if skill is None:
        raise NotFound(_("There is no such skill, or you may not see it."))
    return skill


def _answer(skill_id: uuid.UUID, user: User, response: HttpResponse) -> dict[str, Any]:
    skill = _found(skill_id, user)
    response["ETag"] = f'"{skill.version}"'
    return rows_of([skill], user, SkillOut)[0]


@router.get("", response=Page[SkillRow], summary="Skills, filtered and in order")
def list_skills(
    request: HttpRequest,
    paging: Query[Paging],
    narrowing: Query[SkillFilters],
    order: Literal["path", "updated", "name", "hot"] = "path",
) -> dict[str, Any]:
    """``path`` is by every sort_order on the folder's path, then priority. ``tag`` may be given several
    times: skills have all of them. ``since`` and ``until`` are days of the last change (2026-11-30, today,
    7d, 30d). ``index``: ready, not_ready or failed.
    """
    user, filters = person(request), narrowing.filters()
    skills, fields = ordered(listed(user, filters), order, filters)
    lean = with_related(skills).defer("overview", "content", "config")
    page = paginate(lean, paging, fields)
    return page | {"items": rows_of(page["items"], user)}


@router.post("", response={201: SkillOut}, summary="A new skill, queued for layers and index")
def create_skill(request: HttpRequest, payload: SkillIn, response: HttpResponse) -> Status[dict[str, Any]]:
    """The skill is found as soon as its index is ready (``index_state``)."""
    user = person(request)
    skill = edit.create_skill(user, **payload.dict())
    return Status(201, _answer(skill.pk, user, response))


@router.post("/move", response=MoveOut, summary="Move several skills")
def move_skills(request: HttpRequest, payload: MoveSkillsIn) -> dict[str, Any]:
    """One statement; vectors, relations and scores are untouched. ``move_id`` undoes it."""
    moved = moves.move_skills(payload.ids, person(request), payload.folder_id)
    return {"moved": moved.count, "move_id": moved.move_id}


@router.get("/{uuid:skill_id}", response=SkillOut, summary="One skill with all layers")
def get_skill(request: HttpRequest, skill_id: uuid.UUID, response: HttpResponse) -> dict[str, Any]:
    """``ETag`` is the version, for ``If-Match``."""
    return _answer(skill_id, person(request), response)


@router.put("/{uuid:skill_id}", response=SkillOut, summary="Change what is given")
def update_skill(
    request: HttpRequest,
    skill_id: uuid.UUID,
    payload: SkillChange,
    response: HttpResponse,
    if_match: Header[str | None] = None,
) -> dict[str, Any]:
    """With ``If-Match`` a save in between is refused (412). What is found stays the old text until
    the new index is ready.
    """
    user = person(request)
    edit.update_skill(skill_id, user, expected=version_in(if_match), **payload.dict(exclude_unset=True))
    return _answer(skill_id, user, response)


@router.delete("/{uuid:skill_id}", response=Done, summary="Put a skill in the trash")
def delete_skill(request: HttpRequest, skill_id: uuid.UUID) -> Done:
    """Gone from lists, search and chat at once."""
    trash.delete_skill(skill_id, person(request))
    return Done()


@router.post("/{uuid:skill_id}/move", response=SkillOut, summary="Move one skill")
def move_skill(
    request: HttpRequest, skill_id: uuid.UUID, response: HttpResponse, folder_id: uuid.UUID | None = None
) -> dict[str, Any]:
    """Without ``folder_id`` it becomes unfiled."""
    user = person(request)
    moves.move_skill(skill_id, user, folder_id)
    return _answer(skill_id, user, response)


@router.post("/{uuid:skill_id}/append", response=SkillOut, summary="Add to the content")
def append(
    request: HttpRequest,
    skill_id: uuid.UUID,
    payload: AppendIn,
    response: HttpResponse,
    if_match: Header[str | None] = None,
) -> dict[str, Any]:
    """Below what is there, a blank line between."""
    user = person(request)
    expected = version_in(if_match)
    edit.append_content(skill_id, user, payload.content, expected=expected, reason=payload.reason)
    return _answer(skill_id, user, response)


@router.post("/{uuid:skill_id}/layers", response=SkillOut, summary="Write abstract and overview again")
def rewrite_layers(request: HttpRequest, skill_id: uuid.UUID, response: HttpResponse) -> dict[str, Any]:
    """Also those that a person wrote; the old ones are in the history."""
    user = person(request)
    edit.rewrite_layers(skill_id, user)
    return _answer(skill_id, user, response)


@router.post("/{uuid:skill_id}/retry", response=SkillOut, summary="Try a failed indexing again")
def retry(request: HttpRequest, skill_id: uuid.UUID, response: HttpResponse) -> dict[str, Any]:
    """One that has not failed is left alone."""
    user = person(request)
    require(user, "edit")
    heart.retry(_found(skill_id, user).pk)
    return _answer(skill_id, user, response)


@router.get("/{uuid:skill_id}/revisions", response=Page[RevisionOut], summary="History, newest first")
def list_revisions(request: HttpRequest, skill_id: uuid.UUID, paging: Query[Paging]) -> dict[str, Any]:
    """Each can be restored by its number."""
    revisions = _found(skill_id, person(request)).revisions.select_related("author").defer("snapshot")
    page = paginate(revisions, paging, ("-number",))
    items = [
        {"number": r.number, "reason": r.why, "at": r.at, "author": str(r.author) if r.author else None}
        for r in page["items"]
    ]
    return page | {"items": items}


@router.post("/{uuid:skill_id}/revisions/{int:number}/restore", response=SkillOut, summary="Restore")
def restore(request: HttpRequest, skill_id: uuid.UUID, number: int, response: HttpResponse) -> dict[str, Any]:
    """The skill as it was at that revision, as a new revision."""
    user = person(request)
    edit.restore_revision(skill_id, user, number)
    return _answer(skill_id, user, response)
