"""Each answer in the language of the person who asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from kbsite.accounts.models import User
from kbsite.accounts.preferences import language_of


class PreferencesMiddleware:
    """Activates the person's language, else the cookie's, else the browser's. Sync and async."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if iscoroutinefunction(self):
            return self._later(request)
        self._activate(request, request.user)
        return self._marked(self.get_response(request))

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        self._activate(request, await request.auser())
        return self._marked(await self.get_response(request))

    @staticmethod
    def _activate(request: HttpRequest, user: object) -> None:
        language = language_of(request, user if isinstance(user, User) else None)
        translation.activate(language)
        request.LANGUAGE_CODE = language

    @staticmethod
    def _marked(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Language", translation.get_language() or "en")
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response
