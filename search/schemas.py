"""Searches and their results as JSON."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from documents.models import Document
from search.results import Hit, HitPassage, Mode, Results
from search.score import clipped
from skills.models import Relation

OF_THE_PASSAGE = ("id", "text", "heading", "page", "start", "end")


class SearchIn(Schema):
    """What to search for, where and how."""

    q: str = Field("", description="A question, words, a name or a code. Odd and long ones are fine.")
    type: Literal["skill", "document", "all"] = "skill"
    mode: Mode = "hybrid"
    skill_type: str | None = None
    category: str | None = None
    folder_id: uuid.UUID | None = Field(None, description="The folder and all below it.")
    document_ids: list[uuid.UUID] | None = None
    tag: list[str] = []
    since: datetime | None = Field(None, description="Only what was updated since.")
    limit: int = Field(10, ge=1, le=100)
    trace: bool = Field(False, description="Say why each result is where it is.")


class SkillSearchIn(Schema):
    """The short form of a search over skills."""

    query: str
    category: str | None = None
    type: str | None = None
    limit: int = Field(10, ge=1, le=100)


class ScoresOut(Schema):
    """Calibrated, 0 to 1; null where a layer has no vector or was not compared."""

    l0: float | None
    l1: float | None
    passage: float | None
    semantic: float | None
    hotness: float
    lexical: float
    final: float


class PassageOut(Schema):
    """A passage that matched. ``start`` and ``end`` are characters of the skill's content.

    ``marks`` are where the query's words stand in ``text``; only with ``trace``.
    """

    id: uuid.UUID
    text: str
    heading: str
    page: int | None
    start: int
    end: int
    marks: list[tuple[int, int]] | None = None


class HitRelation(Schema):
    """Another skill that this one is related to."""

    type: str
    target_id: uuid.UUID
    target_uri: str
    target_name: str


class LegOut(Schema):
    """One row of the explanation: value · weight is what it adds to the score."""

    name: str
    value: float
    weight: float
    adds: float


class WhyOut(Schema):
    """Why a result is where it is."""

    skill_id: uuid.UUID
    legs: list[LegOut]
    sentence: str


class HitOut(Schema):
    """A skill that was found."""

    id: uuid.UUID
    uri: str
    name: str
    description: str
    type: str
    category: str
    path: list[str]
    abstract: str
    overview: str
    content_preview: str
    score: float
    scores: ScoresOut
    matched_by: str
    layer: int
    passages: list[PassageOut]
    relations: list[HitRelation]


class DocumentHitOut(Schema):
    """A document whose title or file name holds the query."""

    id: uuid.UUID
    uri: str
    title: str
    filename: str
    folder_id: uuid.UUID | None


class SearchOut(Schema):
    """Results, best first. When nothing is about the query ``found`` is false and skills are the nearest."""

    query: str
    mode: str
    skills: list[HitOut]
    documents: list[DocumentHitOut]
    total: int
    found: bool
    took_ms: float
    notes: list[str]
    trace: list[WhyOut] | None = None


class SkillSearchOut(Schema):
    """What the short form answers."""

    items: list[HitOut]
    total: int


def _scores(hit: Hit) -> dict[str, float | None]:
    values = {name: getattr(hit.scores, name) for name in ScoresOut.model_fields}
    return {name: None if value is None else round(clipped(value), 4) for name, value in values.items()}


def _passage(passage: HitPassage, marked: bool) -> dict[str, Any]:
    plain = {name: getattr(passage, name) for name in OF_THE_PASSAGE}
    return plain | {"marks": passage.marks if marked else None}


def hit_out(hit: Hit, relations: Sequence[Relation] = (), *, marked: bool = False) -> dict[str, Any]:
    """What :class:`HitOut` reads."""
    skill = hit.skill
    plain = (
        "id",
        "uri",
        "name",
        "description",
        "type",
        "category",
        "abstract",
        "overview",
        "content_preview",
    )
    return {
        **{name: getattr(skill, name) for name in plain},
        "path": [step.name for step in hit.path],
        "score": round(hit.score, 4),
        "scores": _scores(hit),
        "matched_by": hit.matched_by,
        "layer": hit.layer,
        "passages": [_passage(passage, marked) for passage in hit.passages],
        "relations": [
            {
                "type": relation.type,
                "target_id": relation.target_id,
                "target_uri": relation.target.uri,
                "target_name": relation.target.name,
            }
            for relation in relations
        ],
    }


def document_out(document: Document) -> dict[str, Any]:
    """What :class:`DocumentHitOut` reads."""
    return {name: getattr(document, name) for name in DocumentHitOut.model_fields}


def why_out(results: Results) -> list[dict[str, Any]]:
    """What :class:`WhyOut` reads, for each hit."""
    return [
        {
            "skill_id": hit.skill.pk,
            "sentence": hit.sentence,
            "legs": [
                {"name": str(leg.name), "value": leg.value, "weight": leg.weight, "adds": leg.adds}
                for leg in hit.legs
            ],
        }
        for hit in results.hits
    ]
