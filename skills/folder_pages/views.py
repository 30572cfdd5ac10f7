"""The page of a folder."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from documents.models import Folder
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.middleware import is_htmx
from kbsite.paging import shown_page
from skills.folder_pages import make
from skills.folder_pages.as_markdown import MOST_ROWS, as_markdown
from skills.folder_pages.lines import NEWEST_FIRST, events_of, lines
from skills.folder_pages.page import ORDERS, found, index_of, page_row, view_of

ROWS = 50
LOGGED = 30


def _order(request: HttpRequest) -> str:
    asked = request.GET.get("order", "")
    return asked if asked in ORDERS else "order"


def _log(folder: Folder, user: User, request: HttpRequest) -> dict[str, Any]:
    query = {"cursor": request.GET.get("log", "")}
    events = shown_page(events_of(folder), NEWEST_FIRST, query, size=LOGGED)
    return {"log": lines(events.items, user), "older": events.next_cursor}


@login_required
@require_GET
def folder(request: HttpRequest, folder_id: uuid.UUID) -> HttpResponse:
    """What is in a folder as a whole: its text, index, sub-folders, conflicts and log."""
    user = person(request)
    one = found(folder_id, user)
    request.folder_id = one.pk  # type: ignore[attr-defined]
    order = _order(request)
    skills, fields = index_of(one, user, order)
    context: dict[str, Any] = {
        "folder": one,
        "order": order,
        "index": shown_page(skills, fields, request.GET, size=ROWS),
    }
    if is_htmx(request) and request.headers.get("HX-Target") == "index":
        return render(request, "skills/folder.html#index", context)
    context |= {"view": view_of(one, user), "page": page_row(one), **_log(one, user, request)}
    return render(request, "skills/folder.html", context)


@login_required
@require_GET
def log(request: HttpRequest, folder_id: uuid.UUID) -> HttpResponse:
    """The update log from ``?log=`` on; its next lines in place, or a page of its own."""
    user = person(request)
    one = found(folder_id, user)
    context = {"folder": one, **_log(one, user, request)}
    return render(
        request, "skills/folder.html#log" if is_htmx(request) else "skills/folder_log.html", context
    )


@login_required
@require_GET
def state(request: HttpRequest, folder_id: uuid.UUID) -> HttpResponse:
    """How far its making is. Once it is made or has failed, the page is loaded anew."""
    one = found(folder_id, person(request))
    page = page_row(one)
    response = render(request, "skills/folder.html#state", {"folder": one, "page": page})
    if not page.is_open:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def refresh(request: HttpRequest, folder_id: uuid.UUID) -> HttpResponse:
    """Have the page made again."""
    user = person(request)
    one = found(folder_id, user)
    page = make.request(one, user)
    if is_htmx(request):
        return render(request, "skills/folder.html#state", {"folder": one, "page": page})
    return redirect("skills:folder", one.pk)


@login_required
@require_GET
def markdown(request: HttpRequest, folder_id: uuid.UUID) -> HttpResponse:
    """The page as Markdown, its index up to 500 skills long."""
    user = person(request)
    one = found(folder_id, user)
    skills, fields = index_of(one, user)
    index = list(skills.order_by(*fields.fields)[:MOST_ROWS])
    said = lines(events_of(one).order_by(*NEWEST_FIRST.fields)[:LOGGED], user)
    text = as_markdown(view_of(one, user), index, said)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")
