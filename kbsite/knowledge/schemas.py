"""Notes as JSON."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from kbsite.markdown import plain
from skills import knowledge
from skills.models import Skill
from skills.schemas import RelationOut

LONGEST_SUMMARY = 300  # characters


class KnowledgeRow(Schema):
    """A note as lists show it. ``source`` is its URI, as the other calls take it."""

    id: uuid.UUID
    uri: str
    source: str
    title: str
    tags: list[str]
    summary: str
    status: str
    index_state: str
    version: int
    author: str | None
    folder_id: uuid.UUID | None
    created_at: datetime
    updated_at: datetime
    score: float | None = Field(None, description="0 to 1, where it was searched for by meaning.")


class KnowledgeOut(KnowledgeRow):
    """A note whole. ``markdown`` is it as one text: title, tags and content."""

    content: str
    markdown: str
    reason: str


class KnowledgeIn(Schema):
    """A new note. A heading or a line of tags at the top of the content is understood."""

    title: str = Field("", description="At most 100 characters. Without it the content's heading names it.")
    content: str
    tags: list[str] = []
    folder_id: uuid.UUID | None = None
    id: uuid.UUID | None = Field(None, description="The id it will have: sent twice, it is made once.")


class KnowledgeChange(Schema):
    """Only what is given changes."""

    mode: Literal["append", "replace"] = "append"
    title: str | None = None
    content: str | None = None
    tags: list[str] | None = None


class KnowledgeTaken(Schema):
    """A note was taken in; it is found when its index is ready."""

    status: str = "pending"
    knowledge_id: uuid.UUID
    uri: str


class KnowledgeFound(Schema):
    """What a search over notes answers."""

    items: list[KnowledgeRow]
    total: int
    found: bool


class KnowledgeProcessed(Schema):
    """How many notes were handed to the workers."""

    processed: int


class KnowledgeStatus(Schema):
    """How far a note is, and what became of it: CREATE, SKIP or MERGE, null while that is open."""

    status: str
    index_state: str
    relations: list[RelationOut]
    decision: str | None
    reason: str


def row(skill: Skill, score: float | None = None) -> dict[str, Any]:
    """What :class:`KnowledgeRow` reads."""
    first = getattr(skill, "first_lines", None)
    summary = skill.abstract or plain(skill.content[: knowledge.FIRST_LINES] if first is None else first)
    plainly = ("id", "uri", "tags", "status", "index_state", "version", "folder_id", "created_at")
    return {
        **{name: getattr(skill, name) for name in plainly},
        "source": skill.uri,
        "title": skill.name,
        "summary": summary[:LONGEST_SUMMARY],
        "author": str(skill.author) if skill.author else None,
        "updated_at": skill.updated_at,
        "score": None if score is None else round(score, 4),
    }


def whole(skill: Skill) -> dict[str, Any]:
    """What :class:`KnowledgeOut` reads."""
    return row(skill) | {
        "content": skill.content,
        "markdown": knowledge.as_markdown(skill),
        "reason": knowledge.reason(skill),
    }
