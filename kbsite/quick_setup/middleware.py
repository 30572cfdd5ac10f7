"""The first visit leads to set-up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from kbsite.middleware import Both
from kbsite.quick_setup.token import admin_exists

OPEN_BEFORE_SETUP = ("/setup/", "/api/", "/language/", "/theme/", "/favicon.ico", settings.STATIC_URL)


class FirstVisitMiddleware(Both):
    """Sends every page to ``/setup/`` until there is an admin; asks the database until then only."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        self.set_up = False

    def _asks(self, request: HttpRequest) -> bool:
        return not self.set_up and not request.path.startswith(OPEN_BEFORE_SETUP)

    def _now(self, request: HttpRequest) -> HttpResponseBase:
        if self._asks(request):
            self.set_up = admin_exists()
            if not self.set_up:
                return redirect("quick_setup:setup")
        return super()._now(request)

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        if self._asks(request):
            self.set_up = await sync_to_async(admin_exists)()
            if not self.set_up:
                return redirect("quick_setup:setup")
        return await super()._later(request)
