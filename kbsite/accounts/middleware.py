"""Each answer in the language of the person who asked."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from kbsite.accounts.models import User
from kbsite.accounts.preferences import language_of
from kbsite.middleware import Both


class PreferencesMiddleware(Both):
    """Activates the person's language, else the cookie's, else the browser's."""

    def _now(self, request: HttpRequest) -> HttpResponseBase:
        _activate(request, request.user)
        return super()._now(request)

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        _activate(request, await request.auser())
        return await super()._later(request)

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say which language it is, and that another person may get another."""
        response.headers.setdefault("Content-Language", translation.get_language() or "en")
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def _activate(request: HttpRequest, user: object) -> None:
    translation.activate(language_of(request, user if isinstance(user, User) else None))
    request.LANGUAGE_CODE = translation.get_language() or "en"
