"""Which keys to look up so that few passages are read and the best ones are among them. Pure.

Rare terms first, while they bring at most ``BUDGET`` passages; then common terms where they occur
often in a passage; then pairs of common terms that occur together (docs/architecture.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skills.terms import QueryTerm, QueryTerms

BUDGET = 2_000
MORE_TERMS = 6
MOST_PAIRS = 12
TOGETHER = 8


@dataclass
class Lookup:
    """Passages with any of ``any_of``, or both keys of one of ``pairs``, or some with ``common``.

    ``expected`` estimates how many passages that is.
    """

    any_of: list[int] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    common: int | None = None
    expected: float = 0


def _often(term: QueryTerm, room: float) -> tuple[int, int] | None:
    """The lowest tier of ``term`` whose passages fit in ``room``: its key and how many."""
    return next(((key, df) for key, df in term.tiers if 0 < df <= room), None)


def choose(query: QueryTerms, budget: int = BUDGET) -> Lookup:
    """What to look up for ``query``; empty when none of its terms occurs anywhere."""
    chosen = Lookup()
    terms = [term for term in query.terms if term.df]
    rare = []
    for term in terms:
        if chosen.expected + term.df > budget:
            break
        rare.append(term)
        chosen.expected += term.df
    chosen.any_of = [term.hash for term in rare]
    common = terms[len(rare) :]
    for term in common[:MORE_TERMS]:
        if often := _often(term, 1.5 * budget - chosen.expected):
            chosen.any_of.append(often[0])
            chosen.expected += often[1]
    _add_pairs(chosen, common[: MORE_TERMS + 2], max(query.passages, 1), 2.5 * budget)
    if terms and not chosen.any_of and not chosen.pairs:
        chosen.common, chosen.expected = terms[0].hash, min(terms[0].df, 2 * budget)
    return chosen


def _add_pairs(chosen: Lookup, common: list[QueryTerm], passages: int, most: float) -> None:
    pairs = sorted(
        (min(a.df * b.df / passages * TOGETHER, a.df, b.df), a.hash, b.hash)
        for a, b in combinations(common, 2)
    )
    for expected, a, b in pairs[:MOST_PAIRS]:
        if chosen.expected + expected > most:
            break
        chosen.pairs.append((a, b))
        chosen.expected += expected
