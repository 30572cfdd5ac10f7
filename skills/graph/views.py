"""The graph page: a picture or a list, and the card of one skill in it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from documents.models import Folder
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills.forms import UNFILED
from skills.graph.fetch import MOST_NODES, RELATION, Graph
from skills.graph.listing import page_of_list
from skills.graph.picture import picture_of
from skills.graph.scope import LINKS, RELATIONS, Scope, edge_choices, scope_of, skills_in
from skills.graph.ties import ties_of
from skills.graph.words import type_word
from skills.models import Skill
from skills.paths import paths

MOST_TIES = 24
MOST_LINKED = 10
LOOKS = (
    ("alone", gettext_lazy("joined to nothing")),
    ("torn", gettext_lazy("in conflict")),
    ("off", gettext_lazy("not found by search")),
)


def _skill(slug: str, user: User) -> Skill:
    """The skill of that slug, without its long texts. Raises NotFound."""
    seen = skills_in(Scope(), user).defer("content", "overview", "config")
    skill = seen.filter(slug=slug).first()
    if skill is None:
        raise NotFound(_("There is no such skill, or you may not see it. It may have been deleted."))
    return skill


def _edge_options(scope: Scope) -> list[tuple[str, str]]:
    words = {"": _("All edges"), RELATIONS: _("Relations"), LINKS: _("Links")}
    return [(value, words.get(value) or type_word(RELATION, value)) for value in edge_choices(scope)]


def _without(request: HttpRequest, *names: str) -> str:
    """The address's parameters but for ``names``, ending so that one can be added."""
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return f"{query.urlencode()}&" if query else ""


FILTERS = ("edges", "type", "tag", "lone")
OF_THE_PAGE = ("cursor", "page")


def _head(request: HttpRequest, scope: Scope, user: User) -> dict[str, Any]:
    """What the picture and the list both show above themselves. Raises NotFound."""
    if scope.folder_id and not Folder.objects.visible_to(user).filter(pk=scope.folder_id).exists():
        raise NotFound(_("There is no such folder, or you may not see it."))
    if scope.folder_id or scope.unfiled:
        request.folder_id = scope.folder_id or UNFILED  # type: ignore[attr-defined]
    place = ("skill", "depth", "folder", "view")
    return {
        "scope": scope,
        "centre": _skill(scope.skill, user) if scope.skill else None,
        "path": paths([scope.folder_id])[scope.folder_id],
        "edge_options": _edge_options(scope),
        "types": [(kind.value, kind.label) for kind in (Skill.Type.DOCUMENT, Skill.Type.USER)],
        "kept": [(name, request.GET[name]) for name in place if request.GET.get(name)],
        "as_list": _without(request, "view", "at", *OF_THE_PAGE),
        "as_picture": _without(request, "view", *OF_THE_PAGE),
        "other_depth": _without(request, "depth", "at", *OF_THE_PAGE),
        "unfiltered": _without(request, *FILTERS, *OF_THE_PAGE),
    }


def _counts(graph: Graph) -> dict[str, int]:
    relations = sum(edge.kind == RELATION for edge in graph.edges)
    return {
        "skills": len(graph.nodes),
        "total": graph.total,
        "relations": relations,
        "links": len(graph.edges) - relations,
    }


@gzip_page  # Thousands of dots; the page's one secret, the CSRF token, is masked anew each time.
@login_required
@require_GET
def graph(request: HttpRequest) -> HttpResponse:
    """Skills and what joins them; what it is narrowed to is in the address."""
    user = person(request)
    scope = scope_of(request.GET)
    context = _head(request, scope, user)
    if request.GET.get("view") == "list":
        page, groups = page_of_list(scope, user, request.GET)
        context |= {"page": page, "groups": groups}
        return render(request, "skills/graph_list.html", context)
    context |= _drawn(scope, user, request.GET.get("at", "") or scope.skill)
    return render(request, "skills/graph.html", context)


def _drawn(scope: Scope, user: User, at: str) -> dict[str, Any]:
    found, picture = picture_of(scope, user, MOST_NODES)
    context = {
        "graph": found,
        "picture": picture,
        "counts": _counts(found),
        "shown_count": number_format(len(found.nodes), force_grouping=True),
        "total_count": number_format(found.total, force_grouping=True),
        "most_linked": [node for node in found.nodes[:MOST_LINKED] if node.degree],
        "looks": [(look, word) for look, word in LOOKS if any(dot.look == look for dot in picture.dots)],
    }
    return context | (_card(at, user) if any(node.slug == at for node in found.nodes) else {})


def _card(slug: str, user: User) -> dict[str, Any]:
    skill = _skill(slug, user)
    ties = ties_of([skill.pk], skills_in(Scope(), user), Scope(), MOST_TIES)[skill.pk]
    return {"skill": skill, "ties": ties, "skill_path": paths([skill.folder_id])[skill.folder_id]}


@login_required
@require_GET
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """What is shown beside the picture of a skill that was chosen."""
    return render(request, "skills/graph.html#card", _card(slug, person(request)))
