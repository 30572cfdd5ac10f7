"""Where answers run: one event loop of its own per web process, whoever asked and whoever listens.

An answer is a detached task. It goes on when its reader leaves, and any process can follow it
through the event table.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from datetime import timedelta
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone
from django.utils.translation import get_language

from chat.feed import Feed
from chat.journal import Journal
from chat.models import Message
from chat.rows import in_rows
from chat.run import Run
from kbsite.accounts.models import User

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0
STALE_AFTER = timedelta(seconds=30)


class Runner:
    """The loop, its thread, and the answers that run in it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runs: dict[UUID, Run] = {}
        self._journal: Journal
        self._later: set[asyncio.Task[None]] = set()

    # ── From any thread ──────────────────────────────────────────────────────────────────────

    def start(self, message_id: UUID, user: User) -> None:
        """Begin to answer as ``user``; returns at once."""
        loop = self._started()
        run = Run(message_id, user, get_language() or "en", self._journal)
        self._runs[message_id] = run
        asyncio.run_coroutine_threadsafe(self._follow_through(run), loop)

    def wait(self, message_id: UUID, seconds: float) -> bool:
        """Wait until an answer that runs here is saved; whether it was within ``seconds``."""
        run = self._runs.get(message_id)
        return run is None or run.saved.wait(seconds)

    def feed(self, message_id: UUID) -> Feed | None:
        """The frames of an answer that runs in this process; None for any other."""
        run = self._runs.get(message_id)
        return run.feed if run else None

    def stop(self, message_id: UUID) -> bool:
        """Stop an answer at once if it runs here; whether it does."""
        run = self._runs.get(message_id)
        if run is None or self._loop is None:
            return False
        self._loop.call_soon_threadsafe(run.stop)
        return True

    def close(self) -> None:
        """Mark what still runs as interrupted, because the process ends."""
        for run in list(self._runs.values()):
            run.interrupt()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._journal = Journal()
                threading.Thread(target=self._loop.run_forever, name="chat-answers", daemon=True).start()
                for keeper in (self._journal.keep(), self._look(), self._beat()):
                    asyncio.run_coroutine_threadsafe(keeper, self._loop)
                atexit.register(self.close)
            return self._loop

    # ── In the loop ──────────────────────────────────────────────────────────────────────────

    async def _follow_through(self, run: Run) -> None:
        try:
            await run.answer()
        finally:
            self._runs.pop(run.message_id, None)
            run.feed.close()
            run.saved.set()
        later = asyncio.create_task(run.afterwards())
        self._later.add(later)
        later.add_done_callback(self._later.discard)

    async def _look(self) -> None:
        """See whether somebody pressed Stop in another process."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._runs:
                continue
            try:
                for message_id in await in_rows(_asked_to_stop, list(self._runs)):
                    self.stop(message_id)
            except DatabaseError:
                log.warning("Could not look for answers to stop", exc_info=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if not self._runs:
                continue
            try:
                await in_rows(_beat, list(self._runs))
            except DatabaseError:
                log.warning("Could not beat for running answers", exc_info=True)


def _asked_to_stop(message_ids: list[UUID]) -> list[UUID]:
    asked = Message.objects.filter(pk__in=message_ids, stop_requested=True, status=Message.Status.STREAMING)
    return list(asked.values_list("pk", flat=True))


def _beat(message_ids: list[UUID]) -> None:
    Message.objects.filter(pk__in=message_ids).update(heartbeat_at=timezone.now())


runner = Runner()
