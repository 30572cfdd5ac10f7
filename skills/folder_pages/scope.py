"""What may flow into a folder's page: only what everybody who sees the folder may see.

A sub-folder that grants narrow further is left out with all that is under it. The system folder's
page is the page of the whole base: the folders at the top flow into it, and what is unfiled.
"""

from __future__ import annotations

import uuid
from typing import cast

from django.db.models import Q

from documents.models import Folder, FolderGrant
from documents.querysets import FolderQuerySet
from skills.models import Skill
from skills.paths import paths
from skills.querysets import SkillQuerySet


def root_id() -> uuid.UUID | None:
    """The system folder's id; None where there is none."""
    return cast(
        "uuid.UUID | None", Folder.objects.filter(is_system=True).values_list("pk", flat=True).first()
    )


def directly_in(folder: Folder) -> Q:
    """A condition for skills that the page of ``folder`` lists: with the root folder's, what is unfiled.

    System skills lie nowhere.
    """
    unfiled = Q(folder=None) & ~Q(type=Skill.Type.SYSTEM)
    return Q(folder=folder) | unfiled if folder.is_system else Q(folder=folder)


def inside(folder: Folder, field: str = "folder") -> Q:
    """A condition for what lies in ``folder`` or below it; for the root folder that is everything."""
    if folder.is_system:
        return Q()
    return Q(**{f"{field}__place__range": (folder.place, folder.reach)})


def sub_folders(folder: Folder) -> FolderQuerySet:
    """The folders directly under ``folder``, in the tree's order; under the root folder, those at the top."""
    below = Q(parent=None, is_system=False) if folder.is_system else Q(parent=folder)
    return cast("FolderQuerySet", Folder.objects.filter(below).order_by("place"))


def open_sub_folders(folder: Folder) -> FolderQuerySet:
    """Those of them that no grant of their own narrows."""
    return cast("FolderQuerySet", sub_folders(folder).filter(grants=None))


def feeding(folder: Folder) -> SkillQuerySet:
    """The skills whose texts its page is made from: those search may return, without the shipped ones."""
    return Skill.objects.findable().filter(directly_in(folder))


def is_narrower(target: Folder | None, before: set[uuid.UUID | None]) -> set[uuid.UUID | None]:
    """Which of the folders ``before`` are seen by people who may not see ``target``."""
    if target is None:
        return set()
    places = {target.pk, *filter(None, before)}
    over = {place: {step.id for step in way} | {place} for place, way in paths(places).items() if place}
    grants = FolderGrant.objects.filter(folder__in={step for steps in over.values() for step in steps})
    narrows = over[target.pk] & set(grants.values_list("folder_id", flat=True))
    return {folder_id for folder_id in before if narrows - (over[folder_id] if folder_id else set())}
