"""Following an answer from any process: frames in order, from any point, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.answer import sweep
from chat.frames import ERROR, FINAL, Frame
from chat.journal import channel, saved_frames
from chat.models import Message
from chat.rows import in_rows
from chat.runner import runner
from chat.saving import citation_of
from chat.seen import hide_unseen
from kbsite.notify import subscribe
from kbsite.sse import frame as sse

LOOK_AGAIN_SECONDS = 5.0


async def follow(message_id: UUID, after: int = 0) -> AsyncGenerator[Frame]:
    """Frames above ``after`` until the last one, as they come; the last is FINAL or ERROR.

    From memory when the answer runs in this process, from the table otherwise. Frames that
    are gone by now are made up for by a last one with the saved answer. While it waits it
    holds no connection of the pool.
    """
    if feed := runner.feed(message_id):
        async with aclosing(feed.follow(after)) as frames:
            async for frame in frames:
                after = frame.seq
                yield frame
                if frame.is_last:
                    return
    async with aclosing(_from_table(message_id, after)) as frames:
        async for frame in frames:
            yield frame


async def _from_table(message_id: UUID, after: int) -> AsyncGenerator[Frame]:
    async with subscribe(channel(message_id)) as news:
        while True:
            frames, last = await in_rows(_read, message_id, after)
            for frame in frames:
                after = frame.seq
                yield frame
                if frame.is_last:
                    return
            if last is not None:
                yield last
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(news.get(), LOOK_AGAIN_SECONDS)
            while not news.empty():
                news.get_nowait()


def _read(message_id: UUID, after: int) -> tuple[list[Frame], Frame | None]:
    """Stored frames above ``after``, and a last one when the answer is over without any stored."""
    sweep(pk=message_id)
    message = Message.objects.select_related("conversation__user").filter(pk=message_id).first()
    frames = saved_frames(message_id, after)
    if message is not None and message.status == Message.Status.STREAMING:
        return frames, None
    seq = frames[-1].seq if frames else after
    return frames, last_frame(message, seq + 1)


def last_frame(message: Message | None, seq: int) -> Frame:
    """The end of an answer as its saved message tells it; None means it was deleted."""
    if message is None:
        gone = {"message": _("This answer was deleted."), "code": "deleted", "retryable": False}
        return Frame(seq, ERROR, gone, timezone.now())
    if message.status == Message.Status.FAILED:
        return Frame(seq, ERROR, message.error, timezone.now())
    if message.status == Message.Status.INTERRUPTED:
        return Frame(seq, ERROR, interrupted(), timezone.now())
    hide_unseen([message], message.conversation.user)
    payload = {
        "content": message.content,
        "citations": [citation_of(row) for row in message.citations.all()],
        "usage": message.usage,
        "latency_ms": message.latency_ms,
        "status": message.status,
    }
    return Frame(seq, FINAL, payload, timezone.now())


def interrupted() -> dict[str, object]:
    """What is said of an answer whose process ended."""
    return {
        "message": _("The answer was interrupted because the server stopped. Ask again."),
        "code": "interrupted",
        "retryable": True,
    }


async def as_json(message: Message, after: int = 0) -> AsyncGenerator[bytes]:
    """The frames of an answer as server-sent events, each with its number as ``id``."""
    async with aclosing(follow(message.pk, after)) as frames:
        async for frame in frames:
            envelope = frame.envelope(message.conversation_id, message.pk)
            yield sse(frame.type, envelope, id=frame.seq)
