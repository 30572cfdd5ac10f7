"""A skill's heart: queued, claimed, beating, failed, swept. The row is the queue's truth."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from documents.models import IngestRun
from kbsite.exceptions import KnowledgeError
from skills.models import Skill

STOPPED = gettext_lazy("The worker stopped while indexing, three times. Press Retry.")

log = logging.getLogger(__name__)

HEART_FIELDS = ("index_state", "index_reason", "attempts", "heartbeat_at")
OPEN_RUN = (IngestRun.Status.QUEUED, IngestRun.Status.RUNNING)


def make_due(skill: Skill) -> None:
    """Mark ``skill`` (not yet saved) to be indexed from the start; save :data:`HEART_FIELDS` too."""
    skill.index_state, skill.index_reason = Skill.Index.QUEUED, ""
    skill.attempts, skill.heartbeat_at = 0, timezone.now()


def send(skill_id: uuid.UUID) -> None:
    """Ask a worker to refresh the skill once this transaction commits.

    If the broker can't be reached the row stays queued, and the sweep asks again.
    """
    task = partial(current_app.send_task, "skills.refresh", args=[str(skill_id)])
    transaction.on_commit(task, robust=True)


def claim(skill_id: uuid.UUID) -> Skill | None:
    """Take a queued skill, or None when it is not queued, gone, or being taken by another."""
    with transaction.atomic():
        waiting = Skill.objects.select_for_update(skip_locked=True).filter(
            pk=skill_id, index_state=Skill.Index.QUEUED, deleted_at=None
        )
        skill = waiting.first()
        if skill is None:
            return None
        skill.index_state, skill.heartbeat_at = Skill.Index.RUNNING, timezone.now()
        skill.attempts += 1
        if skill.status == Skill.Status.PENDING:
            skill.status = Skill.Status.PROCESSING
        skill.save(update_fields=[*HEART_FIELDS, "status"])
        return skill


def beat(skill_id: uuid.UUID) -> None:
    """Show that somebody is still working on it."""
    Skill.objects.filter(pk=skill_id, index_state=Skill.Index.RUNNING).update(heartbeat_at=timezone.now())


def fail(skill: Skill, error: Exception) -> None:
    """Queue ``skill`` again after the stuck time; final at the third failure or where trying can't help."""
    with override("en"):  # kept in English, said again in the reader's language
        reason = (
            str(error) if isinstance(error, KnowledgeError) else _("Indexing failed. It has been logged.")
        )
    final = is_final(skill.attempts, error)
    changes = {"index_state": Skill.Index.FAILED if final else Skill.Index.QUEUED, "index_reason": reason}
    mine = Skill.objects.filter(pk=skill.pk, version=skill.version, index_state=Skill.Index.RUNNING)
    mine.update(heartbeat_at=timezone.now(), **changes)
    if final:
        unfinished = Skill.objects.filter(pk=skill.pk, status=Skill.Status.PROCESSING)
        unfinished.update(status=Skill.Status.PENDING)


def is_final(attempts: int, error: Exception) -> bool:
    """Whether nothing is tried again: at the third failure, or where trying can't help."""
    return attempts >= settings.KB_MAX_ATTEMPTS or not getattr(error, "retryable", True)


def retry(skill_id: uuid.UUID) -> None:
    """Queue a skill whose indexing failed; one that is not failed is left alone."""
    failed = Skill.objects.filter(pk=skill_id, index_state=Skill.Index.FAILED, deleted_at=None)
    queued = {"index_state": Skill.Index.QUEUED, "index_reason": "", "attempts": 0}
    if failed.update(heartbeat_at=timezone.now(), **queued):
        send(skill_id)


def sweep(silent_since: datetime | None = None) -> int:
    """Return skills whose heart stopped to the queue, and ask again for those that waited too long.

    The third failure is final. Skills that an open ingest run is working on are that run's matter.
    ``silent_since``: a moment when no worker was alive; only what was running then is returned.
    Returns how many were sent.
    """
    stopped = silent_since or timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS)
    open_states = (Skill.Index.RUNNING,) if silent_since else (Skill.Index.QUEUED, Skill.Index.RUNNING)
    stuck = (
        Skill.objects.filter(Q(heartbeat_at__lt=stopped) | Q(heartbeat_at=None))
        .filter(index_state__in=open_states, deleted_at=None)
        .exclude(sources__version__runs__status__in=OPEN_RUN)
    )
    sent = 0
    for skill in stuck.only("pk", "attempts", "index_state", "version").iterator():
        if skill.index_state == Skill.Index.RUNNING and skill.attempts >= settings.KB_MAX_ATTEMPTS:
            fail(skill, KnowledgeError(STOPPED))
            continue
        with transaction.atomic():
            Skill.objects.filter(pk=skill.pk).update(
                index_state=Skill.Index.QUEUED, heartbeat_at=timezone.now()
            )
            send(skill.pk)
        sent += 1
    return sent


@contextmanager
def beating(pulse: Callable[[], object]) -> Iterator[None]:
    """Run ``pulse`` every ``KB_HEARTBEAT_SECONDS`` in a thread of its own until the block ends.

    Long steps (a parser, a model) need not think of it; a killed process stops beating.
    """
    done = threading.Event()

    def run() -> None:
        while not done.wait(settings.KB_HEARTBEAT_SECONDS):
            try:
                pulse()
            except DatabaseError:
                log.warning("A heartbeat could not be written", exc_info=True)
            finally:
                connection.close()

    thread = threading.Thread(target=run, name="heart", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
