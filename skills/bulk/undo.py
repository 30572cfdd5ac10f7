"""Undoing what was done to many skills at once, but for what was changed again since."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from documents.querysets import visible_folders
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, NotFound
from skills import moves, trash
from skills.bulk.actions import retagged
from skills.bulk.change import change_each
from skills.models import BulkAction, Move, Skill
from skills.moves import Undone


def undo(undo_id: uuid.UUID, user: User) -> Undone:
    """Undo a move or a bulk action of ``user``'s.

    Raises NotAllowed, NotFound (not one of ``user``'s own), Conflict (undone already).
    """
    if Move.objects.filter(pk=undo_id).exists():
        return moves.undo(undo_id, user)
    return _undo_action(undo_id, user)


@transaction.atomic
def _undo_action(action_id: uuid.UUID, user: User) -> Undone:
    require(user, "edit")
    action = BulkAction.objects.select_for_update().filter(pk=action_id, user=user).first()
    if action is None:
        raise NotFound(_("There is nothing of yours to undo here."))
    if action.undone_at is not None:
        raise Conflict(_("This was undone already."), code="undone")
    count = UNDOING[action.what](action, user)
    action.undone_at = timezone.now()
    action.save(update_fields=["undone_at"])
    audit.record(user, "skill.bulk_undone", what=action.what, count=count, bulk=str(action.pk))
    return Undone(count, len(action.before) - count)


def _tags_back(action: BulkAction, user: User) -> int:
    add, remove = action.given["add"], action.given["remove"]
    return _back(action, user, "tags", lambda was: retagged(was, add, remove))


def _priority_back(action: BulkAction, user: User) -> int:
    return _back(action, user, "priority", lambda _was: action.given["priority"])


def _back(action: BulkAction, user: User, field: str, made_of: Callable[[Any], Any]) -> int:
    """Former values, where the field still is what the action made of them."""

    def value_for(skill: Skill) -> Any:
        was, now = action.before[str(skill.pk)], getattr(skill, field)
        return was if now == made_of(was) else now

    ids = [uuid.UUID(skill_id) for skill_id in action.before]
    return len(change_each(ids, user, field, value_for, gettext_noop("Undone")))


def _status_back(action: BulkAction, user: User) -> int:
    require(user, "curate")
    by_status: defaultdict[str, list[str]] = defaultdict(list)
    for skill_id, status in action.before.items():
        by_status[status].append(skill_id)
    seen = Skill.objects.visible_to(user).filter(status=action.given["status"], pk__in=list(action.before))
    held = set(seen.held().values_list("pk", flat=True))
    still = Skill.objects.filter(pk__in=held)
    return sum(still.filter(pk__in=ids).update(status=status) for status, ids in by_status.items())


def _undelete(action: BulkAction, user: User) -> int:
    """Those that are in the trash since then, and have not been out of it in between."""
    gone = Skill.objects.filter(
        visible_folders(user),
        pk__in=list(action.before),
        deleted_at=datetime.fromisoformat(action.given["at"]),
    )
    return len(trash.bring_back(gone, user))


UNDOING: dict[str, Callable[[BulkAction, User], int]] = {
    "tags": _tags_back,
    "priority": _priority_back,
    "status": _status_back,
    "delete": _undelete,
}
