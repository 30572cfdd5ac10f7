"""The clock's part: bring back runs that stopped moving."""

from __future__ import annotations

from datetime import datetime

from celery import shared_task

from documents import runs


@shared_task(name="documents.sweep")
def sweep(silent_since: str | None = None) -> None:
    """Every half minute, by beat; with a moment, by the first worker to come after it."""
    runs.sweep(datetime.fromisoformat(silent_since) if silent_since else None)
