"""Deleting folders, and bringing them back. What is in them stays meanwhile, and is unfiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from documents.folders import LONGEST_NAME, hold_documents, lock_the_tree, may_change, path
from documents.models import Document, Folder, FolderDeletion, FolderGrant
from documents.querysets import folder_ids_inside, hidden_folder_ids
from documents.signals import folder_emptying, folders_going, folders_restored
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, NotAllowed, NotFound

ROWS = """
INSERT INTO documents_folder
    (id, name, description, sort_order, is_system, parent_id, created_at, updated_at, place, reach)
SELECT id, name, description, sort_order, is_system, parent_id, created_at, updated_at, 0, 0
FROM jsonb_to_recordset(%s::jsonb) AS f(
    id uuid, name text, description text, sort_order int, is_system bool, parent_id uuid,
    created_at timestamptz, updated_at timestamptz
)
"""
# In one order, as everybody holds them.
HOLD = "SELECT FROM {table} WHERE id = ANY(%s::uuid[]) AND folder_id IS NULL ORDER BY id FOR NO KEY UPDATE"
# What was put elsewhere since is not in "no folder" any more, and stays where it is.
PUT_BACK = """
UPDATE {table} t SET folder_id = lay.folder::uuid
FROM (
    SELECT f.key AS folder, i.value::uuid AS id
    FROM jsonb_each(%s::jsonb) f, jsonb_array_elements_text(f.value) i
) lay
WHERE t.id = lay.id AND t.folder_id IS NULL
"""


@dataclass(frozen=True, slots=True)
class Emptied:
    """What a deletion did, or would do: folders that go, and things that become unfiled.

    ``deletion_id`` is what :func:`restore` takes; None where nothing was deleted.
    """

    folders: int
    documents: int
    skills: int
    deletion_id: UUID | None = None

    @property
    def things(self) -> int:
        """How many things become unfiled."""
        return self.documents + self.skills


@dataclass(frozen=True, slots=True)
class Restored:
    """A folder that is back. ``to_top``: the one it was in is gone, so it is at the top now.

    ``was_named`` is its former name where that was taken meanwhile, else empty.
    """

    folder: Folder
    folders: int
    to_top: bool = False
    was_named: str = ""

    def sentence(self) -> str:
        """What became of it, for people."""
        said = [_("The folder “%(name)s” is back.") % {"name": self.folder.name}]
        if self.was_named:
            said.append(_("There is another “%(name)s” there now.") % {"name": self.was_named})
        if self.to_top:
            said.append(_("The folder it was in is gone, so it is at the top."))
        return " ".join(said)


def would_empty(folder: Folder) -> Emptied:
    """What :func:`delete` would do to ``folder``."""
    return _counted(folder_ids_inside(folder.pk))


def is_closed(folder: Folder) -> bool:
    """Whether a grant narrows it or a folder inside: then what is unfiled is seen by more people."""
    above = [step.pk for step in path(folder.pk)]
    return FolderGrant.objects.filter(folder__in=[*above, *folder_ids_inside(folder.pk)]).exists()


@transaction.atomic
def delete(folder: Folder, user: User) -> Emptied:
    """Put ``folder`` and those inside it in the trash; documents and skills in them become unfiled.

    Raises NotAllowed, NotFound when it is gone already, and Conflict when a folder inside is closed
    to ``user``.
    """
    may_change(folder, user)
    if user.narrowed_to:
        raise NotAllowed(
            _("This key is limited to a folder: what is in a deleted one would leave its reach.")
        )
    lock_the_tree()
    ids = folder_ids_inside(folder.pk)
    if not ids:
        raise NotFound(_("This folder is gone, or you may not see it."))
    if Folder.objects.visible_to(user).filter(pk__in=ids).count() < len(ids):
        raise Conflict(_("A folder inside is closed to you, so this one can’t be deleted by you."))
    kept = _keep(folder, ids, user)
    emptied = _counted(ids)
    Folder.objects.filter(pk__in=ids).delete()
    audit.record(user, "folder.deleted", kept.name, folder=str(folder.pk), deletion=str(kept.pk))
    return Emptied(emptied.folders, emptied.documents, emptied.skills, kept.pk)


def in_trash(user: User) -> QuerySet[FolderDeletion]:
    """The deleted folders ``user`` may see and bring back.

    One's own and, for admins, all; others only where everybody could see all of it, and the folder it
    was in is not closed to them since. A key limited to a folder sees none: what was in them is
    unfiled, out of its reach.
    """
    if user.narrowed_to:
        return FolderDeletion.objects.none()
    if user.role == "admin":
        return FolderDeletion.objects.all()
    closed = Q(folders__0__parent_id__in=[str(folder_id) for folder_id in hidden_folder_ids(user)])
    return FolderDeletion.objects.filter(Q(user=user) | Q(was_open=True) & ~closed)


@transaction.atomic
def restore(deletion_id: UUID, user: User) -> Restored:
    """Bring a deleted folder back, with those that were inside it, what lay in them, and its grants.

    Where its parent is gone it comes to the top, as closed as it was; where its name is taken it is
    named "name 2". Things that were put elsewhere since stay there. Raises NotAllowed, NotFound, and
    Conflict when its parent was closed to ``user`` meanwhile.
    """
    require(user, "edit")
    lock_the_tree()
    deletion = in_trash(user).select_for_update(of=("self",)).filter(pk=deletion_id).first()
    if deletion is None:
        raise NotFound(_("It is not in the trash any more."))
    rows: list[dict[str, Any]] = deletion.folders
    first = rows[0]
    parent_id, name = first["parent_id"], first["name"]
    if to_top := _is_gone(parent_id, user):
        first["parent_id"] = None
        first["grants"] = first["grants"] or first["grants_above"]
    first["name"] = _free(name, first["parent_id"])
    with connection.cursor() as cursor:
        cursor.execute(ROWS, [json.dumps(rows)])
    _grant(rows, user)
    put_back(Document, deletion.contents.get("documents", {}))
    folders_restored.send(Folder, contents=deletion.contents, user=user)
    deletion.delete()
    folder = Folder.objects.get(pk=first["id"])
    audit.record(user, "folder.restored", folder.name, folder=str(folder.pk))
    return Restored(folder, len(rows), to_top, name if folder.name != name else "")


def _is_gone(parent_id: str | None, user: User) -> bool:
    if not parent_id or Folder.objects.visible_to(user).filter(pk=parent_id).exists():
        return False
    if Folder.objects.filter(pk=parent_id).exists():
        raise Conflict(_("The folder it was in is closed to you now. Ask somebody who may see it."))
    return True


def put_back(model: type[Model], contents: Mapping[str, Sequence[str]]) -> int:
    """Put rows of ``model`` that are in no folder into those they lay in, in one statement.

    ``contents`` maps a folder's id to ids of rows; what is gone is passed over. Returns how many.
    """
    ids = [thing_id for lying in contents.values() for thing_id in lying]
    with connection.cursor() as cursor:
        cursor.execute(HOLD.format(table=model._meta.db_table), [ids])
        cursor.execute(PUT_BACK.format(table=model._meta.db_table), [json.dumps(contents)])
        return int(cursor.rowcount)


def lying_in(things: Iterable[tuple[UUID | None, UUID]]) -> dict[str, list[str]]:
    """Pairs of a folder's id and a thing's id as a deletion keeps them."""
    found: dict[str, list[str]] = {}
    for folder_id, thing_id in things:
        found.setdefault(str(folder_id), []).append(str(thing_id))
    return found


def _counted(ids: list[UUID]) -> Emptied:
    answers = folder_emptying.send(Folder, folder_ids=ids)
    return Emptied(
        folders=len(ids),
        documents=Document.objects.filter(folder__in=ids, deleted_at=None).count(),
        skills=sum(int(count or 0) for _receiver, count in answers),
    )


def _keep(folder: Folder, ids: list[UUID], user: User) -> FolderDeletion:
    """All that is needed to put the folders back, also what is in the trash already."""
    above = path(folder.parent_id)
    documents = Document.objects.filter(folder__in=ids).order_by("pk")
    hold_documents(documents.values_list("pk", flat=True))
    contents: dict[str, Any] = {"documents": lying_in(documents.values_list("folder_id", "pk"))}
    for _receiver, kept in folders_going.send(Folder, folder_ids=ids, user=user):
        contents |= kept if isinstance(kept, dict) else {}
    return FolderDeletion.objects.create(
        name=folder.name,
        path=[step.name for step in above],
        folders=_rows(folder, ids, [step.pk for step in above]),
        contents=contents,
        was_open=not is_closed(folder),
        user=user,
    )


def _rows(folder: Folder, ids: list[UUID], above: list[UUID]) -> list[dict[str, Any]]:
    grants: dict[UUID, list[dict[str, Any]]] = {}
    found = FolderGrant.objects.filter(folder__in=[*ids, *above])
    for folder_id, user_id, group_id in found.values_list("folder_id", "user_id", "group_id"):
        grants.setdefault(folder_id, []).append(
            {"user": str(user_id) if user_id is not None else None, "group": group_id}
        )
    rows = [
        {
            "id": str(row.pk),
            "name": row.name,
            "description": row.description,
            "sort_order": row.sort_order,
            "is_system": row.is_system,
            "parent_id": str(row.parent_id) if row.parent_id else None,
            "created_at": row.created_at.isoformat(),
            "updated_at": row.updated_at.isoformat(),
            "grants": grants.get(row.pk, []),
        }
        for row in Folder.objects.filter(pk__in=ids).order_by("place")
    ]
    # What closed it from above closes it again if it has to come back without its parent.
    nearest = next((grants[pk] for pk in reversed(above) if pk in grants), [])
    rows[0]["grants_above"] = nearest
    return rows


def _grant(rows: list[dict[str, Any]], restorer: User) -> None:
    """Give the folders their grants again; to people and groups that still are."""
    wanted = [(row["id"], grant["user"], grant["group"]) for row in rows for grant in row["grants"]]
    people = {
        str(pk)
        for pk in User.objects.filter(pk__in={u for _f, u, _g in wanted if u}).values_list("pk", flat=True)
    }
    groups = set(Group.objects.filter(pk__in={g for _f, _u, g in wanted if g}).values_list("pk", flat=True))
    given = [
        FolderGrant(folder_id=folder, user_id=user, group_id=group)
        for folder, user, group in wanted
        if user in people or group in groups
    ]
    # What was closed must not come back open because all who were named have left.
    orphaned = {folder for folder, _u, _g in wanted} - {grant.folder_id for grant in given}
    given += [FolderGrant(folder_id=folder, user=restorer) for folder in sorted(orphaned)]
    FolderGrant.objects.bulk_create(given)


def _free(name: str, parent_id: str | None) -> str:
    """``name``, or the first of "name 2", "name 3"… that no folder there has."""
    taken = set(Folder.objects.filter(parent_id=parent_id).values_list("name", flat=True))
    number, tried = 1, name
    while tried in taken:
        number += 1
        ending = f" {number}"
        tried = name[: LONGEST_NAME - len(ending)].rstrip() + ending
    return tried
