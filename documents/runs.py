"""The life of a run: taken by one worker, kept alive by its heart, ended with a reason.

The row is the queue's truth. A worker holds a run by its number of ``attempts``: when the sweep
has given the run to another, or a person has cancelled it, the first one's next step raises
:class:`RunLost` and nothing it does counts any more.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import override
from kombu.exceptions import OperationalError

from documents.faults import plain_english
from documents.models import Document, DocumentVersion, IngestRun, UploadBatch
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, KnowledgeError, ModelUnavailable, UnreadableFile
from kbsite.notify import notify

log = logging.getLogger(__name__)

CHANNEL = "kb_runs"
TASK = "skills.ingest"
AT_ONCE = 500
LONG_QUEUE = 10
Status, Step, Needs = IngestRun.Status, IngestRun.Step, IngestRun.Needs


class RunLost(Exception):
    """Somebody else has this run now, or it was cancelled: stop quietly."""


def start(
    version: DocumentVersion, *, batch: UploadBatch | None = None, on_duplicate: str = "ask"
) -> IngestRun:
    """A new queued run for ``version``, sent to the workers on commit."""
    run = IngestRun.objects.create(
        version=version, batch=batch, on_duplicate=on_duplicate, heartbeat_at=timezone.now()
    )
    Document.objects.filter(pk=version.document_id).update(run=run)
    version.document.run = run
    send(run)
    return run


def start_held(version: DocumentVersion, like: Document, why: str, *, batch: UploadBatch) -> IngestRun:
    """A run that waits for a decision, because ``version`` resembles the document ``like``."""
    params = {"title": like.title}
    run = IngestRun.objects.create(
        version=version,
        batch=batch,
        status=Status.HELD,
        needs=Needs.DECISION,
        code=why,
        duplicate_of=like,
        reason=plain_english(why, params),
        fault={"code": why, "params": params},
        finished_at=timezone.now(),
    )
    Document.objects.filter(pk=version.document_id).update(run=run)
    version.document.run = run
    _tell(run)
    return run


def of(document: Document) -> IngestRun:
    """The document's newest run. Raises Conflict when there was none yet."""
    if document.run is None:
        raise Conflict(_("Nothing has been done with this document yet."))
    return document.run


def skip(run: IngestRun) -> None:
    """Leave a held file out, as a person decided; it can still be kept later."""
    params = {"title": run.duplicate_of.title if run.duplicate_of else ""}
    run.status, run.needs, run.finished_at = Status.SKIPPED, "", timezone.now()
    run.code, run.fault = "skipped", {"code": "skipped", "params": params}
    run.reason = plain_english("skipped", params)
    run.save()
    _tell(run)


def send(run: IngestRun, *, countdown: float = 0) -> None:
    """Ask the workers to take ``run``, once the present transaction is committed."""
    run_id = str(run.pk)
    transaction.on_commit(lambda: _send(run_id, countdown))
    _tell(run)


def _send(run_id: str, countdown: float) -> None:
    """A queue that can't be reached loses nothing: the sweep sends again."""
    try:
        current_app.send_task(TASK, args=[run_id], countdown=countdown or None)
    except OperationalError as error:
        log.warning("Run %s could not be sent, the sweep will do it: %s", run_id, error)


def claim(run_id: UUID | str) -> IngestRun | None:
    """Take a queued run for this worker, counting the attempt; None when it is not to be had."""
    with transaction.atomic():
        run: IngestRun | None = (
            IngestRun.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("version__document", "batch")
            .filter(pk=run_id, status=Status.QUEUED, version__document__deleted_at=None)
            .first()
        )
        if run is None:
            return None
        now = timezone.now()
        run.status, run.step, run.attempts = Status.RUNNING, Step.PARSING, run.attempts + 1
        run.started_at = run.heartbeat_at = now
        run.reason, run.code, run.fault, run.needs, run.finished_at = "", "", {}, "", None
        run.save()
        _tell(run)
    return run


def _held(run: IngestRun) -> models.QuerySet[IngestRun]:
    """The row, while it is still the taking that ``run`` came from: a retry counts attempts anew."""
    return IngestRun.objects.filter(
        pk=run.pk, status=Status.RUNNING, attempts=run.attempts, started_at=run.started_at
    )


