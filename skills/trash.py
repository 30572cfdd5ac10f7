"""Putting skills in the trash, and taking them out."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents.querysets import visible_folders
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotAllowed, NotFound
from skills import heart
from skills.edit import locked
from skills.models import Skill
from skills.querysets import SkillQuerySet
from skills.signals import skills_restored, skills_trashed

UNFINISHED = (Skill.Index.QUEUED, Skill.Index.RUNNING)


@transaction.atomic
def delete_skill(skill_id: uuid.UUID, user: User) -> None:
    """Put a skill in the trash: gone from lists, search and chat at once; can be restored.

    Raises NotAllowed (also for a system skill), NotFound.
    """
    require(user, "edit")
    skill = locked(skill_id, user)
    Skill.objects.filter(pk=skill.pk).update(deleted_at=timezone.now(), deleted_by=user)
    audit.record(user, "skill.deleted", skill.uri, name=skill.name)
    skills_trashed.send(Skill, ids=[skill.pk], user=user)


@transaction.atomic
def delete_skills(skill_ids: Iterable[uuid.UUID], user: User) -> int:
    """Put skills in the trash in one statement; returns how many went.

    Raises NotAllowed (a system skill among them), NotFound (one that ``user`` may not see).
    """
    require(user, "edit")
    ids = set(skill_ids)
    seen = Skill.objects.visible_to(user).filter(pk__in=ids).held()
    types = list(seen.values_list("type", flat=True))
    if len(types) < len(ids):
        raise NotFound(_("There is no such skill, or you may not see it."))
    if Skill.Type.SYSTEM in types:
        raise NotAllowed(_("System skills can be read, not changed."), code="system_skill")
    gone = Skill.objects.filter(pk__in=ids).update(deleted_at=timezone.now(), deleted_by=user)
    audit.record(user, "skill.deleted", ids=[str(pk) for pk in sorted(ids)])
    skills_trashed.send(Skill, ids=sorted(ids), user=user)
    return gone


@transaction.atomic
def undelete_skill(skill_id: uuid.UUID, user: User) -> Skill:
    """Take a skill out of the trash. Raises NotFound when it is not there."""
    require(user, "edit")
    trash = Skill.objects.filter(visible_folders(user), pk=skill_id).held()
    skill = trash.exclude(deleted_at=None).first()
    if skill is None:
        raise NotFound(_("There is no such skill in the trash."))
    skill.deleted_at = skill.deleted_by = skill.trashed_with = None
    audit.record(user, "skill.undeleted", skill.uri, name=skill.name)
    bring_back(Skill.objects.filter(pk=skill.pk), user)
    return skill


def bring_back(gone: SkillQuerySet, user: User) -> dict[uuid.UUID, str]:
    """Take these out of the trash in one statement, without asking again; what was cut short is indexed.

    Returns the index state of each. Call it in a transaction.
    """
    states = dict(gone.held().values_list("pk", "index_state"))
    back = {"deleted_at": None, "deleted_by": None, "trashed_with": None}
    Skill.objects.filter(pk__in=states).update(**back)
    skills_restored.send(Skill, ids=list(states), user=user)
    for skill_id, state in states.items():
        if state in UNFINISHED:
            heart.send(skill_id)
    return states
