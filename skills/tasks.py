"""What the workers run. A task carries an id; the row says the rest."""

from __future__ import annotations

import uuid
from datetime import datetime

from celery import shared_task

from skills import heart, pipeline, terms
from skills.bin import purge
from skills.folder_pages import clock, log
from skills.folder_pages import make as folder_page
from skills.pictures import tidy as pictures
from skills.writing import drafts


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
    """Return skills and folders' pages whose worker stopped to the queue; with a moment, all that ran."""
    moment = datetime.fromisoformat(silent_since) if silent_since else None
    heart.sweep(moment)
    folder_page.sweep(moment)


@shared_task(name="skills.make_folder_page")
def make_folder_page(folder_id: str) -> None:
    """Make one folder's page."""
    folder_page.make(uuid.UUID(folder_id))


@shared_task(name="skills.refresh_folder_pages")
def refresh_folder_pages() -> None:
    """Every half minute, by beat: queue the pages of folders in which enough changed."""
    clock.refresh_due()


@shared_task(name="skills.prune_folder_logs")
def prune_folder_logs() -> None:
    """Hourly, by beat: forget the oldest lines of folders' update logs."""
    log.prune()


@shared_task(name="skills.fold_terms")
def fold_terms() -> None:
    """Add new words to the document frequencies."""
    terms.fold_deltas()


@shared_task(name="skills.purge")
def purge_trash() -> None:
    """Hourly, by beat: delete for good what has been in the trash for KB_TRASH_DAYS."""
    purge.purge()


@shared_task(name="skills.tidy_writing")
def tidy_writing() -> None:
    """Hourly, by beat: delete drafts nobody went on with, and pictures that nothing shows."""
    drafts.put_away()
    pictures.put_away()
