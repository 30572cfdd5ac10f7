"""Taking a page's text away at once when what it rests on may not be seen there any more.

A skill that goes to the trash, is rejected, or moves to a narrower place; a sub-folder that is closed
or moves away: the pages that were made from it lose their text, and so do those made from those
pages. They are made again by the clock, from what is left.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.db.models.signals import post_save
from django.dispatch import receiver

from documents.models import Folder, FolderGrant
from documents.signals import folders_restored
from skills.folder_pages.scope import is_narrower, root_id
from skills.models import FolderPage, Skill
from skills.paths import paths
from skills.signals import skill_written, skills_hidden, skills_moved, skills_trashed

State = FolderPage.State
EMPTY: dict[str, Any] = {
    "abstract": "",
    "key_facts": [],
    "overview": "",
    "from_skills": [],
    "from_folders": [],
}


def withdraw(condition: Q) -> int:
    """Take the text of the pages that fit ``condition`` away, and of those made from them.

    Returns how many. Pages that are being made stay in the queue.
    """
    waiting = Case(When(state__in=(State.QUEUED, State.RUNNING), then="state"), default=Value(State.STALE))
    seen: set[uuid.UUID] = set()
    found = set(FolderPage.objects.filter(condition).values_list("pk", flat=True))
    while found:
        seen |= found
        above = FolderPage.objects.filter(from_folders__overlap=sorted(found)).values_list("pk", flat=True)
        following = set(above) - seen
        FolderPage.objects.filter(pk__in=found).update(state=waiting, **EMPTY)
        found = following
    return len(seen)


def _now_and_after(condition: Q) -> None:
    """Once in this transaction, and once after it: a page may be saved in between."""
    withdraw(condition)
    transaction.on_commit(partial(withdraw, condition), robust=True)


def _resting_on(ids: Collection[uuid.UUID]) -> Q:
    return Q(from_skills__overlap=sorted(ids))


@receiver([skills_trashed, skills_hidden])
def withdraw_gone(ids: Iterable[uuid.UUID], **kwargs: Any) -> None:
    """What is in the trash is read nowhere; what was rejected or merged away, by editors alone."""
    if gone := list(ids):
        _now_and_after(_resting_on(gone))


@receiver(skill_written)
def withdraw_hidden(skill: Skill, was: Mapping[str, Any], **kwargs: Any) -> None:
    """What was switched off is read by editors alone."""
    if was.keys() & {"status", "is_active"} and not skill.is_findable:
        _now_and_after(_resting_on([skill.pk]))


@receiver(skills_moved)
def withdraw_moved(
    before: Mapping[uuid.UUID | None, Collection[uuid.UUID]], target: Folder | None, **kwargs: Any
) -> None:
    """What moved to a place that fewer people see is theirs alone."""
    left = {folder_id for folder_id, ids in before.items() if ids}
    ids = [i for folder_id in is_narrower(target, left) for i in before[folder_id]]
    if ids:
        _now_and_after(_resting_on(ids))


@receiver(folders_restored)
def withdraw_restored(contents: Mapping[str, Any], **kwargs: Any) -> None:
    """What was unfiled while its closed folder was in the trash is closed again: the root folder's page,
    and any other made from it meanwhile, says nothing of it.
    """
    lay: Mapping[str, Collection[str]] = contents.get("skills", {})
    narrowed = FolderGrant.objects.filter(
        folder__place__lte=OuterRef("place"), folder__reach__gte=OuterRef("place")
    )
    closed = Folder.objects.filter(Exists(narrowed), pk__in=list(lay)).order_by("place")
    ids = [uuid.UUID(one) for folder_id in closed.values_list("pk", flat=True) for one in lay[str(folder_id)]]
    if ids:
        _now_and_after(_resting_on(ids))


@receiver(post_save, sender=FolderGrant)
def withdraw_closed(instance: FolderGrant, **kwargs: Any) -> None:
    """A folder that is narrowed flows into no page above it any more."""
    _now_and_after(Q(from_folders__contains=[instance.folder_id]))


@receiver(post_save, sender=Folder)
def withdraw_moved_folder(
    instance: Folder, created: bool, update_fields: Collection[str] | None = None, **kwargs: Any
) -> None:
    """A folder that moved to a narrower place leaves the page it flowed into."""
    if created or (update_fields is not None and not {"parent", "parent_id"} & set(update_fields)):
        return
    holder = instance.parent_id or root_id()
    elsewhere = Q(from_folders__contains=[instance.pk]) & ~Q(folder=holder)
    above = [step.id for step in paths([instance.pk])[instance.pk]]
    if (
        FolderPage.objects.filter(elsewhere).exists()
        and FolderGrant.objects.filter(folder__in=above).exists()
    ):
        _now_and_after(elsewhere)
