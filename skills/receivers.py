"""What becomes of skills when their document goes, comes back or moves, or their folder goes."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef
from django.dispatch import receiver
from django.utils import timezone

from documents.models import Document, Folder
from documents.signals import (
    contents_moved,
    document_deleted,
    document_moved,
    document_restored,
    folder_emptying,
)
from documents.tree import count_also
from kbsite.accounts.models import User
from skills import merge, moves, trash
from skills.models import Skill, Source
from skills.signals import skill_written, skills_moved, skills_trashed

count_also("skills", lambda user: Skill.objects.visible_to(user).exclude(type=Skill.Type.SYSTEM))


@receiver(document_deleted)
def trash_its_skills(document: Document, user: User, **kwargs: Any) -> None:
    """Skills that rest on the document alone go to the trash with it; what was merged of it leaves the
    skill it was merged into.
    """
    merge.lose_document(document, user)
    elsewhere = Source.objects.filter(skill=OuterRef("pk"), version__document__deleted_at=None).exclude(
        version__document=document
    )
    resting = Skill.objects.filter(sources__version__document=document, deleted_at=None)
    ids = list(resting.exclude(Exists(elsewhere)).held().values_list("pk", flat=True))
    Skill.objects.filter(pk__in=ids).update(
        deleted_at=timezone.now(), deleted_by=user, trashed_with=document.pk
    )
    skills_trashed.send(Skill, ids=ids, user=user)


@receiver(document_restored)
def bring_its_skills_back(document: Document, user: User, **kwargs: Any) -> None:
    """Skills that went with the document come back with it; what was left undone is done."""
    states = trash.bring_back(Skill.objects.filter(trashed_with=document.pk), user)
    unfinished = [skill_id for skill_id, state in states.items() if state in trash.UNFINISHED]
    Skill.objects.filter(pk__in=unfinished).update(index_state=Skill.Index.QUEUED)


@receiver(document_moved)
def move_its_skills(document: Document, user: User, **kwargs: Any) -> None:
    """Skills of the document follow it, unless a person has put them somewhere."""
    own = Skill.objects.filter(sources__version__document=document, placed_by_hand=False)
    ids = list(own.held().values_list("pk", flat=True))
    before = moves.whereabouts(ids)
    Skill.objects.filter(pk__in=ids).update(folder_id=document.folder_id)
    skills_moved.send(Skill, before=before, target=document.folder, user=user)


@receiver(folder_emptying)
def count_what_becomes_unfiled(folder_ids: Collection[uuid.UUID], **kwargs: Any) -> int:
    """How many skills are in the folders: they stay, and become unfiled when those go."""
    return Skill.objects.filter(folder_id__in=folder_ids, deleted_at=None).count()


@receiver(contents_moved)
def move_what_lies_in_it(
    folder: Folder, target: Folder | None, user: User, documents: Collection[uuid.UUID] = (), **kwargs: Any
) -> tuple[int, uuid.UUID | None]:
    """All skills directly in ``folder`` go along, whoever placed them there; how many, and their move."""
    lying = Skill.objects.visible_to(user).filter(folder=folder).exclude(type=Skill.Type.SYSTEM)
    rows = list(lying.held().values_list("pk", "placed_by_hand"))
    Skill.objects.filter(pk__in=[skill_id for skill_id, _by_hand in rows]).update(folder=target)
    moved = moves.keep(
        {folder.pk: [skill_id for skill_id, _by_hand in rows]} if rows else {},
        target,
        user,
        followed=[skill_id for skill_id, by_hand in rows if not by_hand],
        documents={folder.pk: list(documents)} if documents else None,
    )
    return moved.count, moved.move_id


@receiver(skill_written)
def stand_alone_again(skill: Skill, user: User | None, what: str, **kwargs: Any) -> None:
    """A new version of a document whose skill was merged undoes the merge."""
    if what == "version":
        merge.new_version(skill, user)
