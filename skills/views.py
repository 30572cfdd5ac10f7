"""The page of one skill."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.middleware import is_htmx
from kbsite.sent import as_id, as_number
from skills import reading
from skills.forms import UNFILED
from skills.models import Skill
from skills.paths import paths
from skills.reading import Content
from skills.relations.forms import RelationForm
from skills.system.reading import in_readers_language
from skills.use import record_use

PASSAGES = 50


def found(slug: str, user: User) -> Skill:
    """The skill of that slug. Raises NotFound when ``user`` may not see it."""
    skill = Skill.objects.visible_to(user).select_related("folder", "author").filter(slug=slug).first()
    if skill is None:
        raise NotFound(_("There is no such skill, or you may not see it. It may have been deleted."))
    return skill


def _shown(request: HttpRequest, skill: Skill, user: User) -> Content | None:
    """The full text if asked for: ``?passage=``, ``?at=`` (a heading), ``?full=1`` or ``?part=``."""
    passage, part = request.GET.get("passage"), as_number(request.GET.get("part"))
    if passage is not None:
        return reading.at_passage(skill, user, as_id(passage))
    if at := request.GET.get("at", ""):
        return reading.at_heading(skill, user, at)
    if part:
        return reading.whole(skill, user, part)
    return reading.whole(skill, user) if "full" in request.GET else None


@login_required
@require_GET
def skill(request: HttpRequest, slug: str) -> HttpResponse:
    """One skill in its layers. Opening it counts as a use."""
    user = person(request)
    one = in_readers_language(found(slug, user))
    request.folder_id = one.folder_id or (UNFILED if one.is_editable else None)  # type: ignore[attr-defined]
    page = reading.page_of(one, user, _shown(request, one, user))
    if one.is_findable:
        record_use([one.pk])
    context = {"page": page, "skill": one, "relation_form": RelationForm(skill=one, user=user)}
    return render(request, "skills/skill.html", context)


@login_required
@require_GET
def content(request: HttpRequest, slug: str) -> HttpResponse:
    """The full text (or a part of a long one), for opening it in place."""
    user = person(request)
    one = in_readers_language(found(slug, user))
    shown = _shown(request, one, user) or reading.whole(one, user)
    return render(request, "skills/skill.html#content", {"content": shown, "skill": one})


@login_required
@require_GET
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """How far the index is. Once it is ready the page is loaded anew."""
    one = found(slug, person(request))
    response = render(request, "skills/skill.html#state", {"skill": one})
    if one.index_state == Skill.Index.READY:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_GET
def passages(request: HttpRequest, slug: str) -> HttpResponse:
    """The passages that the full text is cut into for search; each opens marked in the text."""
    one = found(slug, person(request))
    page = Paginator(one.passages.order_by("ordinal"), PASSAGES).get_page(request.GET.get("page"))
    context = {"skill": one, "page": page, "path": paths([one.folder_id])[one.folder_id]}
    name = "skills/passages.html#list" if is_htmx(request) else "skills/passages.html"
    return render(request, name, context)
