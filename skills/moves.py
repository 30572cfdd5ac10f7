"""Moving skills between folders: touches no vector, relation, revision, address or score."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from documents import folders
from documents.models import Folder
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotAllowed, NotFound
from skills.models import Skill
from skills.signals import skills_moved


def move_skill(skill_id: uuid.UUID, user: User, folder_id: uuid.UUID | None) -> Skill:
    """Put one skill in a folder (None: unfiled). Raises as :func:`move_skills`."""
    move_skills([skill_id], user, folder_id)
    return Skill.objects.get(pk=skill_id)


@transaction.atomic
def move_skills(skill_ids: Iterable[uuid.UUID], user: User, folder_id: uuid.UUID | None) -> int:
    """Put skills in a folder (None: unfiled) in one statement; returns how many moved.

    Touches no vector, relation, revision or score. Raises NotAllowed (a system skill among them),
    NotFound (folder or skill).
    """
    require(user, "edit")
    ids = set(skill_ids)
    folder = folders.find(folder_id or user.narrowed_to, user)
    types = list(Skill.objects.visible_to(user).filter(pk__in=ids).values_list("type", flat=True))
    if len(types) < len(ids):
        raise NotFound(_("There is no such skill, or you may not see it."))
    if Skill.Type.SYSTEM in types:
        raise NotAllowed(_("System skills are never moved."), code="system_skill")
    return put(sorted(ids), folder, user)


def put(ids: list[uuid.UUID], folder: Folder | None, user: User) -> int:
    """Move skills that ``user`` may move, without asking again; returns how many."""
    before = whereabouts(ids)
    moved = Skill.objects.filter(pk__in=ids).update(folder=folder, placed_by_hand=True)
    where = str(folder.pk) if folder else None
    audit.record(user, "skill.moved", folder.name if folder else "", ids=[str(i) for i in ids], folder=where)
    skills_moved.send(Skill, before=before, target=folder, user=user)
    return moved


def whereabouts(ids: Iterable[uuid.UUID]) -> dict[uuid.UUID | None, list[uuid.UUID]]:
    """The folders these skills are in, None for unfiled, each with those that lie there."""
    found: defaultdict[uuid.UUID | None, list[uuid.UUID]] = defaultdict(list)
    for skill_id, folder_id in Skill.objects.filter(pk__in=ids).values_list("pk", "folder_id"):
        found[folder_id].append(skill_id)
    return dict(found)
