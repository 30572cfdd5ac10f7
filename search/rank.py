"""Candidates into an order: each mode's sum, and what each leg put into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from search import score
from search.candidates import Candidate
from search.question import Question
from search.results import Leg, MatchedBy, Mode, Scores
from search.score import Weights
from skills import words

WEIGHTS = Weights()
# From here on the words of the query stand in the text itself, so that is what is shown.
SAID = 0.5
EXACT = 10.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its scores. ``exact`` says that the query is its name, or a code it holds.

    ``about`` is the sum of meaning and words by which it is judged to be about the query at all.
    """

    candidate: Candidate
    scores: Scores
    legs: list[Leg]
    exact: bool
    about: float

    @property
    def order(self) -> float:
        """What hits are ordered by: exact ones first, then FINAL."""
        return self.scores.final + (EXACT if self.exact else 0)

    @property
    def layer(self) -> int:
        """The layer that matched best: 0 abstract, 1 overview, 2 full text."""
        values = (self.scores.l0, self.scores.l1, self.scores.passage)
        known = [(value, layer) for layer, value in enumerate(values) if value is not None]
        return 2 if not known or self.scores.lexical >= SAID else max(known)[1]

    @property
    def matched_by(self) -> MatchedBy:
        """Which way it was found: semantic, lexical, both, or by its name."""
        if self.exact:
            return "name"
        by_meaning = any((v or 0) > 0 for v in (self.scores.l0, self.scores.l1, self.scores.passage))
        by_words = self.scores.lexical >= SAID
        if by_meaning and by_words:
            return "both"
        return "lexical" if by_words or (not by_meaning and self.scores.lexical) else "semantic"


@dataclass(frozen=True)
class Scorer:
    """What is the same for every candidate of one question."""

    question: Question
    now: datetime
    limit: int
    candidates: int

    def value(self, cosine: float | None) -> float | None:
        """A leg's value by meaning; the cosine itself where the setting asks for it."""
        if cosine is None or self.question.meaning is None:
            return None
        if settings.KB_RAW_COSINE:
            return cosine
        return self.question.meaning.value(cosine)

    def hotness(self, candidate: Candidate) -> float:
        """The seeds' HOTNESS of the skill now."""
        return score.hotness(
            candidate.active_count, candidate.updated_at, self.now, settings.KB_HALF_LIFE_DAYS
        )

    def ranked(self, candidate: Candidate, legs: list[Leg], semantic: float | None, hot: float) -> Ranked:
        """The candidate with ``legs``, whose sum is its FINAL."""
        scores = Scores(
            l0=self.value(candidate.l0),
            l1=self.value(candidate.l1),
            passage=self.value(candidate.passage),
            semantic=semantic,
            hotness=hot,
            lexical=self.question.words_value(candidate.bm25),
            final=sum(leg.adds for leg in legs),
        )
        named = candidate.named or words.fold(candidate.name).strip() == self.question.folded
        return Ranked(
            candidate, scores, legs, named, sum(leg.adds for leg in self.meaning_and_words(candidate))
        )

    def meaning_and_words(self, candidate: Candidate) -> list[Leg]:
        """The hybrid legs but hotness. A layer without a vector counts as the best one does."""
        meaning, found = self.question.meaning, [candidate.l0, candidate.l1, candidate.passage]
        best = max((cosine for cosine in found if cosine is not None), default=None)
        found = [best if cosine is None else cosine for cosine in found]
        l0, l1, passage = (0.0 if c is None or meaning is None else meaning.value(c) for c in found)
        return [
            Leg(_("Abstract"), l0, WEIGHTS.abstract, 0),
            Leg(_("Overview"), l1, WEIGHTS.overview, 1),
            Leg(_("Passage"), passage, WEIGHTS.passage, 2),
            Leg(_("Words"), self.question.words_value(candidate.bm25), WEIGHTS.words),
        ]


def _hybrid(scorer: Scorer, candidate: Candidate) -> Ranked:
    """SEMANTIC sums what the three layers mean and what the words cover; hotness is added."""
    legs, hot = scorer.meaning_and_words(candidate), scorer.hotness(candidate)
    semantic = sum(leg.adds for leg in legs)
    return scorer.ranked(candidate, [*legs, Leg(_("Hotness"), hot, WEIGHTS.hotness)], semantic, hot)


def _layered(scorer: Scorer, candidate: Candidate) -> Ranked:
    """The seeds' formula: SEMANTIC from L0 and L1, then HOTNESS."""
    l0, l1 = scorer.value(candidate.l0) or 0.0, scorer.value(candidate.l1)
    semantic = score.layered_semantic(l0, l1, scorer.candidates, scorer.limit)
    hot, weight = scorer.hotness(candidate), settings.KB_HOTNESS_WEIGHT
    share = 1 - weight
    if semantic == l0 or l1 is None:
        legs = [Leg(_("Abstract"), l0, share, 0)]
    else:
        legs = [Leg(_("Abstract"), l0, share / 2, 0), Leg(_("Overview"), l1, share / 2, 1)]
    return scorer.ranked(candidate, [*legs, Leg(_("Hotness"), hot, weight)], semantic, hot)


def _keyword(scorer: Scorer, candidate: Candidate) -> Ranked:
    """The words of the best passage, and nothing else."""
    legs = [Leg(_("Words"), scorer.question.words_value(candidate.bm25), 1.0)]
    return scorer.ranked(candidate, legs, None, scorer.hotness(candidate))


FORMULAS = {"hybrid": _hybrid, "layered": _layered, "keyword": _keyword}


def rank(
    candidates: Iterable[Candidate], question: Question, mode: Mode, limit: int, now: datetime
) -> list[Ranked]:
    """All ``candidates`` by ``mode``, best first; equals in the order of their names."""
    found = list(candidates)
    scorer = Scorer(question, now, limit, len(found))
    ranked = [FORMULAS[mode](scorer, candidate) for candidate in found]
    return sorted(ranked, key=lambda one: (-one.order, one.candidate.name, one.candidate.skill_id))