def _change(run: IngestRun, **values: Any) -> None:
    """Write ``values`` if this worker still holds ``run``; raises RunLost."""
    with transaction.atomic():
        if not _held(run).update(heartbeat_at=timezone.now(), **values):
            raise RunLost(str(run.pk))
        for name, value in values.items():
            setattr(run, name, value)
        _tell(run)


def _tell(run: IngestRun) -> None:
    notify(CHANNEL, f"{run.batch_id or '-'} {run.pk}")


def beat(run: IngestRun) -> bool:
    """Say that the worker lives; False when it no longer holds the run."""
    return bool(_held(run).update(heartbeat_at=timezone.now()))


@contextlib.contextmanager
def beating(run: IngestRun) -> Iterator[None]:
    """Beat every ``KB_HEARTBEAT_SECONDS`` from a thread while the body runs."""
    done = threading.Event()

    def keep_beating() -> None:
        try:
            while not done.wait(settings.KB_HEARTBEAT_SECONDS):
                if not beat(run):
                    return
        finally:
            connection.close()

    thread = threading.Thread(target=keep_beating, name=f"heart-{run.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def at_step(run: IngestRun, step: str, message: str | Promise = "") -> None:
    """Note that ``run`` has come to ``step``, with words on what is being done. Raises RunLost."""
    _change(run, step=step, reason=_english(message))


def finish(run: IngestRun, status: str = Status.DONE, reason: str | Promise = "", **fault: Any) -> None:
    """End ``run`` as done, skipped or merged. Raises RunLost."""
    step = {"step": Step.COMPLETED} if status == Status.DONE else {}
    _change(run, status=status, reason=_english(reason), fault=fault, finished_at=timezone.now(), **step)


def hold(run: IngestRun, needs: str, reason: str | Promise = "", **fault: Any) -> None:
    """Wait for a person: ``needs`` is "password" or "decision". Raises RunLost."""
    _change(
        run,
        status=Status.HELD,
        needs=needs,
        code=needs,
        reason=_english(reason),
        fault=fault,
        finished_at=timezone.now(),
    )


def fail(run: IngestRun, error: BaseException) -> None:
    """What an error makes of ``run``: held for a password, failed for good, or queued again.

    A file that can't be read, and a model that refuses, fail at once. Anything else is tried
    again after a pause until ``KB_MAX_ATTEMPTS``. A lost run is left alone.
    """
    try:
        _fail(run, error)
    except RunLost:
        log.info("Run %s belongs to another worker now", run.pk)


def _fail(run: IngestRun, error: BaseException) -> None:
    if isinstance(error, RunLost):
        raise error
    if isinstance(error, UnreadableFile) and error.code == "password":
        fault = _fault(error)
        hold(run, Needs.PASSWORD, error.message, **fault)
        return
    permanent = isinstance(error, KnowledgeError) and not getattr(error, "retryable", False)
    if isinstance(error, KnowledgeError) and (permanent or run.attempts >= settings.KB_MAX_ATTEMPTS):
        _change(
            run,
            status=Status.FAILED,
            code=error.code,
            reason=_english(error.message),
            fault=_fault(error),
            finished_at=timezone.now(),
        )
        return
    log.error("Run %s, attempt %s failed", run.pk, run.attempts, exc_info=error)
    if run.attempts >= settings.KB_MAX_ATTEMPTS:
        _give_up(run, "went_wrong")
    else:
        _try_again(run, error)


def _try_again(run: IngestRun, error: BaseException) -> None:
    reason = _english(error.message) if isinstance(error, ModelUnavailable) else plain_english("trying_again")
    fault = {} if isinstance(error, ModelUnavailable) else {"code": "trying_again"}
    with transaction.atomic():
        _change(run, status=Status.QUEUED, reason=reason, fault=fault)
        send(run, countdown=2.0**run.attempts)


def _give_up(run: IngestRun, why: str) -> None:
    params = {"times": run.attempts}
    _change(
        run,
        status=Status.FAILED,
        code=why,
        reason=plain_english(why, params),
        fault={"code": why, "params": params},
        finished_at=timezone.now(),
    )


def _fault(error: KnowledgeError) -> dict[str, Any]:
    code = error.extra.get("fault")
    return {"code": code, "params": error.extra.get("params", {})} if code else {}


def _english(words: str | Promise) -> str:
    with override("en"):
        return str(words)


def requeue(run: IngestRun, **values: Any) -> None:
    """Queue a run that has ended afresh, as a person asked; its attempts start from none."""
    fresh = {"step": Step.QUEUED, "attempts": 0, "reason": "", "code": "", "fault": {}, "needs": ""}
    with transaction.atomic():
        ended = IngestRun.objects.filter(pk=run.pk).exclude(status__in=[Status.QUEUED, Status.RUNNING])
        fresh |= {"status": Status.QUEUED, "finished_at": None, "heartbeat_at": timezone.now(), **values}
        if ended.update(**fresh):
            send(run)
    run.refresh_from_db()


def retry(run: IngestRun) -> None:
    """Try an ended run again from the start; one that is queued or running is left alone."""
    requeue(run)


def cancel(document: Document, why: str = "cancelled") -> None:
    """Stop every open run of ``document``: whoever works on one notices at its next step."""
    _cancel(IngestRun.objects.filter(version__document=document), why)


def cancel_batch(batch: UploadBatch, user: User) -> None:
    """Stop every open run of ``batch`` that ``user`` may see."""
    _cancel(batch.runs.visible_to(user), "cancelled")


def _cancel(runs: models.QuerySet[IngestRun], why: str) -> None:
    is_open = Q(status__in=[Status.QUEUED, Status.RUNNING])
    for run in runs.filter(is_open):
        IngestRun.objects.filter(is_open, pk=run.pk).update(
            status=Status.SKIPPED,
            code=why,
            fault={"code": why},
            reason=plain_english(why),
            finished_at=timezone.now(),
            unlock=None,
        )
        _tell(run)


def sweep(silent_since: datetime | None = None) -> int:
    """Bring back what has stopped moving; returns how many runs that were.

    A running one whose heart stopped ``KB_STUCK_AFTER_SECONDS`` ago is queued again, or failed
    after ``KB_MAX_ATTEMPTS``. A queued one that nobody took for as long is sent again.
    ``silent_since``: a moment when no worker was alive; what was running then is brought back at once.
    """
    if silent_since is not None:
        with transaction.atomic():
            return _bring_back_running(silent_since)
    cutoff = timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS)
    IngestRun.objects.filter(unlock__isnull=False, heartbeat_at__lt=cutoff).update(unlock=None)
    with transaction.atomic():
        return _bring_back_running(cutoff) + _send_again(cutoff)


