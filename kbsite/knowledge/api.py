"""``/api/knowledge``, the quick door. A note is named by its id, its slug or its URI."""

from __future__ import annotations

from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router, Status

from kbsite.accounts.auth import person
from kbsite.knowledge.finding import LONGEST_QUERY, NEWEST, Asked, Mode, find
from kbsite.knowledge.schemas import (
    KnowledgeChange,
    KnowledgeFound,
    KnowledgeIn,
    KnowledgeOut,
    KnowledgeProcessed,
    KnowledgeRow,
    KnowledgeStatus,
    KnowledgeTaken,
    row,
    whole,
)
from kbsite.paging import Done, Page, Paging, paginate
from kbsite.sent import version_in
from kbsite.text import storable
from skills import knowledge
from skills.models import Skill
from skills.schemas import relation_out

router = Router(tags=["knowledge"])


def _query(q: str) -> str:
    return storable(q).strip()[:LONGEST_QUERY]


def _answer(skill: Skill, response: HttpResponse) -> dict[str, Any]:
    response["ETag"] = f'"{skill.version}"'
    return whole(skill)


@router.get("", response=Page[KnowledgeRow], summary="Notes, newest first or best first")
def list_knowledge(
    request: HttpRequest, paging: Query[Paging], q: str = "", mode: Mode = "keyword", tag: str = ""
) -> dict[str, Any]:
    """``keyword`` counts the query's words in title, tags and text; ``semantic`` and ``hybrid`` find
    by meaning, among what is indexed.
    """
    found = find(Asked(_query(q), mode, storable(tag)), person(request), paging)
    return {
        "items": [row(skill, found.scores.get(skill.pk)) for skill in found.items],
        "total": found.total,
        "page": paging.page,
        "page_size": paging.page_size,
        "next_cursor": found.next_cursor,
    }


@router.post("", response={202: KnowledgeTaken}, summary="Add a note")
def add_knowledge(
    request: HttpRequest, payload: KnowledgeIn, idempotency_key: Header[str | None] = None
) -> Status[dict[str, Any]]:
    """It is found once its index is ready. The same ``Idempotency-Key`` or ``id`` again answers with
    the note that was made first.
    """
    user = person(request)
    skill = knowledge.add(
        user,
        payload.content,
        title=payload.title,
        tags=payload.tags,
        id=payload.id or knowledge.id_for(user, idempotency_key),
        folder_id=payload.folder_id,
    )
    return Status(202, {"status": "pending", "knowledge_id": skill.pk, "uri": skill.uri})


@router.get("/search", response=KnowledgeFound, summary="Find notes by meaning or by words")
def search_knowledge(
    request: HttpRequest, q: str = "", limit: int = 5, semantic: bool = True
) -> dict[str, Any]:
    """Best first. ``found`` is false when nothing is about the query and these are only the nearest."""
    paging = Paging(page=1, page_size=min(max(limit, 1), 100))
    query = _query(q)
    if not query:
        return {"items": [], "total": 0, "found": False}
    found = find(Asked(query, "semantic" if semantic else "keyword"), person(request), paging)
    items = [row(skill, found.scores.get(skill.pk)) for skill in found.items]
    return {"items": items, "total": found.total, "found": found.about and bool(items)}


@router.get("/pending", response=Page[KnowledgeRow], summary="Notes that are not found yet")
def pending_knowledge(request: HttpRequest, paging: Query[Paging]) -> dict[str, Any]:
    """Waiting, being indexed, or failed."""
    page = paginate(knowledge.lean(knowledge.pending(person(request))), paging, NEWEST)
    return page | {"items": [row(skill) for skill in page["items"]]}


@router.post("/process", response=KnowledgeProcessed, summary="Hand waiting notes to the workers again")
def process_knowledge(request: HttpRequest, force: bool = False) -> dict[str, int]:
    """At most 50 at a time. ``force`` also returns those to pending whose worker stopped or that failed."""
    return {"processed": knowledge.process(person(request), force=force)}


@router.get("/status/{path:reference}", response=KnowledgeStatus, summary="How far a note is")
def knowledge_status(request: HttpRequest, reference: str) -> dict[str, Any]:
    """With its relations, what was decided, and why."""
    user = person(request)
    skill = knowledge.find(reference, user)
    return {
        "status": skill.status,
        "index_state": skill.index_state,
        "relations": [relation_out(relation) for relation in knowledge.relations(skill, user)],
        "decision": knowledge.decision(skill),
        "reason": knowledge.reason(skill),
    }


@router.get("/{path:reference}", response=KnowledgeOut, summary="One note")
def get_knowledge(
    request: HttpRequest, reference: str, response: HttpResponse, format: Literal["json", "md"] = "json"
) -> Any:
    """``ETag`` is the version, for ``If-Match``. ``format=md``: the note as a Markdown file."""
    skill = knowledge.find(reference, person(request))
    if format == "json":
        return _answer(skill, response)
    return HttpResponse(
        knowledge.as_markdown(skill),
        content_type="text/markdown; charset=utf-8",
        headers={"ETag": f'"{skill.version}"'},
    )


@router.put("/{path:reference}", response=KnowledgeOut, summary="Add to a note, or replace its text")
def change_knowledge(
    request: HttpRequest,
    reference: str,
    payload: KnowledgeChange,
    response: HttpResponse,
    if_match: Header[str | None] = None,
) -> dict[str, Any]:
    """``append`` puts the content below what is there. ``If-Match`` refuses a lost update (412)."""
    user = person(request)
    changed = knowledge.change(
        knowledge.find(reference, user).pk,
        user,
        payload.content,
        mode=payload.mode,
        title=payload.title,
        tags=payload.tags,
        expected=version_in(if_match),
    )
    return _answer(changed, response)


@router.delete("/{path:reference}", response=Done, summary="Put a note in the trash")
def delete_knowledge(request: HttpRequest, reference: str) -> Done:
    """Gone from lists and searches at once; it can be restored."""
    user = person(request)
    knowledge.delete(knowledge.find(reference, user).pk, user)
    return Done()
