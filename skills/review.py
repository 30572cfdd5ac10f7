"""What a curator decides about skills: whether they are found, and when they are indexed anew."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills import heart
from skills.models import Skill
from skills.signals import skills_hidden

DECIDED = (Skill.Status.APPROVED, Skill.Status.CHECKED, Skill.Status.REJECTED)


@transaction.atomic
def set_status(skill_ids: Iterable[uuid.UUID], user: User, status: str) -> int:
    """Approve, mark as checked or reject; returns how many changed.

    Skills that were never indexed are left alone, as nothing could find them, and so are merged ones,
    whose merge has to be taken back. Raises NotAllowed,
    InvalidInput.
    """
    require(user, "curate")
    if status not in DECIDED:
        raise InvalidInput(_("A curator approves, checks or rejects."))
    ids = sorted(set(skill_ids))
    ready = Skill.objects.visible_to(user).of_the_team().filter(pk__in=ids).exclude(status=status)
    never = (Skill.Status.PENDING, Skill.Status.PROCESSING)
    if status != Skill.Status.REJECTED:
        ready = ready.filter(merged_into=None)
    changed = list(ready.exclude(status__in=never).held().values_list("pk", flat=True))
    Skill.objects.filter(pk__in=changed).update(status=status)
    if status == Skill.Status.REJECTED:
        skills_hidden.send(Skill, ids=changed, user=user)
    audit.record(user, f"skill.{status}", ids=[str(pk) for pk in changed])
    return len(changed)


@transaction.atomic
def index_again(skill_ids: Iterable[uuid.UUID], user: User) -> int:
    """Queue skills for indexing, whatever their state; returns how many. Raises NotAllowed."""
    require(user, "curate")
    skills = Skill.objects.visible_to(user).filter(pk__in=sorted(set(skill_ids)))
    found = list(skills.held().values_list("pk", flat=True))
    again = {"index_state": Skill.Index.QUEUED, "index_reason": "", "attempts": 0}
    Skill.objects.filter(pk__in=found).update(heartbeat_at=timezone.now(), **again)
    audit.record(user, "skill.indexed_again", ids=[str(pk) for pk in found])
    for skill_id in found:
        heart.send(skill_id)
    return len(found)
