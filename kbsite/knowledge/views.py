"""``/knowledge/``: short notes, added, filtered, read, changed and deleted in one place."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, LostUpdate
from kbsite.knowledge.finding import LONGEST_QUERY, Asked, Mode, find
from kbsite.knowledge.forms import ChangeForm, NoteForm
from kbsite.markdown import render as render_markdown
from kbsite.middleware import is_htmx
from kbsite.paging import LAST_PAGE, Paging
from kbsite.sent import as_number
from kbsite.text import storable
from kbsite.toasts import say
from skills import knowledge, note, trash
from skills.bulk import actions
from skills.links.show import links_in
from skills.models import Skill
from skills.use import record_use

ROWS = 30
UNPROCESSABLE = 422
MEANING = "meaning"
PAGE = "knowledge/list.html"


def _asked(request: HttpRequest) -> Asked:
    given = request.GET
    q = storable(given.get("q", "")).strip()[:LONGEST_QUERY]
    mode: Mode = "hybrid" if given.get("by") == MEANING else "keyword"
    return Asked(q, mode, storable(given.get("tag", "")).strip())


def _listed(request: HttpRequest) -> dict[str, Any]:
    """The context of the list: what was asked, a page of notes, and the address of the next."""
    asked = _asked(request)
    page = min(max(as_number(request.GET.get("page")), 1), LAST_PAGE)
    paging = Paging(page=page, page_size=ROWS, cursor=request.GET.get("cursor") or None)
    found = find(asked, person(request), paging)
    kept = {"q": asked.q, "by": request.GET.get("by", ""), "tag": asked.tag}
    address = urlencode({name: value for name, value in kept.items() if value})
    on = {"cursor": found.next_cursor} if found.next_cursor else {}
    if not on and paging.page * ROWS < found.total and asked.q and asked.mode != "keyword":
        on = {"page": str(paging.page + 1)}
    return {
        "asked": asked,
        "by_meaning": request.GET.get("by") == MEANING,
        "found": found,
        "address": address,
        "next": f"{address}&{urlencode(on)}".lstrip("&") if on else "",
        "is_first": paging.page == 1 and not paging.cursor,
    }


def _opened(skill: Skill, user: User) -> dict[str, Any]:
    """The context of an open note: its text rendered, with its links to other skills."""
    html = render_markdown(skill.content, links=links_in(skill.content, skill, user), prefix=f"n-{skill.pk}-")
    return {"skill": skill, "is_opened": True, "html": html}


def _page(request: HttpRequest, form: NoteForm, opened: Skill | None = None) -> HttpResponse:
    user = person(request)
    context = _listed(request) | {"form": form, "tags": knowledge.tag_counts(user), "opened": opened}
    if opened is not None:
        context["html"] = _opened(opened, user)["html"]
    return render(request, PAGE, context, status=UNPROCESSABLE if form.errors else 200)


def _refuse(form: NoteForm | ChangeForm, error: InvalidInput, fields: dict[str, str]) -> None:
    name = fields.get(str(error.extra.get("field", "")))
    form.add_error(name, str(error))


def _to(skill: Skill) -> HttpResponse:
    return redirect(f"{reverse('knowledge:list')}#n-{skill.pk}")


@login_required
@require_http_methods(["GET", "POST"])
def note_list(request: HttpRequest) -> HttpResponse:
    """The list, narrowed by the address; a POST adds a note."""
    user = person(request)
    if request.method == "GET":
        if is_htmx(request):
            return render(request, f"{PAGE}#rows", _listed(request))
        return _page(request, NoteForm())
    require(user, "edit")
    form = NoteForm(request.POST)
    if form.is_valid():
        try:
            skill = knowledge.add(user, **form.cleaned_data)
        except InvalidInput as error:
            _refuse(form, error, {"content": "text", "name": "title", "tags": "tags"})
        else:
            say(request, _("“%(name)s” is written. It can be found in a moment.") % {"name": skill.name})
            return _to(skill)
    return _page(request, form)


@login_required
@require_POST
def understood(request: HttpRequest) -> HttpResponse:
    """What would be saved: the title, the tags and the text that were understood."""
    require(person(request), "edit")
    text = request.POST.get("text", "")
    form = NoteForm(request.POST)
    form.is_valid()
    tags = form.cleaned_data.get("tags") or []
    made = note.understood(text, title=request.POST.get("title", ""), tags=tags) if text.strip() else None
    return render(request, f"{PAGE}#understood", {"made": made})


@login_required
@require_GET
def one(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """One note, opened in place; without htmx on top of the list. ``?closed`` gives its row."""
    user = person(request)
    skill = knowledge.find(str(skill_id), user)
    is_opened = "closed" not in request.GET
    if is_opened and skill.is_findable:
        record_use([skill.pk])
    if is_htmx(request):
        context = _opened(skill, user) if is_opened else {"skill": skill, "is_opened": False}
        return render(request, f"{PAGE}#entry", context)
    return _page(request, NoteForm(), opened=skill)


@login_required
@require_GET
def state(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Whether a note can be found yet."""
    return render(request, f"{PAGE}#state", {"skill": knowledge.find(str(skill_id), person(request))})


