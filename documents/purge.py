"""Deleting documents and folders for good: nothing brings them back."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from documents import folder_trash, trash
from documents.models import Document, DocumentVersion
from documents.signals import document_purging
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound


@transaction.atomic
def delete_document(document_id: UUID, user: User) -> None:
    """Delete a document in the trash for good, with its versions, their files and its skills there.

    Raises NotAllowed (curators may), NotFound.
    """
    require(user, "curate")
    document = trash.find(document_id, user)
    if not purge(document.pk):
        raise NotFound(_("It is not in the trash any more."))
    audit.record(user, "document.purged", document.uri, name=document.filename)


@transaction.atomic
def delete_folder(deletion_id: UUID, user: User) -> None:
    """Forget a deleted folder; what lay in it stays where it is now. Raises NotAllowed, NotFound."""
    require(user, "curate")
    deletion = folder_trash.in_trash(user).select_for_update(of=("self",)).filter(pk=deletion_id).first()
    if deletion is None:
        raise NotFound(_("It is not in the trash any more."))
    deletion.delete()
    audit.record(user, "folder.purged", deletion.name)


def purge(document_id: UUID) -> bool:
    """Delete a document that is in the trash, without asking who; False when it is not there.

    Files go once the transaction is committed, those that no version uses any more. Call it in one.
    """
    gone = Document.objects.select_for_update(of=("self",)).filter(pk=document_id)
    document = gone.exclude(deleted_at=None).first()
    if document is None:
        return False
    document_purging.send(Document, document=document)
    files = list(document.versions.values_list("file", flat=True))
    document.delete()
    for name in files:
        transaction.on_commit(partial(_remove, name), robust=True)
    return True


def _remove(name: str) -> None:
    if name and not DocumentVersion.objects.filter(file=name).exists():
        default_storage.delete(name)
