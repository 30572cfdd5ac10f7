"""Doors for writing: a new skill, editing one, adding to one."""

from __future__ import annotations

import contextlib
import json
import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, KnowledgeError, LostUpdate, NotFound
from kbsite.ids import new_id
from kbsite.middleware import is_htmx
from kbsite.sent import as_id, as_number
from kbsite.toasts import say
from skills import edit
from skills.fields import LONGEST_NAME
from skills.forms import (
    FIELDS,
    UNFILED,
    AppendForm,
    EditSkillForm,
    NewSkillForm,
    SkillForm,
    edit_values,
    started,
)
from skills.models import Draft, Skill
from skills.paths import paths
from skills.views import found
from skills.writing import drafts
from skills.writing.names import names
from skills.writing.preview import preview
from skills.writing.saving import save
from skills.writing.together import Compared, compare

UNPROCESSABLE = 422


def _to(request: HttpRequest, skill: Skill) -> HttpResponse:
    """To the skill's page; htmx is told to go there itself, so that the address is right."""
    address = reverse("skills:skill", args=[skill.slug])
    return (
        HttpResponse(status=204, headers={"HX-Redirect": address}) if is_htmx(request) else redirect(address)
    )


def _refused(form: SkillForm | AppendForm, error: InvalidInput) -> None:
    field = str(error.extra.get("field", ""))
    form.add_error(field if field in form.fields else None, str(error))


def _answer(request: HttpRequest, context: dict[str, Any], status: int = 0) -> HttpResponse:
    status = status or (UNPROCESSABLE if context["form"].errors else 200)
    return render(request, "skills/form.html", context, status=status)


