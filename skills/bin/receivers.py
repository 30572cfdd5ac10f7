"""What goes for good with its document."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from documents.models import Document
from documents.signals import document_purging
from skills.models import Skill


@receiver(document_purging)
def purge_its_skills(document: Document, **kwargs: Any) -> None:
    """Skills that went to the trash with the document, and would have come back with it, go too."""
    Skill.objects.filter(trashed_with=document.pk, deleted_at__isnull=False).delete()
