"""Key facts of several texts, in their own words: the most central sentences, those with numbers first.

A sentence is central as in :mod:`kbsite.llm.offline.summary`: by the mean weight of its terms, where a
term weighs the logarithm of how many of the texts' sentences use it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kbsite.llm.offline.blocks import blocks
from kbsite.llm.offline.sentences import sentences, size, terms

SHORTEST, LONGEST = 5, 60  # tokens
MOST_OF_ONE = 2
BEARS_A_NUMBER = 1.6
MOST_SENTENCES = 4000

_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万两]+\s*(?:天|日|周|月|年|小时|分钟|元|次|人|个|级|倍|成)|百分之"
)
_ENDS = re.compile(r"[。！；.!…][」』”’）】》\"')\]]*$")
_ASKS = re.compile(r"[?？]\W*$|[:：]$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the number of the text it stands in."""

    of: int
    at: int
    text: str
    terms: frozenset[str]


def key_facts(texts: Sequence[str], most: int = 8) -> list[tuple[int, str]]:
    """At most ``most`` sentences with the number of their text, in the texts' order.

    No two say nearly the same, and no text has more than two while others have any.
    """
    found = _sentences(texts)
    uses = Counter(term for sentence in found for term in sentence.terms)
    top = max(uses.values(), default=1)
    weight = {term: math.log(1 + n) / math.log(1 + top) for term, n in uses.items()}
    ranked = sorted(found, key=lambda s: (-_worth(s, weight), s.at))
    chosen: list[Sentence] = []
    for limit in (MOST_OF_ONE, most):
        for sentence in ranked:
            if len(chosen) == most:
                break
            full = sum(other.of == sentence.of for other in chosen) >= limit
            if not full and not any(_alike(sentence, other) for other in chosen):
                chosen.append(sentence)
    return [(s.of, s.text) for s in sorted(chosen, key=lambda s: s.at)]


def _sentences(texts: Sequence[str]) -> list[Sentence]:
    found: list[Sentence] = []
    seen: set[str] = set()
    for of, text in enumerate(texts):
        for block in blocks(text):
            if block.kind not in ("prose", "item", "quote"):
                continue
            for said in sentences(block.text):
                if said not in seen and SHORTEST <= size(said) <= LONGEST and not _ASKS.search(said):
                    seen.add(said)
                    found.append(Sentence(of, len(found), said, frozenset(terms(said))))
        if len(found) >= MOST_SENTENCES:
            break
    return found


def _worth(sentence: Sentence, weight: dict[str, float]) -> float:
    if not sentence.terms:
        return 0.0
    worth: float = sum(weight[term] for term in sentence.terms) / (len(sentence.terms) + 6) ** 0.75
    worth *= BEARS_A_NUMBER if _NUMBER.search(sentence.text) else 1.0
    return worth if _ENDS.search(sentence.text) else 0.6 * worth


def _alike(one: Sentence, other: Sentence) -> bool:
    smaller = min(len(one.terms), len(other.terms)) or 1
    return len(one.terms & other.terms) > 0.6 * smaller
