"""What is about the query and what only came nearest. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from search.rank import Ranked
from search.results import Scores

# A skill is about the query when its best leg by meaning reaches this, or its words this.
MEANT, SAID = 0.2, 0.5
# Without any meaning, words alone must cover more than a stray common one would.
ONLY_SAID = 0.1


def is_about(scores: Scores) -> bool:
    """Whether a skill with these scores is about the query."""
    legs = [value for value in (scores.l0, scores.l1, scores.passage) if value is not None]
    if not legs:
        return scores.lexical >= ONLY_SAID or scores.final >= ONLY_SAID
    return max(legs) >= MEANT or scores.lexical >= SAID


def relevant(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Those of ``ranked`` that are about the query, in the same order."""
    return [one for one in ranked if one.exact or is_about(one.scores)]
