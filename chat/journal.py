"""Frames of all of a process's running answers, written to the table together.

One transaction per beat, however many answers run; every process that follows one is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import DatabaseError, IntegrityError, transaction

from chat.frames import Draft, Frame
from chat.models import Event
from chat.rows import in_rows
from kbsite.notify import notify

log = logging.getLogger(__name__)

BEAT_SECONDS = 0.1

type Entry = tuple[UUID, Frame]


def channel(message_id: UUID) -> str:
    """Where news of that answer is told."""
    return f"chat.{message_id}"


def write(entries: Sequence[Entry]) -> None:
    """Store frames and tell their followers once each; frames of deleted messages are dropped."""
    try:
        _write(entries)
    except IntegrityError:
        for message_id in _messages(entries):
            try:
                _write([entry for entry in entries if entry[0] == message_id])
            except IntegrityError:
                log.info("Answer %s was deleted while it ran", message_id)


@transaction.atomic
def _write(entries: Sequence[Entry]) -> None:
    Event.objects.bulk_create(
        Event(message_id=message_id, seq=frame.seq, type=frame.type, payload=frame.payload, at=frame.at)
        for message_id, frame in entries
    )
    for message_id in _messages(entries):
        notify(channel(message_id), "")


def _messages(entries: Iterable[Entry]) -> list[UUID]:
    return list(dict.fromkeys(message_id for message_id, _ in entries))


def saved_frames(message_id: UUID, after: int = 0) -> list[Frame]:
    """The stored frames above ``after``, in order."""
    events = Event.objects.filter(message_id=message_id, seq__gt=after).order_by("seq")
    return [Frame(e.seq, e.type, e.payload, e.at) for e in events]


def draft_of(message_id: UUID) -> Draft:
    """An answer as far as its stored frames tell it."""
    draft = Draft()
    for frame in saved_frames(message_id):
        draft.add(frame)
    return draft


class Journal:
    """Collects frames and writes them once a beat, sooner when asked to hurry. One loop only."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._some = asyncio.Event()
        self._hurry = asyncio.Event()
        self._writing = asyncio.Lock()

    def add(self, message_id: UUID, frame: Frame, *, hurry: bool = False) -> None:
        """Take a frame; ``hurry`` writes it at once instead of with the next beat."""
        self._entries.append((message_id, frame))
        self._some.set()
        if hurry:
            self._hurry.set()

    async def flush(self) -> None:
        """Write what there is. When the database can't be reached it is kept for the next beat."""
        async with self._writing:
            entries, self._entries = self._entries, []
            if not entries:
                return
            try:
                await in_rows(write, entries)
            except DatabaseError:
                log.warning("Frames of answers could not be stored; trying again", exc_info=True)
                self._entries[:0] = entries
                self._some.set()

    async def keep(self) -> None:
        """Flush once a beat, for ever."""
        while True:
            await self._some.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), BEAT_SECONDS)
            self._some.clear()
            self._hurry.clear()
            await self.flush()
