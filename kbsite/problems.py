"""Errors as programs get them: RFC 9457 problem documents."""

from __future__ import annotations

import json
from http import HTTPStatus

from django.http import HttpResponse

from kbsite.text import storable


def problem(status: int, detail: str, code: str, **extra: object) -> HttpResponse:
    """A problem document that also carries ``detail`` for people and a stable ``code`` for programs."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **extra,
    }
    return HttpResponse(
        storable(json.dumps(body, ensure_ascii=False, default=str)),
        status=status,
        content_type="application/problem+json",
    )
