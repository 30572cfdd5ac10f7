"""Folders: made, renamed, moved, deleted, and the way from the top to one (文件夹协议)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile
from typing import overload
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from documents.models import Document, Folder
from documents.names import without_unseen
from documents.siblings import LARGEST, STEP, order_beside
from documents.signals import contents_moved, document_moved
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, NotAllowed, NotFound
from kbsite.text import storable

LONGEST_NAME = 200

PATH = """
WITH RECURSIVE up AS (
    SELECT f.*, 0 AS height FROM documents_folder f WHERE f.id = %s
    UNION ALL
    SELECT f.*, up.height + 1 FROM documents_folder f JOIN up ON f.id = up.parent_id
)
SELECT * FROM up WHERE NOT is_system ORDER BY height DESC
"""


@dataclass(frozen=True, slots=True)
class Relocated:
    """How many things went to another folder together, and the move to undo, where one is kept."""

    count: int
    move_id: UUID | None = None


def path(folder_id: UUID | None, user: User | None = None) -> list[Folder]:
    """The folders from the top down to this one (the protocol's get_folder_path), in one query.

    Empty for None. The system folder is in no path. For a ``user`` whose key is limited to a folder it
    begins there.
    """
    if folder_id is None:
        return []
    way: list[Folder] = list(Folder.objects.raw(PATH, [folder_id]))
    top = user.narrowed_to if user else None
    return list(dropwhile(lambda step: step.pk != top, way)) if top else way


@overload
def find(folder_id: UUID, user: User) -> Folder: ...


@overload
def find(folder_id: UUID | None, user: User) -> Folder | None: ...


def find(folder_id: UUID | None, user: User) -> Folder | None:
    """The folder with that id; None for None. Raises NotFound when ``user`` may not see it."""
    if folder_id is None:
        return None
    keep_the_tree()
    folder: Folder | None = Folder.objects.visible_to(user).filter(pk=folder_id).first()
    if folder is None:
        raise NotFound(_("This folder is gone, or you may not see it."))
    return folder


def is_there(folder_id: UUID) -> bool:
    """Whether the folder has not been deleted; in a transaction it stays so until its end."""
    keep_the_tree()
    return bool(Folder.objects.filter(pk=folder_id).exists())


def create(
    user: User,
    name: str,
    *,
    parent_id: UUID | None = None,
    description: str = "",
    sort_order: int | None = None,
) -> Folder:
    """A new folder, last among its siblings unless ``sort_order`` says otherwise.

    Raises NotAllowed, InvalidInput (the name), NotFound (the parent), Conflict (the name is
    taken there; or the parent is the system folder).
    """
    require(user, "edit")
    name = _name(name)
    with transaction.atomic():
        lock_the_tree()
        parent = _parent(parent_id or user.narrowed_to, user)
        _refuse_taken(name, parent)
        order = _last(parent) + STEP if sort_order is None else sort_order
        folder = Folder(name=name, parent=parent, sort_order=order)
        folder.description = storable(description).strip()
        folder.save()
    return folder


def rename(
    folder: Folder,
    user: User,
    name: str | None = None,
    *,
    description: str | None = None,
    sort_order: int | None = None,
) -> Folder:
    """Change a folder's name, description or order; what is None stays.

    Raises NotAllowed, InvalidInput, Conflict.
    """
    may_change(folder, user)
    with transaction.atomic():
        lock_the_tree()
        _as_it_is_now(folder)
        if name is not None:
            folder.name = _name(name)
            _refuse_taken(folder.name, folder.parent, folder)
        if description is not None:
            folder.description = storable(description).strip()
        if sort_order is not None:
            folder.sort_order = sort_order
        folder.save()
    return folder


def move(
    folder: Folder,
    user: User,
    parent_id: UUID | None,
    *,
    sort_order: int | None = None,
    before: UUID | None = None,
    after: UUID | None = None,
) -> Folder:
    """Put ``folder`` with all in it under another, or at the top for None.

    It comes last there, or right ``before`` or ``after`` one of those that are there; its siblings keep
    their numbers unless there is no room between two. Raises NotAllowed, NotFound, and Conflict
    when it would come to lie inside itself or beside one of its name; two moves at once can't make
    a ring, because they wait for each other.
    """
    may_change(folder, user)
    with transaction.atomic():
        lock_the_tree()
        parent = _parent(parent_id or user.narrowed_to, user)
        _as_it_is_now(folder)
        if parent is not None and folder.place <= parent.place <= folder.reach:
            raise Conflict(_("A folder can’t be moved into itself or a folder inside it."))
        _refuse_taken(folder.name, parent, folder)
        if before or after:
            folder.sort_order = order_beside(parent, folder, before=before, after=after)
        elif sort_order is not None:
            folder.sort_order = sort_order
        elif folder.parent_id != (parent.pk if parent else None):
            folder.sort_order = _last(parent) + STEP
        folder.parent = parent
        folder.save(update_fields=["parent", "sort_order", "updated_at"])
    return folder


def _as_it_is_now(folder: Folder) -> None:
    """Read ``folder`` again, under the lock of the tree. Raises NotFound when it is gone."""
    try:
        folder.refresh_from_db()
    except Folder.DoesNotExist as error:
        raise NotFound(_("This folder is gone, or you may not see it.")) from error


def move_contents(folder: Folder, user: User, target_id: UUID | None) -> Relocated:
    """Put everything that lies directly in ``folder`` into another.

    Documents here, skills by whoever listens to ``contents_moved``. Raises NotAllowed, NotFound.
    """
    require(user, "edit")
    with transaction.atomic():
        target = find(target_id or user.narrowed_to, user)
        ids = hold_documents(
            Document.objects.visible_to(user).filter(folder=folder).values_list("pk", flat=True)
        )
        documents = list(Document.objects.visible_to(user).filter(folder=folder, pk__in=ids))
        answers = contents_moved.send(Folder, folder=folder, target=target, user=user, documents=ids)
        for document in documents:
            put(document, target, user)
    moved: list[tuple[int, UUID | None]] = [answer for _receiver, answer in answers if answer]  # type: ignore[misc]
    count = len(documents) + sum(count for count, _move_id in moved)
    return Relocated(count, next((move_id for _count, move_id in moved), None))


def hold_documents(ids: Iterable[UUID | str]) -> list[UUID]:
    """Keep documents from being changed until the transaction ends; those that are there.

    In one order, and before the skills that were read from them: as everybody who holds both.
    """
    held = Document.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=list(ids))
    return list(held.order_by("pk").values_list("pk", flat=True))


def put(document: Document, target: Folder | None, user: User) -> None:
    """Move ``document`` into ``target``, None for unfiled; a key limited to a folder stays in it.

    Raises NotAllowed, NotFound.
    """
    require(user, "edit")
    with transaction.atomic():
        document.folder = find(target.pk if target else user.narrowed_to, user)
        document.save(update_fields=["folder", "updated_at"])
        document_moved.send(Document, document=document, user=user)


def may_change(folder: Folder, user: User) -> None:
    """Raises NotAllowed when ``user`` may not rename, move or delete ``folder``."""
    require(user, "edit")
    if folder.is_system:
        raise NotAllowed(_("The root folder can’t be renamed, moved or deleted."), code="system_folder")
    if folder.pk == user.narrowed_to:
        raise NotAllowed(_("This key is limited to this folder and can’t change the folder itself."))


def lock_the_tree() -> None:
    """One change of the tree at a time, in every process, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('documents:tree', 0))")


