"""``/api/search``, and ``/api/skills/search``."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.text import storable
from search.related import documents_named, relations_of
from search.results import Results
from search.retrieve import search
from search.schemas import (
    SearchIn,
    SearchOut,
    SkillSearchIn,
    SkillSearchOut,
    document_out,
    hit_out,
    why_out,
)

router = Router(tags=["search"])
# Mounted under /skills before the skills' own router, whose /{id} would take the word for an id.
skills_router = Router(tags=["skills"])


def _hits(results: Results, user: User, *, marked: bool = False) -> list[dict[str, Any]]:
    relations = relations_of(results.hits, user)
    return [hit_out(hit, relations[hit.skill.pk], marked=marked) for hit in results.hits]


def _answer(wanted: SearchIn, user: User) -> dict[str, Any]:
    query = storable(wanted.q)
    results = Results(query, wanted.mode)
    if wanted.type != "document":
        results = search(
            query,
            user,
            mode=wanted.mode,
            folder_id=wanted.folder_id,
            document_ids=wanted.document_ids,
            type=wanted.skill_type,
            category=wanted.category,
            tags=wanted.tag,
            since=wanted.since,
            limit=wanted.limit,
            explain=wanted.trace,
        )
    documents = []
    if wanted.type != "skill":
        documents = documents_named(query, user, wanted.limit, wanted.folder_id)
    return {
        "query": query,
        "mode": wanted.mode,
        "skills": _hits(results, user, marked=wanted.trace),
        "documents": [document_out(document) for document in documents],
        "total": results.total + len(documents),
        "found": results.found or bool(documents),
        "took_ms": round(results.took_ms, 1),
        "notes": results.notes,
        "trace": why_out(results) if wanted.trace else None,
    }


@router.get("", response=SearchOut, summary="Find skills and documents")
def search_by_address(request: HttpRequest, wanted: Query[SearchIn]) -> dict[str, Any]:
    """Best first. An empty query finds nothing and says what to type."""
    return _answer(wanted, person(request))


@router.post("", response=SearchOut, summary="The same, for long queries")
def search_by_body(request: HttpRequest, wanted: SearchIn) -> dict[str, Any]:
    """The parameters of GET as a JSON object."""
    return _answer(wanted, person(request))


@skills_router.post("/search", response=SkillSearchOut, summary="Find skills, the short form")
def search_skills(request: HttpRequest, wanted: SkillSearchIn) -> dict[str, Any]:
    """By meaning and by words, best first."""
    user = person(request)
    results = search(wanted.query, user, type=wanted.type, category=wanted.category, limit=wanted.limit)
    return {"items": _hits(results, user), "total": results.total}
