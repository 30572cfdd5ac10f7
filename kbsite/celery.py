"""The queue: Celery over PGMQ in the same PostgreSQL, or whatever ``CELERY_BROKER_URL`` names.

Tasks run in forked processes: one that takes too long or too much memory, or that a bad file
brings down, is replaced without touching its neighbours.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

from celery import Celery, signals
from django.conf import settings
from django.db import connection
from django.utils import translation

from kbsite import broker, embedded, lifeline
from kbsite.presence import WorkerPresence, workers_alive

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbsite.settings")
if not settings.configured:  # Celery is the program here, not manage.py.
    embedded.ensure_database_url()

QUEUE = "kb"
A_MINUTE = 60.0
AN_HOUR = 3600.0

app = Celery("kbsite")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL or broker.URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    task_default_queue=QUEUE,
    task_ignore_result=True,
    # A task lost with its worker comes back: by the broker, and sooner by the sweep of the rows.
    task_acks_late=True,
    task_reject_on_worker_lost=False,
    task_soft_time_limit=settings.KB_TASK_SECONDS,
    task_time_limit=settings.KB_TASK_SECONDS + 60,
    worker_concurrency=settings.KB_WORKER_CONCURRENCY,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=500,
    worker_max_memory_per_child=settings.KB_WORKER_MEMORY_MB * 1024,
    worker_soft_shutdown_timeout=2.0,
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_schedule={
        "bring stuck documents back": {"task": "documents.sweep", "schedule": 30.0},
        "bring stuck skills back": {"task": "skills.sweep", "schedule": 30.0},
        "fold new words into the statistics": {"task": "skills.fold_terms", "schedule": 30.0},
        "make the folder pages that are due": {"task": "skills.refresh_folder_pages", "schedule": 30.0},
        "shorten the logs of folders": {"task": "skills.prune_folder_logs", "schedule": AN_HOUR},
        "put drafts and pictures away": {"task": "skills.tidy_writing", "schedule": AN_HOUR},
        "end answers whose process is gone": {"task": "chat.sweep", "schedule": A_MINUTE},
        "delete for good what was long in the trash": {"task": "skills.purge", "schedule": AN_HOUR},
        "forget old failures to sign in": {"task": "accounts.forget_failures", "schedule": AN_HOUR},
    },
)
if not settings.CELERY_BROKER_URL:
    app.conf.broker_transport_options = {
        "wait_time_seconds": 2,
        "poll_interval_ms": 50,
        "polling_interval": 0.05,
        # Longer than any task, or a second worker would start it again.
        "visibility_timeout": max(int(AN_HOUR), settings.KB_TASK_SECONDS * 2),
    }
if os.environ.get("KB_PART") != "beat":  # It sends tasks by name and needs none of their code.
    app.autodiscover_tasks()

_presence = WorkerPresence()
_began = datetime.now(UTC)


@signals.setup_logging.connect
def _keep_our_logging(**kwargs: Any) -> None:
    """Django's LOGGING is the only one: Celery sets up none of its own while this is connected."""


@signals.task_prerun.connect
def _think_in_english(**kwargs: Any) -> None:
    """What a worker keeps in rows is English; pages say it in the reader's language."""
    translation.activate("en")


@signals.worker_ready.connect
def _come(**kwargs: Any) -> None:
    """Be seen; and when nobody else is there, bring back what was in hand when everybody left."""
    if _presence.enter() and workers_alive() == 1:
        for name in ("documents.sweep", "skills.sweep"):
            app.send_task(name, kwargs={"silent_since": _began.isoformat()})
    connection.close()


@signals.worker_shutting_down.connect
def _go(**kwargs: Any) -> None:
    _presence.leave()


@signals.worker_process_init.connect
def _live_no_longer_than_the_worker(**kwargs: Any) -> None:
    lifeline.die_with(os.getppid())
