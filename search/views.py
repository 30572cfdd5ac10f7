"""The search page."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person
from kbsite.middleware import is_htmx
from search.asked import asked
from search.page import page_of


@login_required
@require_GET
def search_page(request: HttpRequest) -> HttpResponse:
    """Find skills; the address holds the query, the mode and the filters."""
    page = page_of(asked(request.GET), person(request))
    template = "search/search.html#found" if is_htmx(request) else "search/search.html"
    return render(request, template, {"page": page})
