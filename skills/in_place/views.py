"""Editing one field of a skill where it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from kbsite.accounts.auth import person, require
from kbsite.difference import difference
from kbsite.exceptions import InvalidInput, LostUpdate, NotFound
from kbsite.middleware import is_htmx
from kbsite.toasts import say
from skills import edit
from skills.fields import LONGEST_NAME
from skills.forms import WordsField
from skills.history.views import undo_of
from skills.models import Skill
from skills.paths import paths
from skills.views import found

UNPROCESSABLE = 422


def _text(rows: int) -> Callable[[], forms.Field]:
    return lambda: forms.CharField(
        required=False, strip=False, widget=forms.Textarea(attrs={"rows": rows, "dir": "auto"})
    )


FIELDS: dict[str, tuple[Any, Callable[[], forms.Field]]] = {
    "name": (gettext_lazy("Name"), lambda: forms.CharField(max_length=LONGEST_NAME)),
    "description": (gettext_lazy("Description"), _text(2)),
    "tags": (gettext_lazy("Tags"), lambda: WordsField(required=False)),
    "abstract": (gettext_lazy("Abstract"), _text(5)),
    "overview": (gettext_lazy("Overview"), _text(18)),
}


class FieldForm(forms.Form):
    """One field, and the version of the skill from which the person started."""

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, data: Any, field: str, skill: Skill) -> None:
        initial = {"version": skill.version, "value": _shown(getattr(skill, field))}
        super().__init__(data, initial=initial, auto_id=f"in-place-{field}-%s")
        label, make = FIELDS[field]
        value = make()
        value.label = str(label)
        self.fields["value"] = value


@login_required
@require_http_methods(["GET", "POST"])
def field(request: HttpRequest, slug: str, field: str) -> HttpResponse:
    """A form for one field, in place of it. Saved by another in between: theirs is shown, nothing is lost."""
    user = person(request)
    require(user, "edit")
    if field not in FIELDS:
        raise NotFound(_("There is no such field."))
    skill = found(slug, user)
    form = FieldForm(request.POST or None, field, skill)
    theirs = None
    if request.method == "POST" and form.is_valid():
        before = skill.revisions.order_by("-number").values_list("number", flat=True).first()
        try:
            changes = {field: form.cleaned_data["value"]}
            saved = edit.update_skill(skill.pk, user, expected=form.cleaned_data["version"], **changes)
        except InvalidInput as error:
            form.add_error("value", str(error))
        except LostUpdate:
            theirs = difference(_shown(getattr(skill, field)), _shown(form.cleaned_data["value"]))
            form.data = {**request.POST.dict(), "version": str(skill.version)}
        else:
            return _saved(request, saved, before if saved.version != form.cleaned_data["version"] else None)
    context = {
        "skill": skill,
        "form": form,
        "field": field,
        "label": FIELDS[field][0],
        "theirs": theirs,
        "path": paths([skill.folder_id])[skill.folder_id],
    }
    name = "skills/field.html#form" if is_htmx(request) else "skills/field.html"
    status = UNPROCESSABLE if form.errors else LostUpdate.status if theirs is not None else 200
    return render(request, name, context, status=status)


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _saved(request: HttpRequest, skill: Skill, before: int | None) -> HttpResponse:
    undo = undo_of(skill, before) if before else ""
    say(
        request,
        _("Saved. What is found changes in a moment.") if before else _("Nothing changed."),
        undo=undo,
    )
    if not is_htmx(request):
        return redirect("skills:skill", skill.slug)
    return HttpResponse(headers={"HX-Refresh": "true"})
