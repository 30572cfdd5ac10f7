"""News between processes: PostgreSQL's NOTIFY, heard on one connection per process.

However many pages and streams wait, they share that connection; none of them holds one of the
pool's. A channel here is a name of ours; all travel on PostgreSQL's channel ``kb``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from weakref import WeakKeyDictionary

import psycopg
from django.db import connection

log = logging.getLogger(__name__)

POSTGRES_CHANNEL = "kb"
LOOK_AGAIN = ""
WAITING = 1000
BACK_OFF_SECONDS = (0.2, 1.0, 5.0)

type Queue = asyncio.Queue[str]


def notify(channel: str, payload: str) -> None:
    """Tell every process; inside a transaction it is told on commit.

    ``payload`` is an id or a few words, under 7,000 bytes: the listener reads the rows.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [POSTGRES_CHANNEL, f"{channel} {payload}"])


@contextlib.asynccontextmanager
async def subscribe(channel: str) -> AsyncIterator[Queue]:
    """A queue of the payloads sent to ``channel`` from now on.

    ``LOOK_AGAIN`` (an empty payload) in it means that something may have been missed: read
    the rows afresh. It comes after the connection was lost, or when the reader is far behind.
    """
    loop = asyncio.get_running_loop()
    listener = _listeners.setdefault(loop, _Listener())
    queue: Queue = asyncio.Queue(WAITING)
    await listener.add(channel, queue)
    try:
        yield queue
    finally:
        await listener.remove(channel, queue)


class _Listener:
    """The one connection of an event loop: opened for the first queue, closed after the last."""

    def __init__(self) -> None:
        self.queues: defaultdict[str, set[Queue]] = defaultdict(set)
        self.task: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()

    async def add(self, channel: str, queue: Queue) -> None:
        self.queues[channel].add(queue)
        if self.task is None:
            self.listening = asyncio.Event()
            self.task = asyncio.create_task(self.listen(), name="kb-notify")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.listening.wait(), timeout=5)

    async def remove(self, channel: str, queue: Queue) -> None:
        self.queues[channel].discard(queue)
        if not self.queues[channel]:
            del self.queues[channel]
        if not self.queues and self.task is not None:
            task, self.task = self.task, None
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def listen(self) -> None:
        failures = 0
        while True:
            try:
                async with await _connect() as link:
                    await link.execute(f"LISTEN {POSTGRES_CHANNEL}")
                    if failures:
                        self.tell_all(LOOK_AGAIN)
                    failures = 0
                    self.listening.set()
                    async for news in link.notifies():
                        channel, _, payload = news.payload.partition(" ")
                        self.tell(channel, payload)
            except (psycopg.Error, OSError) as error:
                wait = BACK_OFF_SECONDS[min(failures, len(BACK_OFF_SECONDS) - 1)]
                failures += 1
                log.warning("Lost the line for news, trying again in %s s: %s", wait, error)
                await asyncio.sleep(wait)

    def tell_all(self, payload: str) -> None:
        for channel in self.queues:
            self.tell(channel, payload)

    def tell(self, channel: str, payload: str) -> None:
        for queue in self.queues.get(channel, ()):
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                payload = LOOK_AGAIN
            queue.put_nowait(payload)


async def _connect() -> psycopg.AsyncConnection[tuple[object, ...]]:
    params = connection.get_connection_params()
    for only_django_knows in ("cursor_factory", "context"):
        params.pop(only_django_knows, None)
    return await psycopg.AsyncConnection.connect(
        **params, autocommit=True, application_name="kb-notify", keepalives_idle=30
    )


_listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, _Listener] = WeakKeyDictionary()
