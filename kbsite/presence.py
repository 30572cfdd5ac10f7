"""Which workers are alive: each holds a PostgreSQL session lock for as long as it lives.

The server drops the lock with the connection, so a worker that was killed is missed at once,
without rows to expire and whatever the broker is.
"""

from __future__ import annotations

import logging
import threading

import psycopg
from django.conf import settings
from django.db import connection

log = logging.getLogger(__name__)

LOCK_SPACE = 0x6B62
WORKER = 1
LOOK_SECONDS = 5.0


def workers_alive() -> int:
    """How many worker processes hold their lock now; one cheap query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = %s AND objid = %s",
            [LOCK_SPACE, WORKER],
        )
        return int(cursor.fetchone()[0])


class WorkerPresence:
    """Holds this worker's lock in a thread of its own, through restarts of the database."""

    def __init__(self) -> None:
        self._leaving = threading.Event()
        self._held = threading.Event()
        self._thread = threading.Thread(target=self._hold, name="kb-presence", daemon=True)

    def enter(self, timeout: float = 10.0) -> bool:
        """Take the lock; returns whether it is held, after at most ``timeout`` seconds."""
        self._thread.start()
        return self._held.wait(timeout)

    def leave(self) -> None:
        """Give the lock back."""
        self._leaving.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _hold(self) -> None:
        while not self._leaving.is_set():
            try:
                with psycopg.connect(
                    settings.DATABASE_URL, autocommit=True, application_name="kb-worker"
                ) as link:
                    link.execute("SELECT pg_advisory_lock_shared(%s, %s)", [LOCK_SPACE, WORKER])
                    self._held.set()
                    while not self._leaving.wait(LOOK_SECONDS):
                        link.execute("SELECT 1")
            except psycopg.Error as error:
                log.warning("Lost the database, trying again: %s", error)
                self._leaving.wait(1.0)
