"""Finding: one call for pages, the API and the chat alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from search import fallback
from search.candidates import gather, nearest_abstracts
from search.explain import sentence
from search.load import load
from search.question import Question, ask
from search.rank import Ranked, rank
from search.relevance import relevant
from search.results import Hit, HitPassage, Mode, Results
from search.scope import Among, Scope, among

__all__ = ["Hit", "HitPassage", "Mode", "Results", "search"]

MODES: tuple[Mode, ...] = ("hybrid", "layered", "keyword")
MOST = 100
# The seeds: layered looks at three times as many candidates as are asked for.
CANDIDATES_PER_HIT = 3


@dataclass(frozen=True)
class Search:
    """A query, where to look, how, and how much to give back."""

    query: str
    scope: Scope = field(default_factory=Scope)
    mode: Mode = "hybrid"
    limit: int = 10


@dataclass(frozen=True)
class Ranking:
    """All candidates for a question in order, and those of them that are about it."""

    question: Question
    ranked: list[Ranked]
    about: list[Ranked]


def _ranked(wanted: Search, question: Question, place: Among, now: datetime) -> list[Ranked]:
    if question.unavailable:
        return fallback.match(question, place, wanted.limit, now)
    if wanted.mode == "layered":
        candidates = nearest_abstracts(question, place, CANDIDATES_PER_HIT * wanted.limit)
    else:
        candidates = gather(question, place)
    if wanted.mode == "keyword":
        candidates = [candidate for candidate in candidates if candidate.bm25 > 0]
    return rank(candidates, question, wanted.mode, wanted.limit, now)


def ranking(wanted: Search, user: User) -> Ranking:
    """The candidates for ``wanted`` among what ``user`` may find; none for an empty query."""
    question = ask(wanted.query, words_only=wanted.mode == "keyword")
    if not question.text:
        return Ranking(question, [], [])
    ranked = _ranked(wanted, question, among(wanted.scope, user), timezone.now())
    return Ranking(question, ranked, relevant(ranked, question))


def _notes(question: Question) -> list[str]:
    if not question.text:
        return [_("Type what you are looking for: a question, a few words, a name or a code.")]
    if question.unavailable:
        return [_("The embedding model does not answer, so only texts were compared.")]
    return []


def find(wanted: Search, user: User, *, explain: bool = False) -> tuple[Results, Ranking]:
    """What :func:`search` returns, and the ranking behind it (for facets)."""
    started = time.perf_counter()
    found = ranking(wanted, user)
    hits = load(found.ranked[: wanted.limit], found.question, user)
    if explain:
        by_id = {one.candidate.skill_id: one for one in found.ranked[: wanted.limit]}
        for hit in hits:
            hit.sentence = sentence(hit, by_id[hit.skill.pk], found.ranked, found.question)
    results = Results(
        query=wanted.query,
        mode=wanted.mode,
        hits=hits,
        total=len(found.about),
        found=bool(found.about),
        took_ms=(time.perf_counter() - started) * 1000,
        notes=_notes(found.question),
    )
    return results, found


def search(
    query: str,
    user: User,
    *,
    mode: Mode = "hybrid",
    folder_id: UUID | None = None,
    document_ids: Sequence[UUID] | None = None,
    type: str | None = None,
    category: str | None = None,
    tags: Sequence[str] = (),
    since: datetime | None = None,
    limit: int = 10,
    explain: bool = False,
) -> Results:
    """The skills that ``user`` may see and that answer ``query``, best first, at most ``limit`` (1 to 100).

    ``mode``: hybrid (meaning and words), layered (the seeds' L0, L1 and hotness) or keyword (words
    alone, without any model). ``folder_id`` includes what is below the folder. ``found`` is False
    when nothing is about the query. With ``explain`` each hit says in a sentence why it is where it is.
    Raises InvalidInput for an unknown mode; never for a query, however odd, long or empty.
    """
    if mode not in MODES:
        raise InvalidInput(_("There is no such way to search: %(mode)s.") % {"mode": mode})
    scope = Scope(
        folder_ids=(folder_id,) if folder_id else (),
        document_ids=document_ids,
        types=(type,) if type else (),
        categories=(category,) if category else (),
        tags=tuple(tags),
        since=since,
    )
    wanted = Search(query, scope, mode, min(max(limit, 1), MOST))
    return find(wanted, user, explain=explain)[0]
