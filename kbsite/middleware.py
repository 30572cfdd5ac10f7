"""What our middleware has in common: it stands in the way of neither sync nor async views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_vary_headers


class Both:
    """Middleware for sync and async chains. Subclasses look at the answer in :meth:`after`."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._is_async = bool(iscoroutinefunction(get_response))
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        return self._later(request) if self._is_async else self._now(request)

    def _now(self, request: HttpRequest) -> HttpResponseBase:
        return self.after(request, self.get_response(request))

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        return self.after(request, await self.get_response(request))

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer that goes out; ``response`` as it came unless a subclass knows better."""
        return response


class PartsMiddleware(Both):
    """Keeps a part of a page, which htmx asked for, from being shown as the page when one goes back to it."""

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say that an address answers htmx otherwise; a browser does not keep parts."""
        patch_vary_headers(response, ("HX-Request",))
        if is_htmx(request):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of a page."""
    return request.headers.get("HX-Request") == "true"
