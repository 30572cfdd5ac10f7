"""The trash as a page."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.paging import shown_page
from kbsite.sent import as_id
from kbsite.toasts import say
from skills.bin import deeds
from skills.bin.contents import KINDS, NEWEST, Item, Kind, counts, items, rows

ROWS = 50
MOST = 200


@login_required
@require_GET
def trash(request: HttpRequest) -> HttpResponse:
    """What is in the trash, one kind at a time: the one asked for, else the first there is any of."""
    user = person(request)
    require(user, "edit")
    many = counts(user)
    asked = _kind(request.GET.get("kind"))
    kind = asked if asked is not None else next((one for one in KINDS if many[one]), KINDS[0])
    page = shown_page(rows(kind, user), NEWEST[kind], request.GET, size=ROWS)
    context = {
        "kind": kind,
        "kinds": [(one, many[one]) for one in KINDS],
        "page": page,
        "items": items(kind, page.items, user),
        "days": settings.KB_TRASH_DAYS,
    }
    return render(request, "skills/trash.html", context)


@login_required
@require_POST
def restore(request: HttpRequest) -> HttpResponse:
    """Bring back what is selected, or the one whose button was pressed."""
    user = person(request)
    kind, ids = _chosen(request)
    done = deeds.restore([(kind, thing) for thing in ids], user)
    _tell(request, done, done.sentence(deeds.back_sentence))
    return _back(kind)


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Say what goes for good; do it once that was confirmed."""
    user = person(request)
    require(user, "curate")
    kind, ids = _chosen(request)
    if request.POST.get("sure"):
        done = deeds.delete_for_good([(kind, thing) for thing in ids], user)
        _tell(request, done, done.sentence(deeds.gone_sentence))
        return _back(kind)
    found = _found(kind, ids, user)
    if not found:
        _tell(request, deeds.Done(), "")
        return _back(kind)
    return render(request, "skills/trash_delete.html", {"kind": kind, "items": found})


def _found(kind: Kind, ids: list[uuid.UUID], user: User) -> list[Item]:
    order = NEWEST[kind].fields
    return items(kind, list(rows(kind, user).filter(pk__in=ids).order_by(*order)), user)


def _tell(request: HttpRequest, done: deeds.Done, sentence: str) -> None:
    if sentence:
        say(request, sentence)
    for fault in dict.fromkeys(done.faults.values()):
        say(request, fault, level=messages.ERROR)
    if not sentence and not done.faults:
        say(request, _("Select something first."), level=messages.WARNING)


def _kind(text: str | None) -> Kind | None:
    return next((kind for kind in KINDS if kind == text), None)


def _chosen(request: HttpRequest) -> tuple[Kind, list[uuid.UUID]]:
    """The kind and the ids that were sent; what is no id is left out."""
    given = request.POST or request.GET
    one = given.get("one")
    sent = ([one] if one else given.getlist("id"))[:MOST]
    return _kind(given.get("kind")) or KINDS[0], [thing for text in sent if (thing := as_id(text))]


def _back(kind: Kind) -> HttpResponse:
    return redirect(f"{reverse('skills:trash')}?{urlencode({'kind': kind})}")
