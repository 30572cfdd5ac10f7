"""A running answer as pieces of the page: only what changed is sent, at most four times a second."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any
from uuid import UUID

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from chat import citations
from chat.frames import DELTA, REMARK, Draft, Frame
from chat.models import Message
from chat.page import Room
from chat.rows import in_rows
from chat.stream import follow
from chat.thread import AnswerView, TurnView, has_model, turn_of
from kbsite.markdown import blocks, plain, render
from kbsite.sse import frame as sse

RENDER_SECONDS = 0.25
RETRY = b"retry: 1000\n\n"
_SENTENCES = re.compile(r".*(?:[。！？!?]|\.(?=\s)|\n\n)", re.S)


class Page:
    """What one reader's page already shows of an answer."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.draft = Draft()
        self._sent = False
        self._closed = 0  # characters of the content whose blocks are finished and on the page
        self._spoken = 0
        self._now = ""
        self._open = ""

    def changes(self) -> str:
        """The pieces to put into the page for what came since the last time; empty for nothing."""
        if not self._sent or self._closed > len(self.draft.content):
            return self._whole()
        view = AnswerView.of_draft(self.message, self.draft)
        pieces: dict[str, Any] = {"answer": view}
        if view.now != self._now:
            self._now = pieces["now"] = view.now
        closed, open_block = self._split(view)
        if closed:
            pieces["closed"] = closed
        if closed or open_block != self._open:
            self._open = open_block
            pieces["open"] = open_block
        if said := self._finished_sentences():
            pieces["said"] = said
        return render_to_string("chat/pieces.html", pieces) if len(pieces) > 1 else ""

    def _whole(self) -> str:
        """Everything so far: for a page that connects, or whose text was taken back."""
        self._sent, self._closed, self._spoken = True, 0, len(self.draft.content)
        view = AnswerView.of_draft(self.message, self.draft)
        self._now = view.now
        closed, self._open = self._split(view)
        return render_to_string(
            "chat/pieces.html",
            {"answer": view, "whole": True, "closed": closed, "open": self._open, "now": self._now},
        )

    def _split(self, view: AnswerView) -> tuple[SafeString | str, SafeString | str]:
        """HTML of the blocks that were closed since the last time, and of the open one."""
        content = self.draft.content
        parts = blocks(content[self._closed :])
        finished, last = "".join(parts[:-1]), "".join(parts[-1:])
        self._closed += len(finished)
        links, prefix = view.links(), f"m{self.message.pk.hex[-6:]}-"
        closed = render(finished, citations=links, prefix=prefix) if finished.strip() else ""
        shown = citations.complete(last)
        return closed, render(shown, citations=links, prefix=prefix) if shown.strip() else ""

    def _finished_sentences(self) -> str:
        """What a screen reader may say now: whole sentences it has not said yet."""
        match = _SENTENCES.match(self.draft.content, self._spoken)
        if not match:
            return ""
        self._spoken = match.end()
        return plain(citations.without(match[0]))


async def as_html(message: Message, language: str) -> AsyncGenerator[bytes]:
    """Server-sent ``part`` events for htmx; the last one puts the finished answer in place.

    A reader who connects, or connects again, first gets everything there is so far.
    """
    yield RETRY
    page = Page(message)
    async with aclosing(_gathered(message.pk)) as gathered:
        async for frames in gathered:
            for one in frames:
                page.draft.add(one)
            if page.draft.is_finished:
                break
            with translation.override(language):
                changes = page.changes()
            if changes:
                yield sse("part", changes)
    yield sse("part", await in_rows(_finished, message.pk, language))
    yield sse("end", "")


async def _gathered(message_id: UUID) -> AsyncGenerator[list[Frame]]:
    """Frames as they come, those of :data:`RENDER_SECONDS` together.

    The first token and the last frame wait for nothing.
    """
    inbox = _Inbox(message_id)
    try:
        while await inbox.has_news():
            began = time.monotonic()
            yield inbox.taken()
            with suppress(TimeoutError):
                await asyncio.wait_for(inbox.urgent.wait(), began + RENDER_SECONDS - time.monotonic())
    finally:
        await inbox.close()


class _Inbox:
    """Frames that have come and wait to be shown."""

    def __init__(self, message_id: UUID) -> None:
        self.urgent = asyncio.Event()
        self._frames: list[Frame] = []
        self._news = asyncio.Event()
        self._has_text = False
        self._reading = asyncio.create_task(self._read(message_id))

    async def _read(self, message_id: UUID) -> None:
        try:
            async with aclosing(follow(message_id)) as frames:
                async for one in frames:
                    self._frames.append(one)
                    self._news.set()
                    if one.is_last or (one.type == DELTA and not self._has_text):
                        self.urgent.set()
                    self._has_text = one.type == DELTA or (self._has_text and one.type != REMARK)
        finally:
            self._news.set()
            self.urgent.set()

    async def has_news(self) -> bool:
        """Wait for frames; False when there are no more."""
        await self._news.wait()
        if not self._frames and self._reading.done():
            self._reading.result()
        return bool(self._frames)

    def taken(self) -> list[Frame]:
        """The frames that wait, which then wait no longer."""
        frames, self._frames = self._frames, []
        if not self._reading.done():
            self._news.clear()
            self.urgent.clear()
        return frames

    async def close(self) -> None:
        """Follow no longer."""
        self._reading.cancel()
        await asyncio.wait([self._reading])


def _finished(message_id: UUID, language: str) -> str:
    message = (
        Message.objects.select_related("conversation__user", "question", "feedback")
        .filter(pk=message_id)
        .first()
    )
    with translation.override(language):
        turn: TurnView | None = turn_of(message) if message else None
        context: dict[str, Any] = {
            "answer": turn and turn.answer,
            "done": True,
            "await_title": turn is not None and turn.is_first and has_model(),
            "room": message and Room(message.conversation.user, message.conversation),
        }
        return render_to_string("chat/pieces.html#finished", context)
