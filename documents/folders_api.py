"""``/api/folders``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Status

from documents import folder_trash, folders
from documents.abstracts import abstracts
from documents.models import Folder
from documents.schemas import (
    FolderChange,
    FolderGone,
    FolderIn,
    FolderMove,
    FolderOut,
    Moved,
    MoveIn,
    folder_out,
)
from documents.tree import EVERY, Node, branch, flat, kinds_of_things, top_of, visible_tree
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound

router = Router(tags=["folders"])

LEVELS = 64  # deeper ones are asked for by their parent: programs can't read JSON of any depth


def _answer(folder: Folder, user: User) -> dict[str, Any]:
    node = branch(user, kinds_of_things(), folder.pk, most=0)
    path = [f.name for f in folders.path(folder.pk, user)]
    return folder_out(folder, path, node, abstract=abstracts([folder.pk], user).get(folder.pk, ""))


@router.get("", response=list[FolderOut], summary="Folders: those in one, or the whole tree")
def list_folders(
    request: HttpRequest, parent_id: UUID | None = None, tree: bool = False
) -> list[dict[str, Any]]:
    """Without ``parent_id`` the top ones; ``tree=true`` nests all below, 64 levels at most."""
    user = person(request)
    found = _whole(user, parent_id) if tree else _level(user, parent_id)
    if found is None:
        raise NotFound(_("This folder is gone, or you may not see it."))
    above = [folder.name for folder in folders.path(parent_id, user)]
    ids = [node.id for node, _path in flat(found) if node.id]
    known = _Known(Folder.objects.in_bulk(ids), abstracts(ids, user))
    return _as_json(found, above, known, LEVELS if tree else 1)


def _whole(user: User, parent_id: UUID | None) -> list[Node] | None:
    nodes = visible_tree(user)
    if parent_id is None:
        return nodes
    return next((node.children for node, _path in flat(nodes) if node.id == parent_id), None)


def _level(user: User, parent_id: UUID | None) -> list[Node] | None:
    if parent_id is None:
        return top_of(user, kinds_of_things(), most=EVERY)
    parent = branch(user, kinds_of_things(), parent_id, most=EVERY)
    return parent.children if parent else None


@dataclass(frozen=True, slots=True)
class _Known:
    """Rows and abstracts of folders, by id."""

    rows: dict[UUID, Folder]
    abstracts: dict[UUID, str]


def _as_json(nodes: list[Node], above: list[str], known: _Known, levels: int) -> list[dict[str, Any]]:
    found = []
    for node in nodes:
        if node.id is not None and (folder := known.rows.get(node.id)):
            path = above if node.is_system else [*above, node.name]
            children = _as_json(node.children, path, known, levels - 1) if levels > 1 else []
            abstract = known.abstracts.get(node.id, "")
            found.append(folder_out(folder, path, node, children, abstract=abstract))
    return found


@router.post("", response={201: FolderOut}, summary="A new folder")
def create(request: HttpRequest, payload: FolderIn) -> Status[dict[str, Any]]:
    """Last among its siblings unless ``sort_order`` says otherwise."""
    user = person(request)
    made = folders.create(
        user,
        payload.name,
        parent_id=payload.parent_id,
        description=payload.description,
        sort_order=payload.sort_order,
    )
    return Status(201, _answer(made, user))


@router.get("/{uuid:folder_id}", response=FolderOut, summary="One folder")
def get(request: HttpRequest, folder_id: UUID) -> dict[str, Any]:
    """With its path and counts."""
    user = person(request)
    return _answer(folders.find(folder_id, user), user)


@router.put("/{uuid:folder_id}", response=FolderOut, summary="Change what is given")
def change(request: HttpRequest, folder_id: UUID, payload: FolderChange) -> dict[str, Any]:
    """Name, description, order, and its parent when that is given."""
    user = person(request)
    folder = folders.find(folder_id, user)
    given = payload.dict(exclude_unset=True)
    if "parent_id" in given:
        folders.move(folder, user, given.pop("parent_id"))
    folders.rename(folder, user, **given)
    return _answer(folder, user)


@router.delete("/{uuid:folder_id}", response=FolderGone, summary="Delete a folder and those inside it")
def delete(request: HttpRequest, folder_id: UUID) -> dict[str, Any]:
    """Documents and skills in them stay, and are unfiled. ``deletion_id`` brings it back."""
    user = person(request)
    gone = folder_trash.delete(folders.find(folder_id, user), user)
    return {
        "success": True,
        "deletion_id": gone.deletion_id,
        "folders": gone.folders,
        "documents_unfiled": gone.documents,
        "skills_unfiled": gone.skills,
    }


@router.post("/{uuid:folder_id}/move", response=FolderOut, summary="Put a folder into another")
def move(request: HttpRequest, folder_id: UUID, payload: FolderMove) -> dict[str, Any]:
    """With all that is in it, last there or beside one that is. Into itself or a folder inside it: 409."""
    user = person(request)
    folder = folders.find(folder_id, user)
    folders.move(folder, user, **payload.dict())
    return _answer(folder, user)


@router.post("/{uuid:folder_id}/move-contents", response=Moved, summary="Empty a folder into another")
def move_contents(request: HttpRequest, folder_id: UUID, payload: MoveIn) -> dict[str, Any]:
    """Documents and their skills that lie directly in it; null is unfiled. ``move_id`` undoes it."""
    user = person(request)
    moved = folders.move_contents(folders.find(folder_id, user), user, payload.folder_id)
    return {"success": True, "moved": moved.count, "move_id": moved.move_id}
