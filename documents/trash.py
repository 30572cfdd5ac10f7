"""Taking a document away, and bringing it back."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import runs
from documents.models import Document, IngestRun
from documents.querysets import visible_folders
from documents.signals import document_deleted, document_restored
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound


def delete_document(document: Document, user: User) -> None:
    """Put ``document`` in the trash and stop what is being done with it. Raises NotAllowed.

    What search and chat hold of it goes in the same transaction (``document_deleted``).
    """
    require(user, "edit")
    with transaction.atomic():
        now = timezone.now()
        if not Document.objects.filter(pk=document.pk, deleted_at=None).update(
            deleted_at=now, deleted_by=user
        ):
            return
        document.deleted_at, document.deleted_by = now, user
        runs.cancel(document)
        document_deleted.send(Document, document=document, user=user)


def restore_document(document: Document, user: User) -> None:
    """Take ``document`` out of the trash; what was cut short is read again. Raises NotAllowed."""
    require(user, "edit")
    with transaction.atomic():
        gone = Document.objects.filter(pk=document.pk).exclude(deleted_at=None)
        if not gone.update(deleted_at=None, deleted_by=None):
            return
        document.deleted_at = document.deleted_by = None
        document_restored.send(Document, document=document, user=user)
        run = document.run
        if run is not None and run.status == IngestRun.Status.SKIPPED and run.code == "cancelled":
            runs.retry(run)


def find(document_id: UUID, user: User) -> Document:
    """A document in the trash that ``user`` may see. Raises NotFound."""
    in_trash = Document.objects.filter(visible_folders(user)).exclude(deleted_at=None)
    document = in_trash.select_related("run").filter(pk=document_id).first()
    if document is None:
        raise NotFound(_("It is not in the trash any more."))
    return document
