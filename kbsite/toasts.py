"""Saying what was done: Django's messages, shown as toasts, some with a way back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.utils.functional import Promise

UNDO = "undo:"


def say(request: HttpRequest, text: str | Promise, *, level: int = messages.SUCCESS, undo: str = "") -> None:
    """Show ``text`` on the page that comes next (or on this one, after an htmx request).

    ``undo`` is an address that takes a POST and puts things back; the toast then stays ten seconds.
    """
    messages.add_message(request, level, text, extra_tags=f"{UNDO}{undo}" if undo else "")
