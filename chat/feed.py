"""The frames of a running answer in memory: written by its own loop, followed from any other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

from chat.frames import Frame


class Feed:
    """Frames in order, from 1 on. Safe to write in one thread and follow in many."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.closed = False
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()

    def add(self, frame: Frame) -> None:
        """Append and wake whoever follows."""
        self.frames.append(frame)
        self._wake()

    def close(self) -> None:
        """Nothing more comes; followers end."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            for loop, news in self._waiting:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(news.set)

    async def follow(self, after: int = 0) -> AsyncGenerator[Frame]:
        """Frames with ``seq`` above ``after``, as they come, until the feed is closed."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._waiting.add((loop, news))
        try:
            while True:
                news.clear()
                closed = self.closed
                for frame in self.frames[after:]:
                    after = frame.seq
                    yield frame
                if after >= len(self.frames):
                    if closed:
                        return
                    await news.wait()
        finally:
            with self._lock:
                self._waiting.discard((loop, news))
