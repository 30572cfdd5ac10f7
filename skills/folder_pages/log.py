"""A folder's update log (更新记录): what happened in it, written as it happens, read in groups.

A change of many skills is one event per folder, with a count and the first names. Events of skills
that lie in no folder are the root folder's.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import connection
from django.dispatch import receiver
from django.utils import timezone

from documents.models import Folder
from kbsite.accounts.models import User
from skills.folder_pages.scope import root_id
from skills.models import FolderEvent, Skill
from skills.signals import skill_written, skills_moved, skills_restored, skills_trashed

NAMED = 5
KEPT_EVENTS = 1000  # of one folder
KEPT_DAYS = 400
REMADE = "remade"
TELLING = frozenset({"name", "description", "abstract", "overview", "content", "status", "is_active"})

PRUNE = """
DELETE FROM skills_folderevent WHERE at < %(oldest)s OR id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY folder_id ORDER BY at DESC, id DESC) AS n
        FROM skills_folderevent
    ) numbered WHERE n > %(kept)s
)
"""

type Ids = Sequence[uuid.UUID]


def note(by_folder: Mapping[uuid.UUID | None, Ids], what: str, user: User | None) -> None:
    """One event in each folder for the skills that are given. Three queries, however many."""
    root = root_id() if None in by_folder else None
    given: dict[uuid.UUID, list[uuid.UUID]] = {}
    for folder_id, ids in by_folder.items():
        if ids and (place := folder_id or root):
            given.setdefault(place, []).extend(ids)
    if not given:
        return
    there = set(Folder.objects.filter(pk__in=given).values_list("pk", flat=True))
    names = _first_names(given)
    FolderEvent.objects.bulk_create(
        FolderEvent(
            folder_id=folder_id,
            actor=user,
            what=what,
            count=len(ids),
            names=[name for _id, name in names.get(folder_id, [])],
            skills=[skill_id for skill_id, _name in names.get(folder_id, [])],
        )
        for folder_id, ids in given.items()
        if folder_id in there
    )


def _first_names(given: Mapping[uuid.UUID, Ids]) -> dict[uuid.UUID, list[tuple[uuid.UUID, str]]]:
    wanted = {skill_id for ids in given.values() for skill_id in list(ids)[:NAMED]}
    rows = dict(Skill.objects.filter(pk__in=wanted).values_list("pk", "name"))
    return {
        folder_id: [(i, rows[i]) for i in list(ids)[:NAMED] if i in rows] for folder_id, ids in given.items()
    }


@receiver(skill_written)
def note_written(skill: Skill, user: User | None, what: str, was: Mapping[str, Any], **kwargs: Any) -> None:
    """A skill was written, changed, restored or read from a file; what only sorts it is not told."""
    if what == "changed" and was and not was.keys() & TELLING:
        return
    note({skill.folder_id: [skill.pk]}, what, user)


@receiver(skills_moved)
def note_moved(
    before: Mapping[uuid.UUID | None, Ids], target: Folder | None, user: User | None, **kwargs: Any
) -> None:
    """Skills left these folders and came into that one."""
    target_id = target.pk if target else None
    left = {folder_id: list(ids) for folder_id, ids in before.items() if folder_id != target_id}
    note(left, "moved_out", user)
    note({target_id: [skill_id for ids in left.values() for skill_id in ids]}, "moved_in", user)


@receiver(skills_trashed)
def note_trashed(ids: Iterable[uuid.UUID], user: User | None, **kwargs: Any) -> None:
    """Skills went to the trash."""
    note(_by_folder(ids), "deleted", user)


@receiver(skills_restored)
def note_restored(ids: Iterable[uuid.UUID], user: User | None, **kwargs: Any) -> None:
    """Skills came back from the trash."""
    note(_by_folder(ids), "restored", user)


def _by_folder(ids: Iterable[uuid.UUID]) -> dict[uuid.UUID | None, list[uuid.UUID]]:
    found: dict[uuid.UUID | None, list[uuid.UUID]] = {}
    rows = Skill.objects.filter(pk__in=list(ids)).order_by("priority", "name", "id")
    for skill_id, folder_id in rows.values_list("pk", "folder_id"):
        found.setdefault(folder_id, []).append(skill_id)
    return found


def prune() -> int:
    """Forget events older than 400 days, and of each folder all but the newest 1,000; returns how many."""
    oldest = timezone.now() - timedelta(days=KEPT_DAYS)
    with connection.cursor() as cursor:
        cursor.execute(PRUNE, {"oldest": oldest, "kept": KEPT_EVENTS})
        return int(cursor.rowcount)
