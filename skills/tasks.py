"""What the workers run. A task carries an id; the row says the rest."""

from __future__ import annotations

import uuid
from datetime import datetime

from celery import shared_task

from skills import heart, pipeline, terms
from skills.bin import purge


@shared_task(name="skills.ingest")
def ingest(run_id: str) -> None:
    """Read one version of a document and make it findable."""
    pipeline.ingest(uuid.UUID(run_id))


@shared_task(name="skills.refresh")
def refresh(skill_id: str) -> None:
    """Write a skill's layers if they are due, and index it."""
    pipeline.refresh(uuid.UUID(skill_id))


@shared_task(name="skills.sweep")
def sweep(silent_since: str | None = None) -> None:
    """Return skills whose worker stopped to the queue; with a moment, all that were running then."""
    heart.sweep(datetime.fromisoformat(silent_since) if silent_since else None)


@shared_task(name="skills.fold_terms")
def fold_terms() -> None:
    """Add new words to the document frequencies."""
    terms.fold_deltas()


@shared_task(name="skills.purge")
def purge_trash() -> None:
    """Hourly, by beat: delete for good what has been in the trash for KB_TRASH_DAYS."""
    purge.purge()
