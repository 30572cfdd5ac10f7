"""The list of skills, and the page of one."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.middleware import is_htmx
from skills import reading
from skills.forms import UNFILED, folder_id_of
from skills.listing import Filters, listed
from skills.models import Skill
from skills.order import ORDERS, ordered
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


def _filters(request: HttpRequest) -> Filters:
    given = request.GET
    folder = given.get("folder", "")
    return Filters(
        folder_id=folder_id_of(folder),
        unfiled=folder == UNFILED,
        recursive=given.get("only") != "here",
        type=_choice(given.get("type"), Skill.Type.values),
        category=_choice(given.get("category"), Skill.Category.values),
        status=_choice(given.get("status"), Skill.Status.values),
        tags=tuple(filter(None, [given.get("tag", "").strip()])),
        q=given.get("q", "").strip()[:200],
    )


def _choice(value: str | None, choices: list[str]) -> str:
    return value if value in choices else ""


def _page_number(request: HttpRequest) -> int:
    number = request.GET.get("page", "1")
    return int(number) if number.isdecimal() and len(number) < 7 else 1


def _without_page(request: HttpRequest) -> str:
    """The address's filters, to which a page number can be added."""
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()


@login_required
@require_GET
def skill_list(request: HttpRequest) -> HttpResponse:
    """Skills, filtered and in order; the filters are in the address."""
    user = person(request)
    filters = _filters(request)
    order = _choice(request.GET.get("order"), list(ORDERS)) or "path"
    skills, fields = ordered(listed(user, filters), order, filters)
    has_overview = ExpressionWrapper(~Q(overview=""), output_field=BooleanField())
    rows = skills.annotate(overview_is_there=has_overview).defer(*NOT_LISTED).order_by(*fields.fields)
    pages = Paginator(rows, ROWS)
    page = pages.get_page(_page_number(request))
    page.object_list = list(page.object_list)
    where = paths([filters.folder_id, *(skill.folder_id for skill in page)])
    context: dict[str, Any] = {
        "page": page,
        "rows": [(skill, where[skill.folder_id]) for skill in page],
        "folder_path": where[filters.folder_id],
        "filters": filters,
        "order": order,
        "query": _without_page(request),
        "narrowed": any((filters.q, filters.type, filters.category, filters.status, filters.tags)),
        "types": Skill.Type.choices,
        "categories": Skill.Category.choices,
        "statuses": Skill.Status.choices,
    }
    name = "skills/list.html#rows" if is_htmx(request) else "skills/list.html"
    return render(request, name, context)


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


@login_required
@require_GET
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Every revision, newest first."""
    one = found(slug, person(request))
    revisions = one.revisions.select_related("author").defer("snapshot")
    page = Paginator(revisions, ROWS).get_page(_page_number(request))
    where = paths([one.folder_id])[one.folder_id]
    return render(request, "skills/history.html", {"skill": one, "page": page, "path": where})
