"""The first visit leads to set-up."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from kbsite.quick_setup.token import admin_exists

OPEN_BEFORE_SETUP = ("/setup/", "/api/", "/language/", "/theme/", "/favicon.ico", settings.STATIC_URL)


class FirstVisitMiddleware:
    """Sends every page to ``/setup/`` until there is an admin; asks the database until then only."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.set_up = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not self.set_up and not request.path.startswith(OPEN_BEFORE_SETUP):
            self.set_up = admin_exists()
            if not self.set_up:
                return redirect("quick_setup:setup")
        return self.get_response(request)
