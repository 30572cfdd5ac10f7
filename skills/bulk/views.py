"""Doing something to many skills from the list, moving one, and undoing either."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from documents import folders
from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from kbsite.middleware import is_htmx
from kbsite.sent import as_id
from kbsite.toasts import say
from skills import export, moves
from skills.bulk import actions, picker, wording
from skills.bulk.actions import Outcome
from skills.bulk.forms import given, ids_of, number, selection, way_back, words
from skills.bulk.selection import MOST, MOST_REWRITTEN, Selection
from skills.bulk.undo import undo as undo_it
from skills.models import Skill
from skills.views import found

type Said = tuple[str, uuid.UUID | None]


def _move(user: User, sent: QueryDict, chosen: Selection) -> Said:
    folder_id = picker.target(user, sent.get("folder", ""), as_id(sent.get("here", "")))
    done = moves.move_skills(chosen.ids, user, folder_id)
    return wording.moved(done.count, _name(folder_id or user.narrowed_to, user)), done.move_id


def _retag(user: User, sent: QueryDict, chosen: Selection) -> Said:
    add, remove = words(sent.get("add", "")), words(sent.get("remove", ""))
    return _said(actions.retag(chosen.ids, user, add=add, remove=remove), wording.retagged)


def _priority(user: User, sent: QueryDict, chosen: Selection) -> Said:
    value = number(sent.get("priority", ""))
    done = actions.set_priority(chosen.ids, user, value)
    return wording.prioritised(done.count, value), done.undo_id


def _decide(status: Skill.Status) -> Callable[[User, QueryDict, Selection], Said]:
    def decide(user: User, sent: QueryDict, chosen: Selection) -> Said:
        done = actions.set_status(chosen.ids, user, status)
        return wording.decided(done.count, str(status.label)), done.undo_id

    return decide


def _delete(user: User, sent: QueryDict, chosen: Selection) -> Said:
    return _said(actions.delete(chosen.ids, user), wording.deleted)


def _said(done: Outcome, sentence: Callable[[int], str]) -> Said:
    return sentence(done.count), done.undo_id


ACTIONS: dict[str, Callable[[User, QueryDict, Selection], Said]] = {
    "move": _move,
    "tags": _retag,
    "priority": _priority,
    "approve": _decide(Skill.Status.APPROVED),
    "check": _decide(Skill.Status.CHECKED),
    "reject": _decide(Skill.Status.REJECTED),
    "delete": _delete,
}
REWRITING = ("tags", "priority")


def _name(folder_id: uuid.UUID | None, user: User) -> str:
    folder = folders.find(folder_id, user)
    return folder.shown if folder else _("Unfiled")


@login_required
@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Do ``action`` to the skills that are selected; a toast says what was done and undoes it.

    ``move`` without a folder leads to the choice of one.
    """
    user = person(request)
    require(user, "edit")
    sent = given(request)
    action = sent.get("action", "")
    if action not in ACTIONS:
        raise InvalidInput(_("There is no such action."))
    if action == "move" and not sent.get("folder"):
        return _choose(request, sent)
    chosen = selection(user, sent, most=MOST_REWRITTEN if action in REWRITING else MOST)
    text, undo_id = ACTIONS[action](user, sent, chosen) if chosen.ids else (_("Nothing was changed."), None)
    undo = reverse("skills:undo", args=[undo_id]) if undo_id else ""
    left_out = wording.left_out(chosen)
    level = messages.SUCCESS if chosen.ids else messages.WARNING
    say(request, f"{text} {left_out}".strip(), undo=undo, level=level)
    return HttpResponse(status=204) if is_htmx(request) else redirect(way_back(request))


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """The choice of a folder for the skills that are selected: a page, or a dialog over this one."""
    require(person(request), "edit")
    return _choose(request, given(request))


def _choose(request: HttpRequest, sent: QueryDict) -> HttpResponse:
    user = person(request)
    chosen = selection(user, sent)
    context = {
        "count": len(chosen.ids),
        "left_out": wording.left_out(chosen),
        "all": sent.get("all", ""),
        "filters": sent.get("filters", ""),
        "matching": sent.get("count", ""),
        "ids": [] if sent.get("all") else chosen.ids,
        "action": reverse("skills:act"),
        "next": way_back(request),
    }
    return _picker(request, user, context, sent)


@login_required
@require_GET
def folder_choices(request: HttpRequest) -> HttpResponse:
    """The folders that fit the words typed so far."""
    user = person(request)
    require(user, "edit")
    here = as_id(request.GET.get("here", ""))
    context = {"choices": picker.choices(user, request.GET.get("q", ""), here)}
    return render(request, "skills/move.html#choices", context)


@login_required
@require_http_methods(["GET", "POST"])
def move(request: HttpRequest, slug: str) -> HttpResponse:
    """Put one skill in another folder; the toast puts it back."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    sent = given(request)
    if request.method == "GET" or not sent.get("folder"):
        address = reverse("skills:skill", args=[slug])
        context = {"skill": skill, "count": 1, "action": request.path, "next": address}
        return _picker(request, user, context, sent)
    folder_id = picker.target(user, sent.get("folder", ""), as_id(sent.get("here", "")))
    done = moves.move_skill(skill.pk, user, folder_id)
    folder = _name(folder_id or user.narrowed_to, user)
    said = _("Moved to “%(folder)s”.") if done.count else _("It is in “%(folder)s” already.")
    undo = reverse("skills:undo", args=[done.move_id]) if done.move_id else ""
    say(request, said % {"folder": folder}, undo=undo)
    return HttpResponse(status=204) if is_htmx(request) else redirect("skills:skill", slug)


def _picker(request: HttpRequest, user: User, context: dict[str, object], sent: QueryDict) -> HttpResponse:
    here = as_id(sent.get("here", ""))
    words = sent.get("q", "")
    more = {"choices": picker.choices(user, words, here), "q": words, "here": here or ""}
    template = "skills/move.html#dialog" if is_htmx(request) else "skills/move.html"
    return render(request, template, context | more)


@login_required
@require_POST
def undo(request: HttpRequest, undo_id: uuid.UUID) -> HttpResponse:
    """Undo a move or another bulk action of one's own, but for what was changed since."""
    done = undo_it(undo_id, person(request))
    say(request, wording.undone(done), level=messages.WARNING if done.stayed else messages.SUCCESS)
    return HttpResponse(status=204) if is_htmx(request) else redirect(_came_from(request))


def _came_from(request: HttpRequest) -> str:
    """The page whose toast was pressed."""
    back = request.headers.get("Referer", "")
    host = f"{request.scheme}://{request.get_host()}/"
    return back if back.startswith(host) else reverse("skills:list")


@login_required
@require_POST
def export_selection(request: HttpRequest) -> HttpResponseBase:
    """The skills that are selected as a zip of Markdown files; readers may, what they may read."""
    user = person(request)
    sent = given(request)
    chosen = selection(user, sent)
    ids = chosen.ids if sent.get("all") else ids_of(sent.getlist("skill"))  # system skills too
    return export.download(Skill.objects.filter(pk__in=ids), user)
