"""Making, renaming, moving and deleting folders on pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from documents import folder_trash, folders
from documents.forms import folder_id_of
from documents.models import Folder
from documents.tree import Node, flat, visible_tree
from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError, NotFound
from kbsite.toasts import say

UNPROCESSABLE = 422


def _found(folder_id: UUID, user: User) -> Folder:
    folder = folders.find(folder_id, user)
    if folder is None:
        raise NotFound(_("This folder is gone, or you may not see it."))
    return folder


def _to(folder: Folder | None) -> HttpResponse:
    query = f"?{urlencode({'folder': folder.pk})}" if folder else ""
    return redirect(reverse("documents:list") + query)


def _places(user: User, but: Folder | None = None) -> list[tuple[Node, list[str]]]:
    """Folders that may hold ``but``: not the system folder, not itself, nothing inside it."""
    closed: set[UUID | None] = {None}
    places = []
    for node, path in flat(visible_tree(user)):
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
    context = {"parents": _places(user), "name": given.get("name", ""), "parent": given.get("parent", "")}
    if request.method == "GET":
        return _form(request, context)
    try:
        made = folders.create(
            user, request.POST.get("name", ""), parent_id=folder_id_of(request.POST.get("parent"))
        )
    except KnowledgeError as error:
        return _form(request, context, str(error))
    say(request, _("The folder “%(name)s” is there.") % {"name": made.name})
    return _to(made)


@login_required
@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Rename a folder, or put it elsewhere."""
    user = person(request)
    require(user, "edit")
    folder = _found(folder_id, user)
    context = {
        "folder": folder,
        "parents": _places(user, folder),
        "name": request.POST.get("name", folder.name),
        "parent": request.POST.get("parent", str(folder.parent_id or "")),
    }
    if request.method == "GET":
        return _form(request, context)
    try:
        if (parent := folder_id_of(request.POST.get("parent"))) != folder.parent_id:
            folders.move(folder, user, parent)
        folders.rename(folder, user, request.POST.get("name", ""))
    except KnowledgeError as error:
        return _form(request, context, str(error))
    say(request, _("Saved."))
    return _to(folder)


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, folder_id: UUID) -> HttpResponse:
    """Say what would become unfiled, then do it."""
    user = person(request)
    require(user, "edit")
    folder = _found(folder_id, user)
    if request.method == "GET":
        closed = folder_trash.is_closed(folder)
        context = {"folder": folder, "emptied": folder_trash.would_empty(folder), "is_closed": closed}
        return render(request, "documents/folder_delete.html", context)
    emptied = folder_trash.delete(folder, user)
    said = ngettext("%d thing is unfiled now.", "%d things are unfiled now.", emptied.things) % emptied.things
    gone = _("The folder “%(name)s” is gone.") % {"name": folder.name}
    undo = reverse("documents:folder_restore", args=[emptied.deletion_id])
    say(request, f"{gone} {said}" if emptied.things else gone, undo=undo)
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
