"""The clock's part: bring back runs that stopped moving."""

from __future__ import annotations

from celery import shared_task

from documents import runs


@shared_task(name="documents.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Every minute, by beat."""
    runs.sweep()
