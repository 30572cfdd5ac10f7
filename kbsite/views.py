"""What belongs to no page in particular: the palette, the language and the theme."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from kbsite.accounts.models import User
from kbsite.accounts.preferences import choose_language, choose_theme


def _back(request: HttpRequest) -> HttpResponse:
    """Where the person came from, if that is one of our own pages."""
    there = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(there, {request.get_host()}, request.is_secure())
    return HttpResponseRedirect(there if safe else "/")


def _person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


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


@require_GET
def palette(request: HttpRequest) -> HttpResponse:
    """Where ``q`` may lead."""
    return render(request, "components/palette.html", {"query": request.GET.get("q", "").strip()})
