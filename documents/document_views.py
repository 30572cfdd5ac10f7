"""The page of one document, and what can be done with it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from documents import folders, runs, trash
from documents.decide import decide
from documents.download import as_attachment
from documents.forms import folder_id_of, way_back
from documents.listing import find, with_run
from documents.models import Document, DocumentVersion
from documents.page import row_views
from documents.schemas import said
from documents.tree import flat, visible_tree
from documents.unlock import unlock
from kbsite.accounts.auth import person, require
from kbsite.exceptions import NotFound
from kbsite.sent import as_number
from kbsite.toasts import say

# Longer texts are shown up to here on the page; the download and the skill have all of it.
SHOWN = 200_000


@login_required
@require_GET
def document(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """What was read from the file, what became of it, and its versions."""
    user = person(request)
    one = find(document_id, user)
    request.folder_id = one.folder_id  # type: ignore[attr-defined]  # the tree marks it
    versions = list(one.versions.defer("markdown", "page_starts", "metadata"))
    version = _chosen(one, versions, request.GET.get("version"))
    context: dict[str, Any] = {
        "view": row_views([one], user)[0],
        "document": one,
        "version": version,
        "versions": versions,
        "path": folders.path(one.folder_id),
        "text": version.markdown[:SHOWN] if version else "",
        "is_cut": bool(version and len(version.markdown) > SHOWN),
        "warnings": said(version.warnings) if version else [],
    }
    return render(request, "documents/document.html", context)


def _chosen(one: Document, versions: list[DocumentVersion], wanted: str | None) -> DocumentVersion | None:
    numbers = [version.number for version in versions]
    if not numbers:
        return None
    asked = as_number(wanted or "")
    return one.versions.get(number=asked if asked in numbers else numbers[0])


@login_required
@require_GET
def download(request: HttpRequest, document_id: UUID) -> HttpResponseBase:
    """The file as it came, of the newest version or of ``?version=``."""
    one = find(document_id, person(request))
    versions = one.versions.select_related("document").defer("markdown", "page_starts")
    wanted = request.GET.get("version", "")
    version = (versions.filter(number=as_number(wanted)) if wanted else versions).first()
    if version is None:
        raise NotFound(_("There is no such version."))
    return as_attachment(version)


def _answer(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """The changed row for htmx, which stands where the button was; else the page that asked."""
    if not request.headers.get("HX-Request"):
        return redirect(way_back(request))
    user = person(request)
    changed = with_run(Document.objects.visible_to(user)).filter(pk=document_id)
    response = render(request, "documents/list.html#changed", {"views": row_views(changed, user)})
    return trigger_client_event(response, "rows-changed", after="settle")


@login_required
@require_POST
def retry(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Read it again from the start."""
    user = person(request)
    require(user, "edit")
    runs.retry(runs.of(find(document_id, user)))
    return _answer(request, document_id)


@login_required
@require_POST
def cancel(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Stop what is being done with it."""
    user = person(request)
    require(user, "edit")
    runs.cancel(find(document_id, user))
    return _answer(request, document_id)


@login_required
@require_POST
def decide_about(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Keep both, leave it out, or make it a version of the one that was here."""
    user = person(request)
    run = decide(runs.of(find(document_id, user)), request.POST.get("choice", ""), user)
    if run.version.document_id == document_id:
        return _answer(request, document_id)
    say(request, _("It is the newest version of “%(title)s” now.") % {"title": run.version.document.title})
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Refresh": "true"})
    return redirect(way_back(request))


@login_required
@require_POST
def unlock_document(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Try a password."""
    user = person(request)
    require(user, "edit")
    unlock(runs.of(find(document_id, user)), request.POST.get("password", ""))
    return _answer(request, document_id)


@login_required
@require_http_methods(["GET", "POST"])
def move(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Choose a folder; or the folder it was dropped on."""
    user = person(request)
    require(user, "edit")
    one = find(document_id, user)
    if request.method == "GET":
        places = [(node, path) for node, path in flat(visible_tree(user, None)) if node.id]
        return render(request, "documents/move.html", {"document": one, "folders": places})
    before = one.folder_id
    wanted = request.POST.get("folder", request.GET.get("folder"))
    target = folders.find(folder_id_of(wanted), user)
    folders.put(one, target, user)
    name = target.name if target else _("Unfiled")
    undo = reverse("documents:move", args=[one.pk]) + f"?folder={before or ''}"
    say(request, _("Moved to “%(folder)s”.") % {"folder": name}, undo=undo)
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204)
    return redirect("documents:document", one.pk)


@login_required
@require_POST
def delete(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Put it in the trash; it can be brought back for a while."""
    user = person(request)
    one = find(document_id, user)
    trash.delete_document(one, user)
    undo = reverse("documents:restore", args=[one.pk])
    say(request, _("“%(name)s” is in the trash.") % {"name": one.filename}, undo=undo)
    if request.headers.get("HX-Request"):
        return HttpResponse("")
    return redirect("documents:list")


@login_required
@require_POST
def restore(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Bring it back from the trash."""
    user = person(request)
    one = trash.find(document_id, user)
    trash.restore_document(one, user)
    say(request, _("“%(name)s” is back.") % {"name": one.filename})
    return redirect("documents:document", one.pk)
