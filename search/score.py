"""The formulas of finding. Pure: numbers in, numbers out, the clock passed in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

SECONDS_A_DAY = 86_400.0
# A leg by meaning begins where unrelated texts end, two deviations up, and is 1 five deviations up.
FLOOR, REACH = 2.0, 3.0
# The seeds' fallback when no embedder answers: what a match in each part of a skill is worth.
TEXT_WEIGHTS = {"name": 0.5, "l0": 0.3, "l1": 0.15, "content": 0.05}


@dataclass(frozen=True, slots=True)
class Weights:
    """What each leg of the hybrid sum counts.

    Between meaning and words, and between the layers, as measured on the retrieval sets; the scale
    is such that a good first hit comes to about .8. Hotness breaks ties: at .04 random hotness
    costs .002 nDCG, at the seeds' .2 it costs .02.
    """

    abstract: float = 0.056
    overview: float = 0.084
    passage: float = 0.14
    words: float = 0.42
    hotness: float = 0.04


def calibrated(z: float) -> float:
    """A leg's value from its z-score among unrelated texts: (z − 2)/3, below 0 for less than noise."""
    return (z - FLOOR) / REACH


def words_value(bm25: float, total_idf: float, k1: float) -> float:
    """BM25 as a share of the query: 1 when each of its words occurs once in an average passage."""
    return bm25 * (1 + k1) / total_idf if total_idf else 0.0


def sigmoid(x: float) -> float:
    """1 / (1 + e^−x)."""
    return 1 / (1 + math.exp(-x))


def hotness(active_count: int, updated_at: datetime, now: datetime, half_life_days: float = 7.0) -> float:
    """sigmoid(ln(1 + uses)) · 2^(−days since the update / half-life): 0 to 1."""
    days = max((now - updated_at).total_seconds(), 0) / SECONDS_A_DAY
    return sigmoid(math.log1p(active_count)) * 2 ** (-days / half_life_days)


def needs_overview(candidates: int, limit: int) -> bool:
    """The seeds: overviews are compared only when there are more candidates than asked for."""
    return candidates > limit


def layered_semantic(l0: float, l1: float | None) -> float:
    """.5·L0 + .5·L1; L0 alone where overviews were not compared."""
    return l0 if l1 is None else 0.5 * l0 + 0.5 * l1


def final(semantic: float, hot: float, weight: float = 0.2) -> float:
    """(1 − weight)·SEMANTIC + weight·HOTNESS; the seeds' weight is .2."""
    return (1 - weight) * semantic + weight * hot


def clipped(score: float) -> float:
    """A score as it is shown: 0 to 1."""
    return min(max(score, 0.0), 1.0)
