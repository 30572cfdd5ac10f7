"""The list of skills."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.middleware import is_htmx
from kbsite.paging import Slice, shown_page
from skills.bulk.selection import MOST, MOST_REWRITTEN
from skills.listing import SPANS, listed
from skills.models import Skill
from skills.narrowing import INDEX_WORDS, SPAN_WORDS, Asked, asked, chips, without_page
from skills.order import ordered
from skills.paths import paths
from skills.querysets import SkillQuerySet
from skills.rows import rows
from skills.system.reading import in_readers_language

ROWS = 40
MOST_AUTHORS = 200
MOST_SYSTEM = 50
FEW = 2_000
NOT_LISTED = ("content", "overview", "config")


@login_required
@require_GET
def skill_list(request: HttpRequest) -> HttpResponse:
    """Skills, filtered and in order; the filters are in the address. System skills stand at the end."""
    user = person(request)
    wanted = asked(request.GET)
    page, system = _rows(request, user, wanted)
    shown = [*page.items, *system]
    folder_id = wanted.filters.folder_id
    where = paths([folder_id, *(skill.folder_id for skill in shown)])
    authors = _authors(user)
    author = authors.filter(pk=wanted.filters.author).first() if wanted.filters.author else None
    narrowing = chips(request.GET, wanted, where[folder_id], author)
    context: dict[str, Any] = {
        "page": page,
        "rows": rows(page.items, where, user),
        "system_rows": rows(system, where, user),
        "folder_path": where[folder_id],
        "asked": wanted,
        "filters": wanted.filters,
        "chips": narrowing,
        "narrowed": any(chip.name != "folder" for chip in narrowing),
        "query": without_page(request.GET),
        "can_take_all": page.total.is_exact and len(page.items) < page.total.number <= MOST,
        "most": MOST,
        "most_rewritten": MOST_REWRITTEN,
        "authors": authors[:MOST_AUTHORS],  # asked for where the form is drawn
    } | _choices(wanted)
    name = "skills/list.html#rows" if is_htmx(request) else "skills/list.html"
    return render(request, name, context)


def _rows(request: HttpRequest, user: User, wanted: Asked) -> tuple[Slice[Skill], list[Skill]]:
    """The page that is asked for; and after the last one the system skills that fit."""
    fitting = listed(user, wanted.filters)
    if wanted.filters.q:
        fitting = _looked_for_once(fitting)
    skills, order = ordered(fitting.exclude(type=Skill.Type.SYSTEM), wanted.order, wanted.filters)
    page = shown_page(_lean(skills), order, request.GET, size=ROWS)
    if page.next_cursor:
        return page, []
    system = _lean(fitting.filter(type=Skill.Type.SYSTEM)).order_by("priority", "name", "pk")
    lean = system.defer(None).defer("content", "overview")
    return page, [in_readers_language(skill) for skill in lean[:MOST_SYSTEM]]


def _looked_for_once(fitting: SkillQuerySet) -> SkillQuerySet:
    """The same skills by their ids, where they are few: words of one or two letters are in no index, and
    are not to be looked for again for the count, the rows and the system skills.
    """
    ids = list(fitting.order_by().values_list("pk", flat=True)[: FEW + 1])
    return Skill.objects.filter(pk__in=ids) if len(ids) <= FEW else fitting


def _lean(skills: QuerySet[Skill]) -> QuerySet[Skill]:
    has_overview = ExpressionWrapper(~Q(overview=""), output_field=BooleanField())
    return skills.annotate(overview_is_there=has_overview).defer(*NOT_LISTED)


def _authors(user: User) -> QuerySet[User]:
    """People who wrote something that ``user`` may see, by name."""
    written: SkillQuerySet = Skill.objects.visible_to(user).filter(author=OuterRef("pk"))
    return User.objects.filter(Exists(written)).order_by("name", "email")


def _choices(wanted: Asked) -> dict[str, Any]:
    """What the form offers."""
    since = wanted.filters.since
    return {
        "types": Skill.Type.choices,
        "categories": Skill.Category.choices,
        "statuses": Skill.Status.choices,
        "spans": SPAN_WORDS.items(),
        "since_day": since if since not in SPANS else "",
        "until_day": wanted.filters.until if wanted.filters.until not in SPANS else "",
        "index_states": INDEX_WORDS.items(),
    }
