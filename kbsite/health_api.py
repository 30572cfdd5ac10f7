"""``/api/health`` for probes, ``/api/health/detail`` for people who look after the site."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from ninja import Router

from kbsite import health
from kbsite.problems import problem

router = Router(tags=["site"])


@router.get("", auth=None, response=dict[str, str])
def probe(request: HttpRequest) -> HttpResponse:
    """``ok``, or 503 with the reason when the database does not answer."""
    fault = health.database_fault()
    if fault:
        return problem(503, _("The database does not answer (%(fault)s).") % {"fault": fault}, "unavailable")
    return JsonResponse({"status": "ok"})


@router.get("/detail", response=dict[str, Any])
def detail(request: HttpRequest) -> dict[str, Any]:
    """Every engine: database, vectors, queue, workers, model, embeddings, disk."""
    return health.detail()
