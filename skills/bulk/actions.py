"""What can be done to many skills at once, besides moving them; each can be undone."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills import review, trash
from skills.bulk.change import change_each
from skills.fields import CLEANERS
from skills.models import BulkAction, Skill

NAMED = 20  # The audit trail names this many ids; all of them are in the action.


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many skills changed, and what undoes it; None where none did."""

    count: int
    undo_id: uuid.UUID | None = None


def retagged(tags: list[str], add: Iterable[str], remove: Iterable[str]) -> list[str]:
    """``tags`` without those to remove, then those to add that are not among them."""
    gone = set(remove)
    return list(dict.fromkeys([*(tag for tag in tags if tag not in gone), *add]))


@transaction.atomic
def retag(ids: Iterable[uuid.UUID], user: User, *, add: Iterable[str], remove: Iterable[str] = ()) -> Outcome:
    """Give tags to skills and take others away; each that changes gets a revision and is indexed again.

    Raises NotAllowed, InvalidInput (no tag given, one too long, or too many on one skill).
    """
    require(user, "edit")
    more, fewer = CLEANERS["tags"](add), CLEANERS["tags"](remove)
    if not more and not fewer:
        raise InvalidInput(_("Name at least one tag."), field="add")
    if both := sorted(set(more) & set(fewer)):
        message = _("“%(tag)s” can’t be added and removed at once.")
        raise InvalidInput(message % {"tag": both[0]}, field="remove")

    def tags_for(skill: Skill) -> Any:
        return CLEANERS["tags"](retagged(skill.tags, more, fewer))

    before = change_each(ids, user, "tags", tags_for, gettext_noop("Tags changed"))
    return _keep("tags", user, before, {"add": more, "remove": fewer})


@transaction.atomic
def set_priority(ids: Iterable[uuid.UUID], user: User, priority: int) -> Outcome:
    """Give skills one priority; each that changes gets a revision. Raises NotAllowed, InvalidInput."""
    require(user, "edit")
    value = CLEANERS["priority"](priority)
    before = change_each(ids, user, "priority", lambda _skill: value, gettext_noop("Priority changed"))
    return _keep("priority", user, before, {"priority": value})


@transaction.atomic
def set_status(ids: Iterable[uuid.UUID], user: User, status: str) -> Outcome:
    """Approve, check or reject skills, as :func:`skills.review.set_status` does; that was never indexed
    is left alone. Raises NotAllowed, InvalidInput.
    """
    require(user, "curate")
    wanted = sorted(set(ids))
    held = Skill.objects.visible_to(user).filter(pk__in=wanted).held()
    was = dict(held.values_list("pk", "status"))
    review.set_status(wanted, user, status)
    now = Skill.objects.filter(pk__in=wanted, status=status).values_list("pk", flat=True)
    before = {str(skill_id): was[skill_id] for skill_id in now if was.get(skill_id, status) != status}
    return _keep("status", user, before, {"status": status})


@transaction.atomic
def delete(ids: Iterable[uuid.UUID], user: User) -> Outcome:
    """Put skills in the trash in one statement. Raises NotAllowed, NotFound."""
    require(user, "edit")
    wanted = sorted(set(ids))
    trash.delete_skills(wanted, user)
    at = Skill.objects.filter(pk=wanted[0]).values_list("deleted_at", flat=True).first() if wanted else None
    when = at.isoformat() if at else ""
    return _keep("delete", user, dict.fromkeys(map(str, wanted), True), {"at": when})


def _keep(what: str, user: User, before: dict[str, Any], given: dict[str, Any]) -> Outcome:
    if not before:
        return Outcome(0)
    kept = BulkAction.objects.create(user=user, what=what, given=given, before=before)
    if what in ("tags", "priority"):  # The others have an entry already.
        some = list(before)[:NAMED]
        audit.record(user, "skill.changed", fields=[what], count=len(before), ids=some, bulk=str(kept.pk))
    return Outcome(len(before), kept.pk)