def _started(skill: Skill, mode: str) -> dict[str, Any]:
    return {
        "mode": mode if mode == ChangeForm.REPLACE else ChangeForm.APPEND,
        "title": skill.name,
        "tags": skill.tags,
        "content": skill.content,
        "version": skill.version,
    }


@login_required
@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Add below a note, or replace it. Saved by another meanwhile: both texts are shown, nothing is lost."""
    user = person(request)
    require(user, "edit")
    skill = knowledge.find(str(skill_id), user)
    started = _started(skill, request.GET.get("mode", ""))
    form = ChangeForm(request.POST or None, initial=started, auto_id=f"n-{skill.pk}-%s")
    theirs: Skill | None = None
    if request.method == "POST" and form.is_valid():
        try:
            changed = knowledge.change(skill.pk, user, **form.changes)
        except InvalidInput as error:
            _refuse(form, error, form.field_of)
        except LostUpdate:
            theirs = knowledge.find(str(skill_id), user)
            form.data = {**request.POST.dict(), "version": str(theirs.version)}
        else:
            if not is_htmx(request):
                say(request, _("Saved. What is found changes in a moment."))
                return _to(changed)
            return render(request, f"{PAGE}#entry", _opened(changed, user))
    # 422 rather than 412 to htmx, which shows that one in place.
    status = UNPROCESSABLE if form.errors or theirs else 200
    context = {"skill": skill, "change": form, "theirs": theirs}
    if is_htmx(request):
        return render(request, f"{PAGE}#change", context, status=status)
    return render(request, "knowledge/change.html", context, status=status)


@login_required
@require_POST
def delete(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Put a note in the trash; the toast brings it back."""
    user = person(request)
    skill = knowledge.find(str(skill_id), user)
    knowledge.delete(skill.pk, user)
    undo = f"{reverse('knowledge:restore')}?id={skill.pk}"
    say(request, _("“%(name)s” is in the trash.") % {"name": skill.name}, undo=undo)
    return HttpResponse() if is_htmx(request) else redirect("knowledge:list")


def _chosen(values: list[str]) -> list[uuid.UUID]:
    try:
        return [uuid.UUID(value) for value in values]
    except ValueError as error:
        raise InvalidInput(_("There is no such note, or you may not see it.")) from error


@login_required
@require_POST
def delete_many(request: HttpRequest) -> HttpResponse:
    """Put the chosen notes in the trash; one toast brings them all back."""
    user = person(request)
    require(user, "edit")
    chosen = _chosen(request.POST.getlist("note"))
    ids = list(knowledge.notes(user).filter(pk__in=chosen).values_list("pk", flat=True))
    if ids:
        undo = reverse("skills:undo", args=[actions.delete(ids, user).undo_id])
        text = ngettext("%d note is in the trash.", "%d notes are in the trash.", len(ids)) % len(ids)
        say(request, text, undo=undo)
    return redirect("knowledge:list")


@login_required
@require_POST
def restore(request: HttpRequest) -> HttpResponse:
    """Take a note out of the trash."""
    user = person(request)
    require(user, "edit")
    back = None
    for skill_id in _chosen(request.GET.getlist("id")[:1]):
        back = trash.undelete_skill(skill_id, user)
        say(request, _("“%(name)s” is back.") % {"name": back.name})
    return _to(back) if back else redirect("knowledge:list")
