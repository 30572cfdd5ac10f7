"""What belongs to no page in particular: the palette, the language and the theme."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.views.decorators.http import require_GET, require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.accounts.preferences import choose_language, choose_theme
from kbsite.markdown import render as markdown
from kbsite.palette import suggestions
from kbsite.sent import way_back
from kbsite.tree import branch_of


def _back(request: HttpRequest) -> HttpResponse:
    """Where the person came from, if that is one of our own pages."""
    return HttpResponseRedirect(way_back(request, otherwise="/"))


def _person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


@require_GET
def favicon(request: HttpRequest) -> HttpResponse:
    """For what asks without reading the page."""
    return HttpResponseRedirect(static("favicon.svg"))


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Switch the language, signed in or not."""
    response = _back(request)
    choose_language(response, _person(request), request.POST.get("language", ""))
    return response


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Switch the theme, signed in or not."""
    response = _back(request)
    choose_theme(response, _person(request), request.POST.get("theme", ""))
    return response


@login_required
@require_GET
def palette(request: HttpRequest) -> HttpResponse:
    """Where ``q`` may lead."""
    query = request.GET.get("q", "").strip()
    context = {"query": query, "groups": suggestions(person(request), query)}
    return render(request, "components/palette.html", context)


@login_required
@require_GET
def tree(request: HttpRequest, folder_id: UUID | None) -> HttpResponse:
    """The folders directly in one, or at the top for None, for the tree in the rail."""
    return render(
        request, "components/group.html", {"branches": branch_of(request, person(request), folder_id)}
    )


@login_required
@require_GET
def styleguide(request: HttpRequest) -> HttpResponse:
    """Every component in every state, for whoever works on the look; for curators."""
    require(person(request), "curate")
    context = {
        "answer": markdown(render_to_string("styleguide/answer.md"), citations={1: "#s1", 2: "#s2"}),
        "sample": markdown(render_to_string("styleguide/sample.md"), heading_prefix="sample-"),
    }
    return render(request, "styleguide/page.html", context)
