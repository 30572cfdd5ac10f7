"""One answer, from its question to the saved message."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from chat import citations, saving, titles
from chat.agent import State, agent
from chat.feed import Feed
from chat.frames import DELTA, ERROR, FINAL, REASONING, Draft, Frame
from chat.journal import Journal
from chat.models import Message
from chat.rows import in_background, in_rows
from chat.turn import Turn, prepare
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError, ModelUnavailable
from kbsite.llm.errors import explain
from kbsite.text import storable

log = logging.getLogger(__name__)

WINDOW_SECONDS = 0.05
ANSWER_SECONDS = 900
LONGEST_ANSWER = 200_000


class Run:
    """Makes the frames of one answer, and saves what they add up to.

    Tokens that come within :data:`WINDOW_SECONDS` travel as one frame; the first goes at once.
    """

    def __init__(self, message_id: UUID, user: User, language: str, journal: Journal) -> None:
        self.message_id = message_id
        self._user = user
        self._language = language
        self.feed = Feed()
        self.saved = threading.Event()
        self.draft = Draft()
        self.usage: dict[str, Any] = {}
        self._journal = journal
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._held: list[tuple[str, str]] = []
        self._flushing: asyncio.TimerHandle | None = None
        self._began = time.monotonic()

    # ── The course of things ─────────────────────────────────────────────────────────────────

    async def answer(self) -> None:
        """Answer, whatever happens on the way; returns when the message is saved."""
        translation.activate(self._language)
        self._task = asyncio.create_task(self._make())
        if self._stopped:
            self._task.cancel()
        try:
            await self._task
        except asyncio.CancelledError:
            await self._finish(Message.Status.STOPPED)
        except Exception as error:  # noqa: BLE001 - the edge of the task: every fault becomes a message
            await self._fail(error)
        else:
            await self._finish(Message.Status.DONE)

    def stop(self) -> None:
        """End it now and keep what has come."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    def interrupt(self) -> None:
        """Save what has come, from a process that is about to end."""
        saving.interrupt(self.message_id, self.draft)

    async def _make(self) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            turn = await in_rows(prepare, self.message_id, self._user, self._language)
            self._turn = turn
            self.emit("meta.start", turn.ids())
            state: State = {"messages": turn.start(), "rounds": 0}
            async for event in agent.astream(state, context=turn, stream_mode="custom"):
                self.take(event["type"], event["payload"])

    async def _fail(self, error: Exception) -> None:
        known = error if isinstance(error, KnowledgeError) else explain(error)
        if not isinstance(error, ModelUnavailable):
            log.error("Answer %s failed", self.message_id, exc_info=error)
        told = {
            "message": storable(str(known)),
            "code": known.code,
            "retryable": getattr(known, "retryable", True),
        }
        await self._finish(Message.Status.FAILED, told)

    # ── Frames ───────────────────────────────────────────────────────────────────────────────

    def take(self, type: str, payload: dict[str, Any]) -> None:
        """An event of the agent: text is held for a moment, everything else goes on at once."""
        if type == "llm.call.end":
            self._count(payload)
        if type in (DELTA, REASONING):
            self._check_length()
            self._hold(type, payload["text"])
        else:
            self.flush()
            self.emit(type, payload)

    def _check_length(self) -> None:
        if len(self.draft.content) > LONGEST_ANSWER:
            sentence = _("The model did not stop writing. What came until then is kept.")
            raise ModelUnavailable(sentence, code="cut_off")

    def _count(self, payload: dict[str, Any]) -> None:
        for name, tokens in payload["usage"].items():
            self.usage[name] = self.usage.get(name, 0) + tokens
        self.usage["model"] = payload["model"]

    def _hold(self, type: str, text: str) -> None:
        if self._held and self._held[-1][0] != type:
            self.flush()
        self._held.append((type, text))
        seen = self.draft.content if type == DELTA else self.draft.reasoning
        if not seen:
            self.flush()
        elif self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_later(WINDOW_SECONDS, self.flush)

    def flush(self) -> None:
        """Send the text that is held back."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        if not self._held:
            return
        held, self._held = self._held, []
        type, text = held[0][0], "".join(t for _, t in held)
        if type == DELTA:
            self._cite(self.draft.content + text)
        self.emit(type, {"text": text})

    def _cite(self, content: str) -> None:
        for n in citations.cited(content):
            source = self._turn and self._turn.desk.shelf.sources.get(n)
            if source and n not in self.draft.cited:
                self.emit("citation", saving.citation_payload(source))

    def emit(self, type: str, payload: dict[str, Any]) -> None:
        """Number a frame and send it to who follows here and in other processes."""
        frame = self._frame(type, payload)
        first = not self.draft.content and type == DELTA
        self.draft.add(frame)
        self.feed.add(frame)
        self._journal.add(self.message_id, frame, hurry=first or type == "meta.start")

    def _frame(self, type: str, payload: dict[str, Any]) -> Frame:
        return Frame(len(self.feed.frames) + 1, type, _storable(payload), timezone.now())

    # ── The end ──────────────────────────────────────────────────────────────────────────────

    async def _finish(self, status: Message.Status, error: dict[str, Any] | None = None) -> None:
        self.flush()
        latency_ms = round((time.monotonic() - self._began) * 1000)
        shelf = self._turn.desk.shelf.sources if self._turn else {}
        if self.draft.reasoning.strip() == self.draft.content.strip():
            self.draft.reasoning = ""  # a thought that was never closed, and so was the answer
        content = citations.tidy(self.draft.content, shelf).strip()
        cited = [shelf[n] for n in citations.cited(content)]
        if error is None:
            payload = {
                "content": content,
                "citations": [saving.citation_payload(source) for source in cited],
                "usage": self.usage,
                "latency_ms": latency_ms,
                "status": status,
            }
        last = self._frame(ERROR if error else FINAL, error or payload)
        await self._journal.flush()
        try:
            await in_rows(
                saving.save, self.message_id, status, content, self.draft, cited, self.usage, latency_ms, last
            )
        except DatabaseError:
            log.error("Answer %s could not be saved", self.message_id, exc_info=True)
        self.draft.add(last)
        self.feed.add(last)

    async def afterwards(self) -> None:
        """What can wait until the answer is there: a title for the conversation."""
        final = self.draft.final
        if self._turn is not None and final is not None and final["status"] == Message.Status.DONE:
            try:
                await in_background(titles.improve, self._turn.conversation_id)
            except DatabaseError:
                log.warning("No title for the conversation of %s", self.message_id, exc_info=True)


def _storable(value: Any) -> Any:
    """``value`` with every text in it such that PostgreSQL takes it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {key: _storable(part) for key, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list | tuple) else value
