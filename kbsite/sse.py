"""Server-sent events: how one is written, and a response that proxies leave alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from django.http import StreamingHttpResponse

AWAKE = b": awake\n\n"
AWAKE_SECONDS = 15.0


def frame(event: str, data: Any, id: int | str | None = None) -> bytes:
    """One event. ``data`` that is not a string goes as JSON; ``id`` lets a reader resume.

    Line ends inside ``data`` become further ``data:`` lines, so that no text can end the event.
    """
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    head = ("" if id is None else f"id: {id}\n") + f"event: {event}\n"
    return (head + "".join(f"data: {line}\n" for line in lines) + "\n").encode()


async def kept_awake(frames: AsyncIterator[bytes], seconds: float = AWAKE_SECONDS) -> AsyncIterator[bytes]:
    """``frames``, with a comment line whenever none came for ``seconds``; closes them at the end."""
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(frames, b""))
            done, _ = await asyncio.wait([following], timeout=seconds)
            if not done:
                yield AWAKE
                continue
            piece, following = following.result(), None
            if not piece:
                return
            yield piece
    finally:
        if following is not None:
            following.cancel()
            await asyncio.wait([following])
        if (close := getattr(frames, "aclose", None)) is not None:
            await close()


class SSEResponse(StreamingHttpResponse):
    """Streams frames as they come: not cached, not rewritten, not buffered by a proxy."""

    def __init__(self, frames: AsyncIterator[bytes], *, awake_seconds: float = AWAKE_SECONDS) -> None:
        super().__init__(kept_awake(frames, awake_seconds), content_type="text/event-stream; charset=utf-8")
        self["Cache-Control"] = "no-cache, no-transform"
        self["X-Accel-Buffering"] = "no"
