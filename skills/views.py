"""The list of skills, and the page of one."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills import reading
from skills.forms import UNFILED, folder_id_of
from skills.models import Skill
from skills.paths import paths
from skills.reading import Content
from skills.use import record_use

ROWS = 50
NOT_LISTED = ("content", "overview", "config")


def found(slug: str, user: User) -> Skill:
    """The skill of that slug. Raises NotFound when ``user`` may not see it."""
    skill = Skill.objects.visible_to(user).select_related("folder", "author").filter(slug=slug).first()
    if skill is None:
        raise NotFound(_("There is no such skill, or you may not see it. It may have been deleted."))
    return skill


def _shown(request: HttpRequest, skill: Skill) -> Content | None:
    """The full text if the address asks for it: ``?passage=``, ``?full=1`` or ``?part=``."""
    passage, part = request.GET.get("passage"), request.GET.get("part", "")
    if passage is not None:
        passage_id = folder_id_of(passage)
        return reading.at_passage(skill, passage_id or uuid.UUID(int=0))
    if part.isdecimal() and len(part) < 7:
        return reading.whole(skill, int(part))
    return reading.whole(skill) if "full" in request.GET else None


@login_required
@require_GET
def skill(request: HttpRequest, slug: str) -> HttpResponse:
    """One skill in its layers. Opening it counts as a use."""
    user = person(request)
    one = found(slug, user)
    request.folder_id = one.folder_id or UNFILED  # type: ignore[attr-defined]
    page = reading.page_of(one, user, _shown(request, one))
    if one.is_findable:
        record_use([one.pk])
    return render(request, "skills/skill.html", {"page": page, "skill": one})


@login_required
@require_GET
def content(request: HttpRequest, slug: str) -> HttpResponse:
    """The full text (or a part of a long one), for opening it in place."""
    one = found(slug, person(request))
    shown = _shown(request, one) or reading.whole(one)
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


def _page_number(request: HttpRequest) -> int:
    number = request.GET.get("page", "1")
    return int(number) if number.isdecimal() and len(number) < 7 else 1


@login_required
@require_GET
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Every revision, newest first."""
    one = found(slug, person(request))
    revisions = one.revisions.select_related("author").defer("snapshot")
    page = Paginator(revisions, ROWS).get_page(_page_number(request))
    where = paths([one.folder_id])[one.folder_id]
    return render(request, "skills/history.html", {"skill": one, "page": page, "path": where})
