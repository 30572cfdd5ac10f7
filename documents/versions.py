"""A document gets a newer version."""

from __future__ import annotations

from django.db import transaction

from documents import runs
from documents.models import Document, DocumentVersion, IngestRun, UploadBatch


def add_version(
    document: Document, version: DocumentVersion, batch: UploadBatch | None, *, filename: str
) -> IngestRun:
    """Make ``version`` (stored, perhaps unsaved) the newest of ``document``; returns its run.

    What was still being done with older versions is stopped.
    """
    with transaction.atomic():
        locked = Document.objects.select_for_update().get(pk=document.pk)
        newest = locked.versions.order_by("-number").first()
        runs.cancel(locked, "superseded")
        version.document = locked
        version.number = newest.number + 1 if newest else 1
        version.save()
        locked.filename = filename
        locked.save(update_fields=["filename", "updated_at"])
        return runs.start(version, batch=batch, on_duplicate=IngestRun.OnDuplicate.VERSION)
