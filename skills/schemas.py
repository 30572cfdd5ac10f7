"""Skills as JSON."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from ninja import Field, Schema

from kbsite.accounts.models import User
from skills.models import Relation, Skill, Source
from skills.paths import Step, paths


class SkillRow(Schema):
    """A skill as lists show it: without overview, content and config."""

    id: uuid.UUID
    uri: str
    name: str
    slug: str
    type: str
    category: str
    description: str
    abstract: str
    tags: list[str]
    trigger_keywords: list[str]
    trigger_intents: list[str]
    always_apply: bool
    is_active: bool
    priority: int
    folder_id: uuid.UUID | None
    path: list[str] = Field(description="Names of the folders on the way down, the skill's own last.")
    status: str
    index_state: str
    reason: str
    version: int
    language: str
    author: str | None
    source_document_id: uuid.UUID | None
    active_count: int
    is_editable: bool
    is_deletable: bool
    created_at: datetime
    updated_at: datetime


class SkillOut(SkillRow):
    """A skill with all three layers."""

    overview: str
    content: str
    config: dict[str, Any]


class SkillIn(Schema):
    """A new skill. Without abstract or overview they are written from the content."""

    name: str = Field(description="At most 100 characters.")
    content: str
    description: str = ""
    category: str = Skill.Category.KNOWLEDGE.value
    abstract: str | None = None
    overview: str | None = None
    trigger_keywords: list[str] = []
    trigger_intents: list[str] = []
    always_apply: bool = False
    folder_id: uuid.UUID | None = None
    priority: int = 100
    tags: list[str] = []
    config: dict[str, Any] = {}


class SkillChange(Schema):
    """Only what is given changes; ``folder_id: null`` makes it unfiled."""

    name: str | None = None
    content: str | None = None
    description: str | None = None
    category: str | None = None
    abstract: str | None = None
    overview: str | None = None
    trigger_keywords: list[str] | None = None
    trigger_intents: list[str] | None = None
    always_apply: bool | None = None
    is_active: bool | None = None
    folder_id: uuid.UUID | None = None
    priority: int | None = None
    tags: list[str] | None = None
    config: dict[str, Any] | None = None
    reason: str = Field("", max_length=200, description="For the history: what changes and why.")


class MoveSkillsIn(Schema):
    """Skills and where they go; null: unfiled."""

    ids: list[uuid.UUID] = Field(max_length=10_000)
    folder_id: uuid.UUID | None


class MoveOut(Schema):
    """How many moved, and what undoes it; null where none did."""

    moved: int
    move_id: uuid.UUID | None


class AppendIn(Schema):
    """What is added below the content."""

    content: str
    reason: str = Field("", max_length=200, description="For the history: what changes and why.")


class RevisionOut(Schema):
    """One state of a skill."""

    number: int
    reason: str
    author: str | None
    at: datetime


class RelationOut(Schema):
    """A typed relation to another skill."""

    type: str
    reason: str
    target_id: uuid.UUID
    target_uri: str
    target_name: str


def relation_out(relation: Relation) -> dict[str, Any]:
    """What :class:`RelationOut` reads."""
    return {
        "type": relation.type,
        "reason": relation.reason,
        "target_id": relation.target_id,
        "target_uri": relation.target.uri,
        "target_name": relation.target.name,
    }


def with_related(skills: QuerySet[Skill]) -> QuerySet[Skill]:
    """``skills`` with their author and sources at hand: one more query for all."""
    sources = Source.objects.select_related("version").only("skill_id", "version_id", "version__document_id")
    return skills.select_related("author").prefetch_related(Prefetch("sources", sources))


def rows_of(skills: Sequence[Skill], user: User, schema: type[SkillRow] = SkillRow) -> list[dict[str, Any]]:
    """What ``schema`` reads for ``user``, of each of ``skills`` from :func:`with_related`. One query."""
    places = paths((skill.folder_id for skill in skills), user)
    return [_row(skill, places.get(skill.folder_id, []), schema) for skill in skills]


def _row(skill: Skill, path: Sequence[Step], schema: type[SkillRow]) -> dict[str, Any]:
    sources = list(skill.sources.all())
    made = {
        "path": [step.name for step in path],
        "reason": skill.index_why,
        "author": str(skill.author) if skill.author else None,
        "source_document_id": sources[0].version.document_id if len(sources) == 1 else None,
        "is_editable": skill.is_editable,
        "is_deletable": skill.is_editable,
    }
    return {name: made[name] if name in made else getattr(skill, name) for name in schema.model_fields}
