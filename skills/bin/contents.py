"""What is in the trash, as one person may see it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from django.conf import settings
from django.db.models import QuerySet

from documents.folder_trash import in_trash
from documents.models import Document, FolderDeletion
from documents.querysets import visible_folders
from kbsite.accounts.models import User
from kbsite.keyset import Order
from skills.models import Skill
from skills.paths import paths

Kind = Literal["skill", "document", "folder"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NEWEST: dict[str, Order] = {
    "skill": Order(("-deleted_at", "-id")),
    "document": Order(("-deleted_at", "-id")),
    "folder": Order(("-at", "-id")),
}


@dataclass(frozen=True)
class GoneWith:
    """A skill that went with its document."""

    id: uuid.UUID
    name: str


@dataclass(frozen=True)
class Item:
    """One thing in the trash. ``path``: the folders it was in. ``goes_at`` None: not by the clock.

    ``skills`` are those that went with a document; ``folders`` and ``things`` say how many folders
    a deleted one held, itself among them, and how many things lay in them.
    """

    kind: Kind
    id: uuid.UUID
    name: str
    path: Sequence[str]
    deleted_by: str
    deleted_at: datetime | None
    goes_at: datetime | None
    about: str = ""
    language: str = ""
    skills: Sequence[GoneWith] = ()
    folders: Sequence[str] = ()
    things: int = 0


def skills_in_trash(user: User) -> QuerySet[Skill]:
    """Skills in the trash that ``user`` may see, without those that went with their document."""
    gone = Skill.objects.filter(visible_folders(user), deleted_at__isnull=False, trashed_with=None)
    return gone.select_related("deleted_by").defer("content", "overview", "config")


def documents_in_trash(user: User) -> QuerySet[Document]:
    """Documents in the trash that ``user`` may see."""
    gone = Document.objects.filter(visible_folders(user), deleted_at__isnull=False)
    return gone.select_related("deleted_by")


def rows(kind: Kind, user: User) -> QuerySet[Any]:
    """What of that kind is in the trash, in no order."""
    if kind == "skill":
        return skills_in_trash(user)
    if kind == "document":
        return documents_in_trash(user)
    return in_trash(user).select_related("user")


def counts(user: User) -> dict[Kind, int]:
    """How much of each kind is in the trash."""
    return {kind: rows(kind, user).count() for kind in KINDS}


def items(kind: Kind, found: Sequence[Any], user: User) -> list[Item]:
    """What ``user`` is told of these rows of :func:`rows`; three queries at most."""
    if kind == "folder":
        return [_folder(row) for row in found]
    where = paths((row.folder_id for row in found), user)
    names = {folder: [step.name for step in steps] for folder, steps in where.items()}
    if kind == "skill":
        return [_skill(row, names[row.folder_id]) for row in found]
    went_with = _went_with([row.pk for row in found], user)
    return [_document(row, names[row.folder_id], went_with[row.pk]) for row in found]


def goes_at(deleted_at: datetime | None) -> datetime | None:
    """When the clock deletes for good what was deleted then."""
    days = settings.KB_TRASH_DAYS
    return deleted_at + timedelta(days=days) if days and deleted_at else None


def _skill(row: Skill, path: list[str]) -> Item:
    return Item(
        "skill",
        row.pk,
        row.name,
        path,
        str(row.deleted_by or ""),
        row.deleted_at,
        goes_at(row.deleted_at),
        about=row.abstract or row.description,
        language=row.language,
    )


def _document(row: Document, path: list[str], skills: list[GoneWith]) -> Item:
    by = str(row.deleted_by or "")
    at = row.deleted_at
    return Item("document", row.pk, row.filename, path, by, at, goes_at(at), row.title, skills=skills)


def _folder(row: FolderDeletion) -> Item:
    lay = sum(
        len(things) for kind in ("skills", "documents") for things in row.contents.get(kind, {}).values()
    )
    return Item(
        "folder",
        row.pk,
        row.name,
        row.path,
        str(row.user or ""),
        row.at,
        goes_at(row.at),
        about=row.folders[0].get("description", ""),
        folders=[folder["name"] for folder in row.folders[1:]],
        things=lay,
    )


def _went_with(document_ids: list[uuid.UUID], user: User) -> defaultdict[uuid.UUID, list[GoneWith]]:
    found: defaultdict[uuid.UUID, list[GoneWith]] = defaultdict(list)
    gone = Skill.objects.filter(visible_folders(user), trashed_with__in=document_ids).order_by("name", "pk")
    for document_id, skill_id, name in gone.values_list("trashed_with", "pk", "name"):
        if document_id is not None:
            found[document_id].append(GoneWith(skill_id, name))
    return found
