"""Writing, editing, moving, deleting and restoring skills on pages."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from kbsite.accounts.auth import person, require
from kbsite.exceptions import InvalidInput, LostUpdate
from kbsite.middleware import is_htmx
from kbsite.toasts import say
from skills import edit, heart, moves, trash
from skills.forms import (
    UNFILED,
    AppendForm,
    EditSkillForm,
    FolderForm,
    NewSkillForm,
    SkillForm,
    edit_values,
)
from skills.models import Skill
from skills.paths import paths
from skills.views import found

UNPROCESSABLE = 422


def _to(skill: Skill) -> HttpResponse:
    return redirect("skills:skill", skill.slug)


def _refused(form: SkillForm | AppendForm, error: InvalidInput) -> None:
    field = str(error.extra.get("field", ""))
    form.add_error(field if field in form.fields else None, str(error))


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """A form for a new skill; ``?folder=`` chooses its folder."""
    user = person(request)
    require(user, "edit")
    initial = {"folder": request.GET.get("folder", UNFILED), "category": Skill.Category.KNOWLEDGE}
    form = NewSkillForm(request.POST or None, user=user, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            skill = edit.create_skill(user, id=form.cleaned_data["id"], **form.changes)
        except InvalidInput as error:
            _refused(form, error)
        else:
            say(request, _("“%(name)s” is written. It can be found in a moment.") % {"name": skill.name})
            return _to(skill)
    return render(request, "skills/form.html", {"form": form}, status=UNPROCESSABLE if form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def edit_skill(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for a skill. Saved by another in between: both texts are shown, nothing is lost."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    form = EditSkillForm(request.POST or None, user=user, initial=edit_values(skill))
    theirs: Skill | None = None
    if request.method == "POST" and form.is_valid():
        try:
            edit.update_skill(skill.pk, user, expected=form.cleaned_data["version"], **form.changes)
        except InvalidInput as error:
            _refused(form, error)
        except LostUpdate:
            theirs = found(slug, user)
            form.data = {**request.POST.dict(), "version": str(theirs.version)}
        else:
            say(request, _("Saved. What is found changes in a moment."))
            return _to(skill)
    context = {
        "form": form,
        "skill": skill,
        "theirs": theirs,
        "path": paths([skill.folder_id])[skill.folder_id],
    }
    status = LostUpdate.status if theirs else UNPROCESSABLE if form.errors else 200
    return render(request, "skills/form.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def append(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for adding below the full text."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    form = AppendForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            edit.append_content(skill.pk, user, form.cleaned_data["content"])
        except InvalidInput as error:
            _refused(form, error)
        else:
            say(request, _("Added. It can be found in a moment."))
            return _to(skill)
    context = {"form": form, "skill": skill, "path": paths([skill.folder_id])[skill.folder_id]}
    return render(request, "skills/append.html", context, status=UNPROCESSABLE if form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def move(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a skill in another folder; the toast puts it back (its address carries the folder)."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    before = str(skill.folder_id or UNFILED)
    chosen = {"folder": request.POST.get("folder", request.GET.get("folder", ""))}
    form = FolderForm(chosen if request.method == "POST" else None, user=user, initial={"folder": before})
    if form.is_valid():
        moved = moves.move_skill(skill.pk, user, form.folder_id)
        name = moved.folder.name if moved.folder else _("Unfiled")
        undo = f"{reverse('skills:move', args=[slug])}?folder={before}"
        say(request, _("Moved to “%(folder)s”.") % {"folder": name}, undo="" if request.GET else undo)
        return HttpResponse(status=204) if is_htmx(request) else _to(skill)
    context = {"form": form, "skill": skill, "path": paths([skill.folder_id])[skill.folder_id]}
    return render(request, "skills/move.html", context, status=UNPROCESSABLE if form.errors else 200)


@login_required
@require_POST
def rewrite_layers(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the abstract and overview written again."""
    user = person(request)
    skill = edit.rewrite_layers(found(slug, user).pk, user)
    say(request, _("The abstract and overview are being written again."))
    return _to(skill)


@login_required
@require_POST
def retry(request: HttpRequest, slug: str) -> HttpResponse:
    """Try a failed indexing again."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    heart.retry(skill.pk)
    return _to(skill)


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Bring a revision back, as a new one."""
    user = person(request)
    skill = edit.restore_revision(found(slug, user).pk, user, number)
    say(request, _("Revision %(n)d is back.") % {"n": number})
    return _to(skill)


@login_required
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a skill in the trash; the toast brings it back."""
    user = person(request)
    skill = found(slug, user)
    trash.delete_skill(skill.pk, user)
    undo = reverse("skills:undelete", args=[skill.pk])
    say(request, _("“%(name)s” is in the trash.") % {"name": skill.name}, undo=undo)
    return redirect("skills:list")


@login_required
@require_POST
def undelete(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Take a skill out of the trash."""
    skill = trash.undelete_skill(skill_id, person(request))
    say(request, _("“%(name)s” is back.") % {"name": skill.name})
    return _to(skill)