def keep_the_tree() -> None:
    """No folder is deleted until the transaction ends, if there is one; others may read meanwhile."""
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended('documents:tree', 0))")


def _parent(parent_id: UUID | None, user: User) -> Folder | None:
    parent = find(parent_id, user)
    if parent is not None and parent.is_system:
        raise Conflict(_("The root folder holds no folders. Leave the parent empty for the top."))
    return parent


def _name(name: str) -> str:
    name = " ".join(without_unseen(name).split())
    if not name:
        raise InvalidInput(_("Give the folder a name."))
    if len(name) > LONGEST_NAME:
        raise InvalidInput(_("A folder’s name has at most %(limit)s characters.") % {"limit": LONGEST_NAME})
    return name


def _refuse_taken(name: str, parent: Folder | None, but: Folder | None = None) -> None:
    others = Folder.objects.filter(parent=parent, name=name)
    if others.exclude(pk=but.pk if but else None).exists():
        raise Conflict(
            _("There is already a folder named “%(name)s” here.") % {"name": name}, code="name_taken"
        )


def _last(parent: Folder | None) -> int:
    orders = Folder.objects.filter(parent=parent).order_by("-sort_order")
    last = int(orders.values_list("sort_order", flat=True).first() or 0)
    return min(last, LARGEST - STEP)
