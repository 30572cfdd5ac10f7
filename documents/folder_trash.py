"""Deleting folders: what is in them stays, and is unfiled."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from documents.folders import lock_the_tree, may_change, path
from documents.models import Document, Folder, FolderGrant
from documents.querysets import folder_ids_inside
from documents.signals import folder_emptying
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, NotAllowed


@dataclass(frozen=True, slots=True)
class Emptied:
    """What a deletion did, or would do: folders that go, and things that become unfiled."""

    folders: int
    documents: int
    skills: int

    @property
    def things(self) -> int:
        """How many things become unfiled."""
        return self.documents + self.skills


def would_empty(folder: Folder) -> Emptied:
    """What :func:`delete` would do to ``folder``."""
    ids = folder_ids_inside(folder.pk)
    answers = folder_emptying.send(Folder, folder_ids=ids)
    return Emptied(
        folders=len(ids),
        documents=Document.objects.filter(folder__in=ids, deleted_at=None).count(),
        skills=sum(int(count or 0) for _receiver, count in answers),
    )


def is_closed(folder: Folder) -> bool:
    """Whether a grant narrows it or a folder inside: then what is unfiled is seen by more people."""
    above = [step.pk for step in path(folder.pk)]
    return FolderGrant.objects.filter(folder__in=[*above, *folder_ids_inside(folder.pk)]).exists()


def delete(folder: Folder, user: User) -> Emptied:
    """Delete ``folder`` and those inside it; documents and skills in them become unfiled.

    Raises NotAllowed, and Conflict when a folder inside is closed to ``user``.
    """
    may_change(folder, user)
    if user.narrowed_to:
        raise NotAllowed(
            _("This key is limited to a folder: what is in a deleted one would leave its reach.")
        )
    with transaction.atomic():
        lock_the_tree()
        ids = folder_ids_inside(folder.pk)
        if Folder.objects.visible_to(user).filter(pk__in=ids).count() < len(ids):
            raise Conflict(_("A folder inside is closed to you, so this one can’t be deleted by you."))
        emptied = would_empty(folder)
        Folder.objects.filter(pk__in=ids).delete()
    return emptied
