"""Everything the Ask page shows, fetched in a few queries."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.models import Conversation, Message
from chat.passages import SourceView, sources_of
from chat.places import Place, documents, is_empty, places
from chat.thread import TurnView, has_model, turns
from documents.models import Document
from kbsite.accounts.models import User
from kbsite.sent import as_number

LISTED = 60


@dataclass(frozen=True)
class Day:
    """Conversations of one time, under its word."""

    word: str
    talks: list[Conversation]


@dataclass(frozen=True)
class Listed:
    """A page of the list of conversations."""

    days: list[Day]
    current: Conversation | None
    next_page: int | None
    query: str = ""


@dataclass
class Room:
    """What the page's template reads."""

    user: User
    conversation: Conversation | None = None
    turns: Sequence[TurnView] = ()
    earlier: uuid.UUID | None = None
    listed: Listed | None = None
    places: Sequence[Place] = ()
    documents: Sequence[Document] = ()
    sources: SourceView | None = None
    question: str = ""
    problem: str = ""
    is_empty: bool = False
    has_model: bool = True
    token: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def running(self) -> Message | None:
        """The answer that is being written, if any."""
        for turn in reversed(self.turns):
            if turn.answer is not None and turn.answer.is_running:
                return turn.answer.message
        return None


def room_of(
    user: User,
    conversation: Conversation | None = None,
    *,
    scope: dict[str, Any] | None = None,
    before: uuid.UUID | None = None,
    answer_id: uuid.UUID | None = None,
    source: str = "",
    question: str = "",
    problem: str = "",
) -> Room:
    """The page for ``user``: a conversation, or an empty composer. ``source`` is the number to open."""
    shown, earlier = turns(conversation, before) if conversation else ([], None)
    looked_in = (conversation.scope if conversation else None) or scope or {}
    return Room(
        user=user,
        conversation=conversation,
        turns=shown,
        earlier=earlier,
        listed=conversation_list(user, conversation),
        places=places(user, looked_in),
        documents=documents(user, looked_in),
        sources=_sources(user, shown, answer_id, source),
        question=question,
        problem=problem,
        is_empty=conversation is None and is_empty(user),
        has_model=has_model(),
    )


def _sources(
    user: User, shown: Sequence[TurnView], answer_id: uuid.UUID | None, source: str
) -> SourceView | None:
    answers = [turn.answer for turn in shown if turn.answer is not None]
    chosen = next((a for a in answers if a.message.pk == answer_id), answers[-1] if answers else None)
    return sources_of(chosen, user, as_number(source) or None) if chosen else None


def conversation_list(user: User, current: Conversation | None, *, page: int = 1, query: str = "") -> Listed:
    """A page of ``user``'s conversations by day, the pinned ones first. One query."""
    rows = Conversation.objects.visible_to(user).filter(archived=False)
    if query:
        rows = rows.filter(title__icontains=query)
    first = (page - 1) * LISTED
    found = list(rows.order_by("-pinned", "-updated_at", "-pk")[first : first + LISTED + 1])
    days: dict[str, list[Conversation]] = {}
    now = timezone.localtime()
    for talk in found[:LISTED]:
        word = _("Pinned") if talk.pinned else _day(talk.updated_at, now)
        days.setdefault(word, []).append(talk)
    more = page + 1 if len(found) > LISTED else None
    return Listed([Day(word, talks) for word, talks in days.items()], current, more, query)


def _day(then: datetime, now: datetime) -> str:
    """The word for a day, as seen from ``now`` (both aware)."""
    days = (now.date() - timezone.localtime(then).date()) // timedelta(days=1)
    if days <= 0:
        return _("Today")
    if days == 1:
        return _("Yesterday")
    if days < 7:
        return _("This week")
    if days < 31:
        return _("This month")
    return _("Earlier")