def _of_draft(draft: Draft) -> dict[str, Any]:
    return {name: text for name, text in draft.values.items() if name in FIELDS}


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """A form for a new skill; ``?folder=`` chooses its folder, ``?name=`` its name, ``?draft=`` goes on."""
    user = person(request)
    require(user, "edit")
    initial: dict[str, Any] = {
        "folder": request.GET.get("folder", UNFILED),
        "name": request.GET.get("name", ""),
        "category": Skill.Category.KNOWLEDGE,
    }
    resumed = as_id(request.GET.get("draft", "")) if request.method == "GET" else None
    if resumed:
        initial |= {"id": resumed, **_of_draft(drafts.find(user, resumed))}
    form = NewSkillForm(request.POST or None, user=user, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            skill = edit.create_skill(user, id=form.cleaned_data["id"], **form.changes)
        except InvalidInput as error:
            _refused(form, error)
        except NotFound as error:
            form.add_error("folder", str(error))
        else:
            drafts.discard(user, form.cleaned_data["id"])
            say(request, _("“%(name)s” is written. It can be found in a moment.") % {"name": skill.name})
            return _to(request, skill)
    others = request.method == "GET" and not resumed and user.drafts.filter(base_version=0).count()
    editing = as_id(str(form["id"].value() or "")) or new_id()
    return _answer(request, {"form": form, "unsaved": others, "editing": editing})


def _form_of(request: HttpRequest, user: User, skill: Skill, draft: Draft | None) -> EditSkillForm:
    """The form as the skill is, or as the draft has it."""
    values = edit_values(skill)
    initial: dict[str, Any] = values | {"version": skill.version, "started": started(values)}
    if draft is not None:
        typed = drafts.touched(draft.values)
        begun = draft.values.get("started") or {}
        prints = started(values) | {name: begun.get(name, "") for name in typed}
        initial |= typed | {"version": draft.base_version or skill.version, "started": prints}
    return EditSkillForm(request.POST or None, user=user, initial=initial)


@login_required
@require_http_methods(["GET", "POST"])
def edit_skill(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for a skill; ``?draft=1`` goes on with what was not saved.

    Saved by another in between: both versions are shown, nothing is lost. Deleted in between: the
    text stays, for a new skill.
    """
    user = person(request)
    require(user, "edit")
    try:
        skill = found(slug, user)
    except NotFound as error:
        return _gone(request, user, error)
    draft = drafts.drafts_of(user, skill.pk).first() if request.method == "GET" else None
    resumed = draft if "draft" in request.GET else None
    form = _form_of(request, user, skill, resumed)
    both: Compared | None = None
    if request.method == "POST" and form.is_valid():
        if taken := request.POST.get("take"):
            return _taken(request, user, form, skill, taken)
        try:
            _save(user, skill, form)
        except InvalidInput as error:
            _refused(form, error)
        except NotFound as error:
            if not Skill.objects.visible_to(user).filter(pk=skill.pk).exists():
                return _gone(request, user, error)
            form.add_error("folder", str(error))
        except LostUpdate:
            skill = found(slug, user)
            begun = form.cleaned_data["started"]
            both = compare(form, skill, begun if isinstance(begun, dict) else {})
            form = _against(form, user, skill, both.merged)
        else:
            drafts.discard(user, skill.pk)
            say(request, _("Saved. What is found changes in a moment."))
            return _to(request, skill)
    context = _context(form, skill, both)
    if draft is not None and resumed is None and drafts.changed(draft.values, skill):
        context |= {"draft": draft, "draft_fields": _labels(form, drafts.changed(draft.values, skill))}
    return _answer(request, context, LostUpdate.status if both else 0)


def _save(user: User, skill: Skill, form: EditSkillForm) -> None:
    given = form.cleaned_data
    reason = given["reason"]
    save(skill.pk, user, form.changes, expected=given["version"], reason=reason, again=form.again)


def _context(form: SkillForm, skill: Skill, both: Compared | None = None) -> dict[str, Any]:
    return {
        "form": form,
        "skill": skill,
        "both": both,
        "theirs": skill if both else None,
        "path": paths([skill.folder_id])[skill.folder_id],
        "editing": skill.pk,
    }


def _labels(form: SkillForm, names: list[str]) -> list[str]:
    return [str(form.fields[name].label) for name in names]


def _against(form: SkillForm, user: User, theirs: Skill, values: dict[str, str]) -> EditSkillForm:
    """The form with ``values`` on top of what they saved: sent again, it is a decision."""
    kept = {"reason": str(form["reason"].value() or ""), **values}
    initial = kept | {"version": theirs.version, "started": started(edit_values(theirs))}
    return EditSkillForm(user=user, initial=initial)


def _taken(request: HttpRequest, user: User, form: EditSkillForm, skill: Skill, name: str) -> HttpResponse:
    """The form with their version of one field in place of what was typed; nothing is saved."""
    theirs = edit_values(skill)
    values = form.values | {key: text for key, text in theirs.items() if key == name}
    answered = _against(form, user, skill, values)
    return _answer(request, _context(answered, skill, compare(answered, skill, {})), LostUpdate.status)


def _gone(request: HttpRequest, user: User, error: NotFound) -> HttpResponse:
    """What was typed, for a new skill: the one it was meant for is gone, or may not be seen any more."""
    if request.method != "POST" or not request.POST.get("content", "").strip():
        raise error
    typed = {name: request.POST.get(name, "") for name in (*FIELDS, "reason")}
    typed["category"] = typed["category"] or Skill.Category.KNOWLEDGE
    form = NewSkillForm(
        user=user, initial={key: text for key, text in typed.items() if text} | {"id": new_id()}
    )
    return _answer(request, {"form": form, "gone": True, "editing": form["id"].value()}, NotFound.status)


@login_required
@require_http_methods(["GET", "POST"])
def append(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for adding below the full text."""
    user = person(request)
    require(user, "edit")
    try:
        skill = found(slug, user)
    except NotFound as error:
        return _gone(request, user, error)
    form = AppendForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            edit.append_content(skill.pk, user, given["content"], reason=given["reason"])
        except InvalidInput as error:
            _refused(form, error)
        except NotFound as error:
            return _gone(request, user, error)
        else:
            say(request, _("Added. It can be found in a moment."))
            return _to(request, skill)
    context = {"form": form, "skill": skill, "path": paths([skill.folder_id])[skill.folder_id]}
    return render(request, "skills/append.html", context, status=UNPROCESSABLE if form.errors else 200)


@login_required
@require_POST
def preview_text(request: HttpRequest) -> HttpResponse:
    """``content`` as it will be shown; of a long text what is around ``caret`` (in characters)."""
    user = person(request)
    require(user, "edit")
    shown = preview(
        request.POST.get("content", ""),
        user,
        caret=as_number(request.POST.get("caret")),
        skill_id=as_id(request.POST.get("skill", "")),
    )
    is_part = shown.is_part or "part" in request.POST
    return render(request, "skills/form.html#shown", {"shown": shown, "is_part": is_part})


@login_required
@require_GET
def complete(request: HttpRequest) -> HttpResponse:
    """Skills whose name begins with or holds ``q``, as options of a list."""
    user = person(request)
    require(user, "edit")
    found_names = names(request.GET.get("q", "")[:LONGEST_NAME], user)
    return render(request, "skills/form.html#names", {"names": found_names})


@login_required
@require_POST
def keep_draft(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Keep what is typed; answers when, as ``{"at": "12:03"}``, or ``{"at": ""}`` where nothing is kept."""
    user = person(request)
    values: dict[str, Any] = {name: request.POST[name] for name in FIELDS if name in request.POST}
    with contextlib.suppress(ValueError, RecursionError):
        values["started"] = json.loads(request.POST.get("started") or "{}")
    try:
        draft = drafts.keep(user, skill_id, values, as_number(request.POST.get("version")))
    except KnowledgeError as error:
        return JsonResponse({"detail": str(error)}, status=error.status)
    at = timezone.localtime(draft.updated_at).strftime("%H:%M") if draft else ""
    return JsonResponse({"at": at})


@login_required
@require_POST
def discard_draft(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Forget a draft, and go back to where that was asked."""
    user = person(request)
    require(user, "edit")
    drafts.find(user, skill_id)
    drafts.discard(user, skill_id)
    say(request, _("The draft is discarded."))
    skill = Skill.objects.visible_to(user).filter(pk=skill_id).first()
    if skill is not None and request.POST.get("next") == "edit":
        return redirect("skills:edit", skill.slug)
    return redirect("skills:drafts")


@login_required
@require_GET
def draft_list(request: HttpRequest) -> HttpResponse:
    """A person's own drafts, newest first."""
    user = person(request)
    require(user, "edit")
    return render(request, "skills/drafts.html", {"drafts": drafts.waiting(user)})
