"""``/api/skills/bulk``, ``/api/skills/export`` and undoing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Router

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills import export, moves
from skills.bulk import actions
from skills.bulk.actions import Outcome
from skills.bulk.schemas import BulkIn, BulkOut, SelectionIn, UndoneOut
from skills.bulk.selection import MOST, MOST_REWRITTEN, Selection, matching, picked
from skills.bulk.undo import undo as undo_it
from skills.models import Skill

router = Router(tags=["skills"])


def _chosen(user: User, sent: SelectionIn, most: int = MOST) -> Selection:
    if (sent.ids is None) == (sent.filters is None):
        raise InvalidInput(_("Give either ids or filters."))
    if sent.filters is not None:
        return matching(user, sent.filters.filters(), expected=sent.expected, most=most)
    return picked(user, sent.ids or [], most=most)


def _move(user: User, ids: list[uuid.UUID], sent: BulkIn) -> Outcome:
    done = moves.move_skills(ids, user, sent.folder_id)
    return Outcome(done.count, done.move_id)


def _priority(user: User, ids: list[uuid.UUID], sent: BulkIn) -> Outcome:
    if sent.priority is None:
        raise InvalidInput(_("Give a whole number."), field="priority")
    return actions.set_priority(ids, user, sent.priority)


DOING: dict[str, Callable[[User, list[uuid.UUID], BulkIn], Outcome]] = {
    "move": _move,
    "tags": lambda user, ids, sent: actions.retag(ids, user, add=sent.add, remove=sent.remove),
    "priority": _priority,
    "approve": lambda user, ids, sent: actions.set_status(ids, user, Skill.Status.APPROVED),
    "check": lambda user, ids, sent: actions.set_status(ids, user, Skill.Status.CHECKED),
    "reject": lambda user, ids, sent: actions.set_status(ids, user, Skill.Status.REJECTED),
    "delete": lambda user, ids, sent: actions.delete(ids, user),
}


@router.post("/bulk", response=BulkOut, summary="Do one thing to many skills")
def bulk(request: HttpRequest, payload: BulkIn) -> dict[str, Any]:
    """At most 10,000 at once; 2,000 for tags and priority, where each gets a revision. All or none."""
    user = person(request)
    require(user, "edit")
    most = MOST_REWRITTEN if payload.action in ("tags", "priority") else MOST
    chosen = _chosen(user, payload, most)
    done = DOING[payload.action](user, chosen.ids, payload)
    return {
        "action": payload.action,
        "changed": done.count,
        "skipped_system": chosen.system,
        "skipped_missing": chosen.missing,
        "undo_id": done.undo_id,
    }


@router.post("/undo/{uuid:undo_id}", response=UndoneOut, summary="Undo a move or another bulk action")
def undo(request: HttpRequest, undo_id: uuid.UUID) -> dict[str, int]:
    """Your own, once. What was changed since, or whose folder is gone, stays. Takes ``move_id`` too."""
    done = undo_it(undo_id, person(request))
    return {"undone": done.count, "stayed": done.stayed}


@router.post("/export", summary="Skills as a zip of Markdown files")
def export_skills(request: HttpRequest, payload: SelectionIn) -> HttpResponseBase:
    """In folders as they lie here, each with YAML front matter, and the pictures they show."""
    user = person(request)
    chosen = _chosen(user, payload)
    ids = chosen.ids if payload.filters is not None else payload.ids or []  # system skills too
    return export.download(Skill.objects.filter(pk__in=ids), user)
