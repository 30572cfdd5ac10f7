"""The documents page: the list, what moves on it, and files coming in."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from documents import folders, runs
from documents.forms import checked_ids, folder_id_of, way_back
from documents.listing import Filters
from documents.live import page_events
from documents.models import Document, UploadBatch
from documents.page import DocumentsPage
from documents.trash import delete_document
from documents.upload import receive
from kbsite.accounts.auth import person, require
from kbsite.exceptions import KnowledgeError, NotFound
from kbsite.sent import as_id
from kbsite.sse import SSEResponse
from kbsite.toasts import say

MOST_FOLLOWED = 100


@login_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """The list, or for htmx the part of it that changes."""
    get = request.GET
    folder_id_of(get.get("folder"))  # nonsense is refused before the page is made
    filters = Filters(folder=get.get("folder", ""), status=get.get("status", ""), q=get.get("q", "")[:200])
    batch_id = as_id(get.get("batch"))
    page = DocumentsPage(person(request), filters, get.get("page", "1"), batch_id)
    part = "documents/list.html#list" if request.headers.get("HX-Request") else "documents/list.html"
    return render(request, part, page.context())


@login_required
@require_GET
def events(request: HttpRequest) -> HttpResponseBase:
    """Server-sent rows of what still moves on the page that asks."""
    ids = [id for text in request.GET.get("of", "").split(".") if (id := as_id(text))]
    stream = page_events(
        person(request), ids[:MOST_FOLLOWED], as_id(request.GET.get("batch")), get_language() or "en"
    )
    response = SSEResponse(stream)
    connections.close_all()  # nothing of the pool is held while it waits
    return response


@login_required
@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Files from the form or the drop area. What was turned away is said on the batch bar."""
    post = request.POST
    receipt = receive(
        request.FILES.getlist("file"),
        person(request),
        folder_id=folder_id_of(post.get("folder")),
        on_duplicate=post.get("on_duplicate") or "ask",
        key=post.get("key") or None,
        batch_id=as_id(post.get("batch")),
    )
    if request.headers.get("Accept", "").startswith("application/json"):
        return HttpResponse(str(receipt.batch.pk), content_type="text/plain")
    return redirect(_list(folder=post.get("folder", ""), batch=str(receipt.batch.pk)))


def _list(**query: str) -> str:
    kept = {name: value for name, value in query.items() if value}
    return reverse("documents:list") + (f"?{urlencode(kept)}" if kept else "")


@login_required
@require_POST
def stop(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Stop what is not finished of one's batch, or retry what failed of it."""
    user = person(request)
    require(user, "edit")
    batch = UploadBatch.objects.filter(pk=batch_id, user=user).first()
    if batch is None:
        raise NotFound(_("There is no such upload."))
    if request.POST.get("do") == "retry":
        for run in batch.runs.visible_to(user).filter(status="failed"):
            runs.retry(run)
    else:
        runs.cancel_batch(batch, user)
    return redirect(_list(batch=str(batch.pk)))


@login_required
@require_POST
def many(request: HttpRequest) -> HttpResponse:
    """Do one thing with every selected document; one that can't be done doesn't stop the others."""
    user = person(request)
    require(user, "edit")
    documents = Document.objects.visible_to(user).select_related("run").filter(pk__in=checked_ids(request))
    do = request.POST.get("do")
    target = folders.find(folder_id_of(request.POST.get("to")), user) if do == "move" else None
    done = 0
    for document in documents:
        try:
            if do == "move":
                folders.put(document, target, user)
            elif do == "delete":
                delete_document(document, user)
            elif do == "retry" and document.run is not None:
                runs.retry(document.run)
        except KnowledgeError as error:
            say(request, f"{document.filename}: {error}", level=messages.ERROR)
        else:
            done += 1
    words = {"move": _("Moved: %d."), "delete": _("In the trash: %d."), "retry": _("Queued again: %d.")}
    if done and do in words:
        say(request, words[do] % done)
    return redirect(way_back(request))
