"""What the agent can do: search the knowledge base, and read a skill step by step."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from pydantic import BaseModel, ConfigDict, Field

from chat.sources import Shelf, Source, shown
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.sent import as_id
from search.results import Hit
from search.retrieve import search
from skills.models import Passage, Skill
from skills.models import Source as SkillSource

HITS = 6
PASSAGES_EACH = 3
PASSAGES_ALL = 10
PART = 8

NOTHING = (
    "No passage in the knowledge base is about this. Say so plainly, in the language of the question; "
    "do not answer from memory and do not cite anything. You may search once more with other words."
)


class Search(BaseModel):
    """Search the team's knowledge base by meaning and by words. Returns numbered passages to cite as [n]."""

    model_config = ConfigDict(title="search")

    query: str = Field(description="What to look for, in the language of the documents, as a short phrase.")


class Read(BaseModel):
    """Read more of one skill: its overview first, then its full text in parts, as numbered passages."""

    model_config = ConfigDict(title="read")

    uri: str = Field(description="The sk:// address shown beside a passage's title.")
    part: int = Field(0, ge=0, description="0 for the overview; 1, 2, 3… for the full text, part by part.")


@dataclass(frozen=True)
class Outcome:
    """What a tool found: the text for the model, the sources in it, and how it went.

    ``status`` is success, empty, not_found or error; ``skills`` are {skill_id, uri, name}.
    """

    text: str
    status: str = "success"
    sources: Sequence[Source] = ()
    skills: Sequence[dict[str, Any]] = ()
    notes: Sequence[str] = ()


@dataclass
class Desk:
    """What one person may read while one answer is made: their rights, the scope, and the shelf.

    ``scope`` is {folder_id?, document_ids?}, with ids as strings.
    """

    user: User
    scope: dict[str, Any]
    shelf: Shelf = field(default_factory=Shelf)

    def look_up(self, query: str) -> Outcome:
        """The best passages for ``query`` that the person may see, numbered; about 3,000 tokens at most."""
        folder = self.scope.get("folder_id")
        results = search(
            query,
            self.user,
            folder_id=uuid.UUID(folder) if folder else None,
            document_ids=[uuid.UUID(d) for d in self.scope.get("document_ids") or ()] or None,
            limit=HITS,
        )
        if not results.found or not results.hits:
            return Outcome(NOTHING, status="empty")
        documents = documents_of([hit.skill.pk for hit in results.hits])
        sources = [
            source for hit in results.hits for source in self._place_hit(hit, documents.get(hit.skill.pk))
        ][:PASSAGES_ALL]
        return Outcome(shown(sources), sources=sources, skills=_named([hit.skill for hit in results.hits]))

    def _place_hit(self, hit: Hit, document_id: uuid.UUID | None) -> list[Source]:
        if not hit.passages:
            return [self._place_overview(hit.skill, document_id, hit.score)]
        return [
            self.shelf.place(
                skill_id=hit.skill.pk,
                document_id=document_id,
                uri=hit.skill.uri,
                title=hit.skill.name,
                passage_id=p.id,
                heading=p.heading,
                page=p.page,
                start=p.start,
                end=p.end,
                text=p.text,
                score=p.score,
            )
            for p in hit.passages[:PASSAGES_EACH]
        ]

    def _place_overview(self, skill: Skill, document_id: uuid.UUID | None, score: float = 0.0) -> Source:
        return self.shelf.place(
            skill_id=skill.pk,
            document_id=document_id,
            passage_id=None,
            uri=skill.uri,
            title=skill.name,
            heading="",
            page=None,
            start=0,
            end=0,
            text=skill.overview or skill.abstract,
            score=score,
        )

    def read(self, uri: str, part: int = 0) -> Outcome:
        """A skill's overview (``part`` 0) or the n-th stretch of its full text, about 2,400 tokens.

        Raises NotFound for what there is not, or what the person may not see.
        """
        skill = self._open(uri)
        document_id = documents_of([skill.pk]).get(skill.pk)
        passages = Passage.objects.filter(skill=skill).order_by("ordinal")
        parts = -(-passages.count() // PART)
        if part == 0:
            more = f"\nThe full text has {parts} part(s): read({skill.uri}, part=1) is the first."
            source = self._place_overview(skill, document_id)
            return Outcome(shown([source]) + more, sources=[source], skills=_named([skill]))
        sources = [
            self.shelf.place(
                skill_id=skill.pk,
                document_id=document_id,
                passage_id=p.pk,
                uri=skill.uri,
                title=skill.name,
                heading=p.heading,
                page=p.page,
                start=p.start,
                end=p.end,
                text=p.text,
            )
            for p in passages[(part - 1) * PART : part * PART]
        ]
        if not sources:
            return Outcome(f"There is no part {part}; the full text has {parts}.", status="empty")
        return Outcome(
            f"{shown(sources)}\nThis was part {part} of {parts}.", sources=sources, skills=_named([skill])
        )

    def _open(self, uri: str) -> Skill:
        kind, _, name = uri.strip().removeprefix("sk://").partition("/")
        conditions = {
            "skills": Q(slug=name),
            "knowledge": Q(pk=as_id(name)),
            "documents": Q(sources__version__document_id=as_id(name)),
        }
        if kind not in conditions:
            raise NotFound(f"{uri} is not an address of the knowledge base.")
        skills = Skill.objects.visible_to(self.user).findable().filter(conditions[kind])
        if folder := self.scope.get("folder_id"):
            skills = skills.under(uuid.UUID(folder))
        if documents := self.scope.get("document_ids"):
            skills = skills.filter(sources__version__document_id__in=documents)
        skill: Skill | None = skills.distinct().first()
        if skill is None:
            raise NotFound(f"There is nothing at {uri}.")
        return skill


def _named(skills: Sequence[Skill]) -> list[dict[str, Any]]:
    return [{"skill_id": str(s.pk), "uri": s.uri, "name": s.name} for s in skills]


def documents_of(skill_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """The document each of the skills first rests on; skills without one are left out."""
    rows = (
        SkillSource.objects.filter(skill_id__in=skill_ids, version__document__deleted_at=None)
        .order_by("-pk")
        .values_list("skill_id", "version__document_id")
    )
    return dict(rows)
