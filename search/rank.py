"""Candidates into an order: each mode's sum, and what each leg put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from search import score
from search.candidates import Candidate
from search.question import Question
from search.results import Leg, MatchedBy, Mode, Scores
from search.score import Weights
from skills import words

WEIGHTS = Weights()
NAMES: dict[str, str | Promise] = {
    "l0": _("Abstract"),
    "l1": _("Overview"),
    "passage": _("Passage"),
    "words": _("Words"),
    "hotness": _("Hotness"),
    "name": _("Name"),
    "content": _("Full text"),
}
LAYERS = {"l0": 0, "l1": 1, "passage": 2, "content": 2}
# From here on the words of the query stand in the text itself, so that is what is shown.
SAID = 0.5
EXACT = 10.0
# Folding changes the length of few names: those of another length are not compared.
NEARLY_AS_LONG = 3

Sum = tuple[tuple[str, float, float], ...]


class Values(NamedTuple):
    """A candidate's legs as values: None where a layer has no vector."""

    l0: float | None
    l1: float | None
    passage: float | None
    words: float
    hotness: float

    @property
    def meant(self) -> float:
        """The best of the layers; 0 when there is none."""
        return max((v for v in (self.l0, self.l1, self.passage) if v is not None), default=0.0)


class Ranked(NamedTuple):
    """A candidate with its scores. ``sum`` is what FINAL adds up: (leg, value, weight).

    ``exact`` says that the query is its name, or a code it holds; ``about`` is the sum of meaning and
    words by which it is judged to be about the query at all.
    """

    candidate: Candidate
    values: Values
    sum: Sum
    semantic: float | None
    about: float
    final: float
    exact: bool

    @property
    def order(self) -> float:
        """What hits are ordered by: exact ones first, then FINAL."""
        return self.final + EXACT if self.exact else self.final

    @property
    def scores(self) -> Scores:
        """The scores as they are given out."""
        l0, l1, passage, said, hot = self.values
        return Scores(l0, l1, passage, self.semantic, hot, said, self.final)

    @property
    def legs(self) -> list[Leg]:
        """The sum, a row for each leg."""
        return [Leg(NAMES[name], value, weight, LAYERS.get(name)) for name, value, weight in self.sum]

    @property
    def layer(self) -> int:
        """The layer that matched best: 0 abstract, 1 overview, 2 full text."""
        known = [(value, layer) for layer, value in enumerate(self.values[:3]) if value is not None]
        return 2 if not known or self.values.words >= SAID else max(known)[1]

    @property
    def matched_by(self) -> MatchedBy:
        """Which way it was found: semantic, lexical, both, or by its name."""
        if self.exact:
            return "name"
        by_meaning, by_words = self.values.meant > 0, self.values.words >= SAID
        if by_meaning and by_words:
            return "both"
        return "lexical" if by_words or (self.values.words and not by_meaning) else "semantic"


class Scorer:
    """What is the same for every candidate of one question."""

    def __init__(self, question: Question, now: datetime, limit: int, candidates: int) -> None:
        self.question, self.now = question, now
        self.reranks = score.needs_overview(candidates, limit)
        self.slope, self.start = question.meaning.line if question.meaning else (0.0, 0.0)
        self.said = question.words_value(1.0)
        self.half_life, self.hot = settings.KB_HALF_LIFE_DAYS, settings.KB_HOTNESS_WEIGHT

    def values(self, candidate: Candidate) -> Values:
        """The legs of ``candidate``."""
        slope, start = self.slope, self.start
        return Values(
            None if candidate.l0 is None else slope * candidate.l0 + start,
            None if candidate.l1 is None else slope * candidate.l1 + start,
            None if candidate.passage is None else slope * candidate.passage + start,
            self.said * candidate.bm25,
            score.hotness(candidate.active_count, candidate.updated_at, self.now, self.half_life),
        )

    def ranked(self, candidate: Candidate, values: Values, legs: Sum, semantic: float | None) -> Ranked:
        """The candidate with ``legs``, which come to its FINAL."""
        about = total(meaning_and_words(values))
        return Ranked(candidate, values, legs, semantic, about, total(legs), self.is_exact(candidate))

    def is_exact(self, candidate: Candidate) -> bool:
        """Whether the query is the skill's name, or codes that one of its passages holds."""
        if candidate.named:
            return True
        asked, name = self.question.folded, candidate.name
        return abs(len(name) - len(asked)) <= NEARLY_AS_LONG and words.fold(name).strip() == asked


def total(legs: Sum) -> float:
    """What ``legs`` add up to."""
    return sum([value * weight for _name, value, weight in legs])


def meaning_and_words(values: Values) -> Sum:
    """The hybrid legs but hotness; a layer without a vector counts as the best one does."""
    l0, l1, passage, said, _hot = values
    if l0 is None or l1 is None or passage is None:
        best = values.meant
        l0, l1, passage = (best if value is None else value for value in (l0, l1, passage))
    return (
        ("l0", l0, WEIGHTS.abstract),
        ("l1", l1, WEIGHTS.overview),
        ("passage", passage, WEIGHTS.passage),
        ("words", said, WEIGHTS.words),
    )


def _hybrid(scorer: Scorer, candidate: Candidate) -> Ranked:
    """SEMANTIC sums what the three layers mean and what the words cover; hotness is added."""
    values = scorer.values(candidate)
    legs = meaning_and_words(values)
    hot = ("hotness", values.hotness, WEIGHTS.hotness)
    return scorer.ranked(candidate, values, (*legs, hot), total(legs))


def _layered(scorer: Scorer, candidate: Candidate) -> Ranked:
    """The seeds' formula: SEMANTIC from L0 and L1, then HOTNESS."""
    values, share = scorer.values(candidate), 1 - scorer.hot
    l0, l1 = values.l0 or 0.0, values.l1
    legs: Sum = (("l0", l0, share),)
    if scorer.reranks and l1 is not None:
        legs = (("l0", l0, share / 2), ("l1", l1, share / 2))
    semantic = score.layered_semantic(l0, l1 if scorer.reranks else None)
    return scorer.ranked(candidate, values, (*legs, ("hotness", values.hotness, scorer.hot)), semantic)


def _keyword(scorer: Scorer, candidate: Candidate) -> Ranked:
    """The words of the best passage, and nothing else."""
    values = scorer.values(candidate)
    return scorer.ranked(candidate, values, (("words", values.words, 1.0),), None)


FORMULAS: dict[str, Callable[[Scorer, Candidate], Ranked]] = {
    "hybrid": _hybrid,
    "layered": _layered,
    "keyword": _keyword,
}


def rank(
    candidates: Iterable[Candidate], question: Question, mode: Mode, limit: int, now: datetime
) -> list[Ranked]:
    """All ``candidates`` by ``mode``, best first; equals in the order of their names."""
    found = list(candidates)
    scorer, formula = Scorer(question, now, limit, len(found)), FORMULAS[mode]
    ranked = [formula(scorer, candidate) for candidate in found]
    return sorted(ranked, key=lambda one: (-one.order, one.candidate.name, one.candidate.skill_id))
