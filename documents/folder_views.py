"""Making, renaming, moving and deleting folders on pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from documents import folder_trash, folders
from documents.forms import folder_id_of, way_back
from documents.models import Folder
from documents.siblings import beside
from documents.tree import Node, branch, flat, kinds_of_things, visible_tree
from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError
from kbsite.middleware import is_htmx
from kbsite.sent import as_id
from kbsite.toasts import say

NO_CONTENT = 204
UNPROCESSABLE = 422


def _back(request: HttpRequest, folder: Folder | None) -> HttpResponse:
    """Where the form came from, if it says so; else the folder's documents."""
    there = _asked_back(request)
    return redirect(there) if there else _to(folder)


def _asked_back(request: HttpRequest) -> str:
    """Where the request says that it came from; empty where it does not."""
    return way_back(request) if request.GET.get("next") or request.POST.get("next") else ""


def _to(folder: Folder | None) -> HttpResponse:
    query = f"?{urlencode({'folder': folder.pk})}" if folder else ""
    return redirect(reverse("documents:list") + query)


def _places(user: User, but: Folder | None = None) -> list[tuple[Node, list[str]]]:
    """Folders that may hold ``but``: not the system folder, not itself, nothing inside it."""
    closed: set[UUID | None] = {None}
    places = []
    for node, path in flat(visible_tree(user, None)):
        if but is not None and node.id == but.pk:
            closed |= {inside.id for inside, _path in flat([node])}
        if node.id not in closed and not node.is_system:
            places.append((node, path))
    return places


def _form(request: HttpRequest, context: dict[str, Any], problem: str = "") -> HttpResponse:
    status = UNPROCESSABLE if problem else 200
    return render(request, "documents/folder.html", context | {"problem": problem}, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """A new folder, inside ``parent`` or at the top."""
    user = person(request)
    require(user, "edit")
    given = request.POST or request.GET
    context = {
        "parents": _places(user),
        "name": given.get("name", ""),
        "parent": given.get("parent", ""),
        "next": way_back(request) if given.get("next") else "",
    }
    if request.method == "GET":
        return _form(request, context)
    try:
        made = folders.create(
            user, request.POST.get("name", ""), parent_id=folder_id_of(request.POST.get("parent"))
        )
    except KnowledgeError as error:
        return _form(request, context, str(error))
    say(request, _("The folder “%(name)s” is there.") % {"name": made.name})
    return _back(request, made)


@login_required
@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Rename a folder, or put it elsewhere."""
    user = person(request)
    require(user, "edit")
    folder = folders.find(folder_id, user)
    context = {
        "folder": folder,
        "parents": _places(user, folder),
        "name": request.POST.get("name", folder.name),
        "parent": request.POST.get("parent", str(folder.parent_id or "")),
        "next": _asked_back(request),
        "moves": "move" in request.GET,
    }
    if request.method == "GET":
        return _form(request, context)
    try:
        with transaction.atomic():
            if "parent" in request.POST and folder_id_of(request.POST["parent"]) != folder.parent_id:
                folders.move(folder, user, folder_id_of(request.POST["parent"]))
            folders.rename(folder, user, request.POST.get("name", ""))
    except KnowledgeError as error:
        return _form(request, context, str(error))
    say(request, _("Saved."))
    return _back(request, folder)


@login_required
@require_POST
def place(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Put a folder into ``parent`` (empty is the top), ``before`` or ``after`` one that is there.

    The answer carries the way back, and no page for a request of the tree's own.
    """
    user = person(request)
    folder = folders.find(folder_id, user)
    given = request.POST if "parent" in request.POST else request.GET
    before, after = as_id(given.get("before")), as_id(given.get("after"))
    was = beside(folder, user)
    folders.move(folder, user, folder_id_of(given.get("parent")), before=before, after=after)
    say(request, _placed(folder, was["parent_id"]), undo=_undo(request, folder, was))
    return HttpResponse(status=NO_CONTENT) if is_htmx(request) else _back(request, folder)


def _placed(folder: Folder, former_parent: UUID | None) -> str:
    name = {"name": folder.name}
    if folder.parent_id == former_parent:
        return _("The folder “%(name)s” has a new place.") % name
    if folder.parent is None:
        return _("The folder “%(name)s” is at the top now.") % name
    return _("The folder “%(name)s” is in “%(parent)s” now.") % (name | {"parent": folder.parent.name})


def _undo(request: HttpRequest, folder: Folder, was: dict[str, UUID | None]) -> str:
    query = {"parent": str(was["parent_id"] or ""), "next": request.POST.get("next", "")}
    query |= {name: str(id) for name, id in was.items() if id and name != "parent_id"}
    return f"{reverse('documents:folder_place', args=[folder.pk])}?{urlencode(query)}"


@login_required
@require_http_methods(["GET", "POST"])
def contents(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Put everything that lies directly in a folder into another, or unfile it."""
    user = person(request)
    require(user, "edit")
    folder = folders.find(folder_id, user)
    node = branch(user, kinds_of_things(), folder.pk, most=0)
    context = {
        "folder": folder,
        "own": node.own if node else {},
        "things": sum(node.own.values()) if node else 0,
        "targets": [(at, path) for at, path in _places(user) if at.id != folder.pk],
        "next": _asked_back(request),
    }
    if request.method == "GET":
        return render(request, "documents/folder_contents.html", context)
    target_id = folder_id_of(request.POST.get("folder"))
    moved = folders.move_contents(folder, user, target_id)
    target = folders.find(target_id, user)
    said = ngettext("%d thing was moved.", "%d things were moved.", moved.count) % moved.count
    say(request, said, undo=_undo_move(moved.move_id) if moved.move_id else "")
    return _back(request, target or folder)


def _undo_move(move_id: UUID) -> str:
    """The address that undoes a move of many things; it belongs to an app further along."""
    try:
        return reverse("skills:undo", args=[move_id])
    except NoReverseMatch:
        return ""


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Say what would become unfiled, then do it."""
    user = person(request)
    require(user, "edit")
    folder = folders.find(folder_id, user)
    if request.method == "GET":
        context = {
            "folder": folder,
            "emptied": folder_trash.would_empty(folder),
            "is_closed": folder_trash.is_closed(folder),
            "days": settings.KB_TRASH_DAYS,
            "next": _asked_back(request),
        }
        return render(request, "documents/folder_delete.html", context)
    emptied = folder_trash.delete(folder, user)
    said = ngettext("%d thing is unfiled now.", "%d things are unfiled now.", emptied.things) % emptied.things
    gone = _("The folder “%(name)s” is gone.") % {"name": folder.name}
    undo = reverse("documents:folder_restore", args=[emptied.deletion_id])
    say(request, f"{gone} {said}" if emptied.things else gone, undo=undo)
    if request.POST.get("next") and str(folder.pk) not in request.POST["next"]:
        return redirect(way_back(request))
    return _to(folders.find(folder.parent_id, user) if folder.parent_id else None)


@login_required
@require_POST
def restore(request: HttpRequest, deletion_id: UUID) -> HttpResponse:
    """Bring a deleted folder back, with what lay in it."""
    user = person(request)
    back = folder_trash.restore(deletion_id, user)
    say(request, back.sentence())
    seen = Folder.objects.visible_to(user).filter(pk=back.folder.pk).first()
    return _to(seen)
