"""Language and theme: a person's own, else this browser's."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from kbsite.accounts.models import User

THEME_COOKIE = "kb_theme"
THEMES = ("light", "dark")
YEAR = 365 * 24 * 3600


def language_of(request: HttpRequest, user: User | None) -> str:
    """The language for this request: the person's, the cookie's, the browser's, the site's."""
    known = dict(settings.LANGUAGES)
    if user and user.language in known:
        return user.language
    return translation.get_language_from_request(request)


def theme_of(request: HttpRequest) -> str:
    """``light``, ``dark`` or ``""`` (the system's)."""
    user = getattr(request, "user", None)
    chosen = (user.theme if isinstance(user, User) else "") or request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def _keep(response: HttpResponse, cookie: str, value: str) -> None:
    if value:
        response.set_cookie(
            cookie, value, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE, httponly=True
        )
    else:
        response.delete_cookie(cookie)


def choose_language(response: HttpResponse, user: User | None, language: str) -> None:
    """Keep ``language`` on the person and in the cookie; an unknown one means the browser's."""
    value = language if language in dict(settings.LANGUAGES) else ""
    _keep(response, settings.LANGUAGE_COOKIE_NAME, value)
    if user:
        user.language = value
        user.save(update_fields=["language"])


def choose_theme(response: HttpResponse, user: User | None, theme: str) -> None:
    """Keep ``theme`` on the person and in the cookie; anything but light or dark means the system's."""
    value = theme if theme in THEMES else ""
    _keep(response, THEME_COOKIE, value)
    if user:
        user.theme = value
        user.save(update_fields=["theme"])
