"""``/api/folders``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Status

from documents import folder_trash, folders
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
from documents.tree import Node, flat, visible_tree
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound

router = Router(tags=["folders"])


def _find(folder_id: UUID, user: User) -> Folder:
    found = folders.find(folder_id, user)
    if found is None:
        raise NotFound(_("There is no such folder."))
    return found


def _answer(folder: Folder, user: User) -> dict[str, Any]:
    node = next((node for node, _path in flat(visible_tree(user)) if node.id == folder.pk), None)
    return folder_out(folder, [f.name for f in folders.path(folder.pk)], node)


@router.get("", response=list[FolderOut], summary="Folders: those in one, or the whole tree")
def list_folders(
    request: HttpRequest, parent_id: UUID | None = None, tree: bool = False
) -> list[dict[str, Any]]:
    """Without ``parent_id`` the top ones; ``tree=true`` nests all of them."""
    user = person(request)
    nodes = visible_tree(user)
    known = _Known({f.pk: f for f in Folder.objects.visible_to(user)}, {n.key: p for n, p in flat(nodes)})
    if parent_id is not None:
        parent = next((node for node, _path in flat(nodes) if node.id == parent_id), None)
        if parent is None:
            raise NotFound(_("This folder is gone, or you may not see it."))
        nodes = parent.children
    return known.as_json(nodes, nested=tree)


@dataclass(frozen=True, slots=True)
class _Known:
    """Rows by id and paths by a node's key."""

    rows: dict[UUID, Folder]
    paths: dict[str, list[str]]

    def as_json(self, nodes: list[Node], *, nested: bool) -> list[dict[str, Any]]:
        found = []
        for node in nodes:
            if node.id is not None and (folder := self.rows.get(node.id)):
                children = self.as_json(node.children, nested=True) if nested else []
                found.append(folder_out(folder, self.paths[node.key], node, children))
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
    return _answer(_find(folder_id, user), user)


@router.put("/{uuid:folder_id}", response=FolderOut, summary="Change what is given")
def change(request: HttpRequest, folder_id: UUID, payload: FolderChange) -> dict[str, Any]:
    """Name, description, order, and its parent when that is given."""
    user = person(request)
    folder = _find(folder_id, user)
    given = payload.dict(exclude_unset=True)
    if "parent_id" in given:
        folders.move(folder, user, given.pop("parent_id"))
    folders.rename(folder, user, **given)
    return _answer(folder, user)


@router.delete("/{uuid:folder_id}", response=FolderGone, summary="Delete a folder and those inside it")
def delete(request: HttpRequest, folder_id: UUID) -> dict[str, Any]:
    """Documents and skills in them stay, and are unfiled. ``deletion_id`` brings it back."""
    user = person(request)
    gone = folder_trash.delete(_find(folder_id, user), user)
    return {
        "success": True,
        "deletion_id": gone.deletion_id,
        "folders": gone.folders,
        "documents_unfiled": gone.documents,
        "skills_unfiled": gone.skills,
    }


@router.post("/{uuid:folder_id}/move", response=FolderOut, summary="Put a folder into another")
def move(request: HttpRequest, folder_id: UUID, payload: FolderMove) -> dict[str, Any]:
    """With all that is in it. Into itself or a folder inside it: 409."""
    user = person(request)
    folder = _find(folder_id, user)
    folders.move(folder, user, payload.parent_id, sort_order=payload.sort_order)
    return _answer(folder, user)


@router.post("/{uuid:folder_id}/move-contents", response=Moved, summary="Empty a folder into another")
def move_contents(request: HttpRequest, folder_id: UUID, payload: MoveIn) -> dict[str, Any]:
    """Documents and their skills that lie directly in it; null is unfiled. ``move_id`` undoes it."""
    user = person(request)
    moved = folders.move_contents(_find(folder_id, user), user, payload.folder_id)
    return {"success": True, "moved": moved.count, "move_id": moved.move_id}
