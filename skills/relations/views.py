"""Relations on a skill's page: added, taken away, and the other skill's name completed."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from kbsite.middleware import is_htmx
from kbsite.sent import as_id
from kbsite.toasts import say
from skills import reading
from skills.links.names import names
from skills.models import Skill
from skills.relations.forms import RelationForm
from skills.relations.relate import relate, unrelate
from skills.views import found

UNPROCESSABLE = 422


def _answer(request: HttpRequest, skill: Skill, user: User, form: RelationForm | None = None) -> HttpResponse:
    """The section again for htmx; else the page, or the way back to it."""
    if form is None and not is_htmx(request):
        return redirect(reverse("skills:skill", args=[skill.slug]) + "#relations")
    page = reading.page_of(skill, user, None)
    context = {"page": page, "skill": skill, "relation_form": form or RelationForm(skill=skill, user=user)}
    name = "skills/skill.html#relations" if is_htmx(request) else "skills/skill.html"
    return render(request, name, context, status=UNPROCESSABLE if form else 200)


@login_required
@require_POST
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Relate the skill to another; the toast takes it back."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    form = RelationForm(request.POST, skill=skill, user=user)
    if not form.is_valid():
        return _answer(request, skill, user, form)
    target = form.cleaned_data["target"]
    try:
        related = relate(
            skill.pk, target.pk, form.cleaned_data["type"], user, reason=form.cleaned_data["reason"]
        )
    except InvalidInput as error:
        field = {"type": "own_type"}.get(str(error.extra.get("field")), "target")
        form.add_error(field, str(error))
        return _answer(request, skill, user, form)
    where = {"target": str(target.pk), "type": related.relation.type}
    undo = f"{reverse('skills:unrelate', args=[slug])}?{urlencode(where)}" if related.made else ""
    say(request, _("Related to “%(name)s”.") % {"name": target.name}, undo=undo)
    return _answer(request, skill, user)


@login_required
@require_POST
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the relation named in the address away, both ways; the toast brings it back."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    relation = unrelate(skill.pk, as_id(request.GET.get("target")), request.GET.get("type", ""), user)
    where = {"target": str(relation.target_id), "type": relation.type, "reason": relation.reason}
    undo = f"{reverse('skills:relate_again', args=[slug])}?{urlencode(where)}"
    say(request, _("The relation is gone, on both sides."), undo=undo)
    return _answer(request, skill, user)


@login_required
@require_POST
def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring back a relation that was taken away; the address says which."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    target_id, type = as_id(request.GET.get("target")), request.GET.get("type", "")
    relate(skill.pk, target_id, type, user, reason=request.GET.get("reason", ""))
    say(request, _("The relation is back."))
    return _answer(request, skill, user)


@login_required
@require_GET
def choices(request: HttpRequest, slug: str) -> HttpResponse:
    """Options for the other skill's name, as it is typed."""
    user = person(request)
    skill = found(slug, user)
    offered = [one for one in names(request.GET.get("target", ""), user) if one.id != skill.pk]
    several = {one.name for one in offered if sum(other.name == one.name for other in offered) > 1}
    return render(request, "skills/skill.html#names", {"offered": offered, "several": several})
