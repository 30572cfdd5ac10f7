"""Which notes a list shows: all, or those that a word or a meaning picks, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kbsite.accounts.models import User
from kbsite.paging import Paging, paginate
from search.results import Mode as SearchMode
from search.retrieve import search
from skills import knowledge
from skills.models import Skill

Mode = Literal["keyword", "semantic", "hybrid"]
MODES: dict[Mode, SearchMode] = {"semantic": "layered", "hybrid": "hybrid"}
NEWEST = ("-updated_at", "-id")
MOST_FOUND = 100
LONGEST_QUERY = 200  # characters


@dataclass(frozen=True)
class Asked:
    """What a list of notes is narrowed to; "" narrows nothing."""

    q: str = ""
    mode: Mode = "keyword"
    tag: str = ""


@dataclass
class Found:
    """A page of notes. ``scores`` are by id, where they were searched for by meaning.

    ``about`` is False when nothing is about the query and these are only the nearest.
    """

    items: list[Skill]
    total: int
    next_cursor: str | None = None
    scores: dict[Any, float] = field(default_factory=dict)
    about: bool = True
    remarks: list[str] = field(default_factory=list)


def find(asked: Asked, user: User, paging: Paging) -> Found:
    """The notes ``user`` may see that pass ``asked``: newest first, or best first for a query.

    By meaning only what is indexed is found, at most 100. Raises InvalidInput for a cursor of
    another list.
    """
    if asked.q and asked.mode != "keyword":
        return _by_meaning(asked, user, paging)
    rows = knowledge.notes(user)
    if asked.tag:
        rows = rows.filter(tags__contains=[asked.tag])
    order: tuple[str, ...] = NEWEST
    if asked.q:
        rows, order = knowledge.matching(rows, asked.q), ("-words", "-times", *NEWEST)
    page = paginate(knowledge.lean(rows), paging, order)
    return Found(page["items"], page["total"], page["next_cursor"])


def _by_meaning(asked: Asked, user: User, paging: Paging) -> Found:
    tags = [asked.tag] if asked.tag else []
    kind = Skill.Type.USER.value
    mode = MODES[asked.mode]
    results = search(asked.q, user, mode=mode, type=kind, tags=tags, limit=MOST_FOUND)
    hits = results.hits[: results.total] if results.found else results.hits[: paging.page_size]
    first = (paging.page - 1) * paging.page_size
    chosen = [hit.skill.pk for hit in hits[first : first + paging.page_size]]
    rows = knowledge.lean(knowledge.notes(user).filter(pk__in=chosen)).in_bulk()
    return Found(
        items=[rows[pk] for pk in chosen if pk in rows],
        total=len(hits),
        scores={hit.skill.pk: hit.score for hit in hits},
        about=results.found,
        remarks=results.notes,
    )
