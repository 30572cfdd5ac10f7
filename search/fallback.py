"""The seeds' way down: matching texts when no embedder answers."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from search import score
from search.candidates import Candidate, gather
from search.question import Question
from search.rank import Ranked, Scorer
from search.scope import Among
from skills import words
from skills.models import Skill

MOST = 100
LAYERED = {"name": "name", "l0": "abstract", "l1": "overview"}


def _share(text: str, question: Question) -> float:
    """How much of the query stands in ``text``, by idf: 0 to 1."""
    found = words.cut(text)
    there = {*found.grams, *found.pairs, *found.words, *found.names, *found.symbols, *found.parts}
    covered = sum(term.idf * term.count for term in question.terms.terms if term.text in there)
    return covered / question.terms.total_idf if question.terms.total_idf else 0.0


def _candidates(question: Question, among: Among) -> dict[Candidate, Skill]:
    """Skills with passages that hold the words, or whose name or layers hold the whole query."""
    said = {candidate.skill_id: candidate for candidate in gather(question, among)}
    whole = Q(pk__in=list(said))
    for field in LAYERED.values():
        whole |= Q(**{f"{field}__icontains": question.text})
    rows = among.skills.filter(whole).order_by("-updated_at").defer("content")[: MOST + len(said)]
    return {said.get(skill.pk) or _unsaid(skill): skill for skill in rows}


def _unsaid(skill: Skill) -> Candidate:
    return Candidate(
        skill_id=skill.pk,
        name=skill.name,
        type=skill.type,
        category=skill.category,
        folder_id=skill.folder_id,
        active_count=skill.active_count,
        updated_at=skill.updated_at,
        l0=None,
        l1=None,
        passage=None,
        bm25=0.0,
        named=False,
    )


def match(question: Question, among: Among, limit: int, now: datetime) -> list[Ranked]:
    """Skills by text: name .5, abstract .3, overview .15, content .05, each times its share of the query.

    Best first; those without any of the words are left out.
    """
    found = _candidates(question, among)
    scorer = Scorer(question, now, limit, len(found))
    ranked = []
    for candidate, skill in found.items():
        shares = {leg: _share(getattr(skill, part), question) for leg, part in LAYERED.items()}
        shares["content"] = score.clipped(question.words_value(candidate.bm25))
        if any(shares.values()):
            legs = tuple((leg, shares[leg], weight) for leg, weight in score.TEXT_WEIGHTS.items())
            ranked.append(scorer.ranked(candidate, scorer.values(candidate), legs, None))
    return sorted(ranked, key=lambda one: (-one.order, one.candidate.name))
