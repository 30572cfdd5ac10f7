"""Is everything there that the site needs? For probes, for admins, and for pages that wait for a worker."""

from __future__ import annotations

import shutil
from datetime import timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError as BrokerError

from kbsite import presence
from kbsite.celery import QUEUE
from kbsite.celery import app as queue_app
from kbsite.llm.chat_models import chat_model
from kbsite.llm.models import EmbeddingSpace, Purpose
from kbsite.start import MEGABYTE

CONNECT_SECONDS = 3
UNREACHABLE = {"reachable": False, "waiting": None, "oldest_seconds": None}


def database_fault() -> str:
    """Why the database does not answer, in a few words; empty when it does.

    Asked on a connection of its own: a pool that is used up says nothing about the database.
    """
    try:
        with psycopg.connect(settings.DATABASE_URL, connect_timeout=CONNECT_SECONDS) as link:
            link.execute("SELECT 1")
    except psycopg.Error as error:
        return type(error).__name__
    return ""


def worker_alive() -> bool:
    """Whether any worker can take tasks now; one cheap query."""
    return presence.workers_alive() > 0


def detail() -> dict[str, Any]:
    """What an admin wants to know about every engine; ``status`` is ``ok`` or ``degraded``."""
    parts = {
        "database": _database(),
        "vectors": _vectors(),
        "queue": _queue(),
        "workers": {"alive": presence.workers_alive()},
        "model": _model(),
        "embeddings": _embeddings(),
        "disk": _disk(),
    }
    troubled = not parts["workers"]["alive"] or parts["disk"]["low"] or not parts["queue"]["reachable"]
    return {"status": "degraded" if troubled else "ok", **parts}


def _database() -> dict[str, Any]:
    version, size = _row(
        "SELECT current_setting('server_version'), pg_database_size(current_database()) / %s", [MEGABYTE]
    )
    return {"version": version, "size_mb": size}


def _vectors() -> dict[str, Any]:
    (version,) = _row("SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector')")
    return {"version": version}


def _queue() -> dict[str, Any]:
    """Messages nobody has taken yet, and the age of the oldest where the broker can tell."""
    if settings.CELERY_BROKER_URL:
        return _broker_queue()
    try:
        waiting, oldest = _row(
            f"SELECT count(*), min(enqueued_at) FROM pgmq.q_{QUEUE} WHERE read_ct = 0"  # noqa: S608
        )
        (now,) = _row("SELECT clock_timestamp()")
    except DatabaseError:
        return UNREACHABLE
    age: timedelta | None = now - oldest if oldest else None
    return {
        "reachable": True,
        "waiting": waiting,
        "oldest_seconds": round(age.total_seconds(), 1) if age else None,
    }


def _broker_queue() -> dict[str, Any]:
    with queue_app.connection_for_read() as link:
        try:
            link.ensure_connection(max_retries=1, timeout=CONNECT_SECONDS)
            _name, waiting, _consumers = link.default_channel.queue_declare(QUEUE, passive=True)
        except link.channel_errors:  # An empty queue does not exist for some brokers.
            waiting = 0
        except (BrokerError, *link.connection_errors):
            return UNREACHABLE
    return {"reachable": True, "waiting": waiting, "oldest_seconds": None}


def _model() -> dict[str, Any]:
    model = chat_model(Purpose.CHAT)
    return {"name": model.name, "provider": model.provider_name, "offline": model.is_offline}


def _embeddings() -> dict[str, Any]:
    """The space that searches use; null until the first text was embedded."""
    space = EmbeddingSpace.objects.filter(state=EmbeddingSpace.State.ACTIVE).first()
    return {
        "model": space.model if space else None,
        "dimension": space.dimension if space else None,
        "building": EmbeddingSpace.objects.filter(state=EmbeddingSpace.State.BUILDING).exists(),
    }


def _disk() -> dict[str, Any]:
    free_mb = shutil.disk_usage(settings.KB_HOME).free // MEGABYTE
    return {"free_mb": free_mb, "low": free_mb < settings.KB_MIN_FREE_MB}


def _row(sql: str, params: list[int] | None = None) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        row: tuple[Any, ...] = cursor.fetchone()
        return row
