"""Putting skills in the trash, and taking them out."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents.querysets import visible_folders
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills import heart
from skills.edit import locked
from skills.models import Skill
from skills.signals import skills_restored, skills_trashed


@transaction.atomic
def delete_skill(skill_id: uuid.UUID, user: User) -> None:
    """Put a skill in the trash: gone from lists, search and chat at once; can be restored."""
    require(user, "edit")
    skill = locked(skill_id, user)
    Skill.objects.filter(pk=skill.pk).update(deleted_at=timezone.now())
    audit.record(user, "skill.deleted", skill.uri, name=skill.name)
    skills_trashed.send(Skill, ids=[skill.pk], user=user)


@transaction.atomic
def undelete_skill(skill_id: uuid.UUID, user: User) -> Skill:
    """Take a skill out of the trash. Raises NotFound when it is not there."""
    require(user, "edit")
    trash = Skill.objects.select_for_update(of=("self",)).filter(visible_folders(user), pk=skill_id)
    skill = trash.exclude(deleted_at=None).first()
    if skill is None:
        raise NotFound(_("There is no such skill in the trash."))
    skill.deleted_at = skill.trashed_with = None
    skill.save(update_fields=["deleted_at", "trashed_with"])
    audit.record(user, "skill.undeleted", skill.uri, name=skill.name)
    skills_restored.send(Skill, ids=[skill.pk], user=user)
    if skill.index_state in (Skill.Index.QUEUED, Skill.Index.RUNNING):
        heart.send(skill.pk)
    return skill
