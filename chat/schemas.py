"""What the chat's API takes and gives."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Field, Schema

from chat.models import Conversation, Message
from chat.saving import citation_of
from chat.thread import AnswerView
from kbsite.markdown import render


class Scope(Schema):
    """Where to look: a folder and what is under it, or some documents."""

    folder_id: UUID | None = None
    document_ids: list[UUID] = Field(default_factory=list, max_length=200)


class Question(Schema):
    """A question. The same ``token`` gives the same answer, however often it is sent."""

    message: str
    conversation_id: UUID | None = None
    scope: Scope | None = None
    token: UUID | None = None


class CitedPassage(Schema):
    """The passage as it was when it was cited; ``start`` and ``end`` are characters."""

    text: str
    heading: str
    page: int | None
    start: int
    end: int


class CitationOut(Schema):
    """What the number n in the answer stands for."""

    n: int
    skill_id: UUID | None
    document_id: UUID | None
    passage_id: UUID | None
    uri: str
    title: str
    passage: CitedPassage


class Answer(Schema):
    """A whole answer."""

    conversation_id: UUID
    message_id: UUID
    content: str
    citations: list[CitationOut]
    tool_calls: list[dict[str, Any]]
    usage: dict[str, Any]
    latency_ms: int | None
    status: str


class Begun(Schema):
    """An answer that runs; follow it at ``stream_url``."""

    conversation_id: UUID
    message_id: UUID
    stream_url: str


class Rating(Schema):
    """What an answer was worth; an empty rating takes it back."""

    rating: Literal["helpful", "inaccurate", "incomplete", ""]
    comment: str = Field("", max_length=4000)


class RatingOut(Schema):
    """What its reader thought of an answer."""

    rating: str
    comment: str
    at: datetime


class MessageOut(Schema):
    """A question or an answer, with what it cites and how it came about."""

    id: UUID
    role: str
    content: str
    html: str
    reasoning: str
    citations: list[CitationOut]
    steps: list[dict[str, Any]]
    usage: dict[str, Any]
    error: dict[str, Any]
    latency_ms: int | None
    status: str
    feedback: RatingOut | None
    question_id: UUID | None
    created_at: datetime


class ConversationIn(Schema):
    """A new conversation."""

    title: str = Field("", max_length=200)
    scope: Scope | None = None


class ConversationChange(Schema):
    """What to change; what is left out stays."""

    title: str | None = Field(None, max_length=200)
    pinned: bool | None = None
    archived: bool | None = None
    scope: Scope | None = None


class TurnCounts(Schema):
    """How much there is in a conversation."""

    questions: int
    answers: int


class ConversationOut(Schema):
    """A conversation without its messages."""

    id: UUID
    title: str
    pinned: bool
    archived: bool
    scope: dict[str, Any]
    counts: TurnCounts
    created_at: datetime
    updated_at: datetime


def conversation_out(row: Conversation) -> dict[str, Any]:
    """A row with ``questions`` and ``answers`` counted, as :class:`ConversationOut`."""
    names = ("id", "title", "pinned", "archived", "scope", "created_at", "updated_at")
    counts = {name: getattr(row, name, 0) for name in ("questions", "answers")}
    return {**{name: getattr(row, name) for name in names}, "counts": counts}


def message_out(row: Message) -> dict[str, Any]:
    """A row with its citations fetched, as :class:`MessageOut`; a running answer as far as it is."""
    view = AnswerView.of(row) if row.role == Message.Role.ASSISTANT else None
    feedback = getattr(row, "feedback", None)
    return {
        "id": row.pk,
        "role": row.role,
        "content": view.content if view else row.content,
        "html": str(view.html) if view else str(render(row.content)),
        "reasoning": view.reasoning if view else "",
        "citations": [citation_of(citation) for citation in row.citations.all()],
        "steps": list(view.step_rows) if view else [],
        "usage": row.usage,
        "error": dict(view.error) if view else {},
        "latency_ms": row.latency_ms,
        "status": row.status,
        "feedback": feedback,
        "question_id": row.question_id,
        "created_at": row.created_at,
    }


def answer_out(row: Message) -> dict[str, Any]:
    """A finished answer as :class:`Answer`."""
    return {
        "conversation_id": row.conversation_id,
        "message_id": row.pk,
        "content": row.content,
        "citations": [citation_of(citation) for citation in row.citations.all()],
        "tool_calls": _calls(row.steps),
        "usage": row.usage,
        "latency_ms": row.latency_ms,
        "status": row.status,
    }


def _calls(steps: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    results = ("kind", "count", "status", "ms", "skills")
    return [
        {
            "name": step["kind"],
            "input": {k: v for k, v in step.items() if k not in results},
            **{k: step[k] for k in results[1:] if k in step},
        }
        for step in steps
    ]