def _open_runs() -> models.QuerySet[IngestRun]:
    runs = IngestRun.objects.select_for_update(skip_locked=True, of=("self",))
    return runs.filter(version__document__deleted_at=None)


def _bring_back_running(cutoff: datetime) -> int:
    stuck = list(_open_runs().filter(status=Status.RUNNING, heartbeat_at__lt=cutoff)[:AT_ONCE])
    for run in stuck:
        if run.attempts >= settings.KB_MAX_ATTEMPTS:
            _give_up(run, "worker_lost")
        else:
            _change(run, status=Status.QUEUED, step=Step.QUEUED)
            send(run)
    return len(stuck)


def _send_again(cutoff: datetime) -> int:
    """Messages get lost; but while the queue moves, a long wait only means a long queue."""
    moving = IngestRun.objects.filter(started_at__gt=cutoff).exists()
    patience = LONG_QUEUE * settings.KB_STUCK_AFTER_SECONDS if moving else 0
    before = cutoff - timedelta(seconds=patience)
    untaken = Q(heartbeat_at__lt=before) | Q(heartbeat_at=None, created_at__lt=before)
    waiting = list(_open_runs().filter(untaken, status=Status.QUEUED)[:AT_ONCE])
    for run in waiting:
        IngestRun.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now())
        send(run)
    return len(waiting)
