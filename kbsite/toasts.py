"""Saying what was done: Django's messages, shown as toasts, some with a way back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django_htmx.http import trigger_client_event

from kbsite.middleware import Both, is_htmx

UNDO = "undo:"
_NAVIGATES = ("HX-Redirect", "HX-Refresh", "HX-Location")


def say(request: HttpRequest, text: str, *, level: int = messages.SUCCESS, undo: str = "") -> None:
    """Show ``text`` on the page that comes next, or on this one after an htmx request.

    ``undo`` is an address that takes a POST and puts things back; the toast then stays ten seconds.
    """
    messages.add_message(request, level, text, extra_tags=f"{UNDO}{undo}" if undo else "")


def undo_address(message: Message) -> str:
    """The address that undoes what ``message`` says, or ``""``."""
    tags = message.extra_tags or ""
    return tags.removeprefix(UNDO) if tags.startswith(UNDO) else ""


def trigger(response: HttpResponse, *toasts: dict[str, str]) -> HttpResponse:
    """``response`` with a header that makes the page show ``toasts`` (text, tone, undo, href, label)."""
    # A list, which htmx hands on as ``detail.value``; the types of django-htmx know dicts only.
    trigger_client_event(response, "toasts", list(toasts))  # type: ignore[arg-type]
    return response


class ToastsMiddleware(Both):
    """Sends messages along with the answer to an htmx request, which has no page to show them on."""

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer with what was said; one that leads elsewhere leaves it to be said there."""
        stays = not 300 <= response.status_code < 400 and not any(name in response for name in _NAVIGATES)
        if not (is_htmx(request) and stays and isinstance(response, HttpResponse)):
            return response
        said = [
            {"text": str(message), "tone": message.level_tag, "undo": undo_address(message)}
            for message in messages.get_messages(request)
        ]
        return trigger(response, *said) if said else response
