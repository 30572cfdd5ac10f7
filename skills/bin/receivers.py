"""What becomes of skills when their folder goes and comes back, or their document goes for good."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.dispatch import receiver

from documents.folder_trash import lying_in, put_back
from documents.models import Document
from documents.signals import document_purging, folders_going, folders_restored
from kbsite.accounts.models import User
from skills.folder_pages.log import note
from skills.models import Skill


@receiver(folders_going)
def say_what_lies_there(folder_ids: Collection[uuid.UUID], **kwargs: Any) -> dict[str, Any]:
    """Which skills lie in folders that are about to go, those in the trash too; held meanwhile."""
    lying = Skill.objects.filter(folder_id__in=folder_ids).held()
    return {"skills": lying_in(lying.values_list("folder_id", "pk"))}


@receiver(folders_restored)
def put_skills_back(contents: dict[str, Any], user: User, **kwargs: Any) -> None:
    """Skills that are still unfiled lie where they lay before, and the folders' logs say so."""
    lay: dict[str, list[str]] = contents.get("skills", {})
    put_back(Skill, lay)
    back: defaultdict[uuid.UUID | None, list[uuid.UUID]] = defaultdict(list)
    rows = Skill.objects.filter(folder_id__in=list(lay), deleted_at=None).order_by("priority", "name", "pk")
    for folder_id, skill_id in rows.values_list("folder_id", "pk"):
        back[folder_id].append(skill_id)
    note(back, "restored", user)


@receiver(document_purging)
def purge_its_skills(document: Document, **kwargs: Any) -> None:
    """Skills that went to the trash with the document, and would have come back with it, go too."""
    there = Skill.objects.filter(trashed_with=document.pk, deleted_at__isnull=False)
    Skill.objects.filter(pk__in=list(there.held().values_list("pk", flat=True))).delete()
