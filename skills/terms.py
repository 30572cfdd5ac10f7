"""The maths of words: a passage's term vector, a query's, and in how many passages a term occurs.

BM25 with k1 1.2 and b .75: a passage keeps tf/(tf + K), K = k1·(1 − b + b·length/average), a query
keeps idf = ln(1 + (N − df + .5)/(df + .5)), and their inner product is the score (Robertson and
Zaragoza 2009, without the constant k1 + 1). The idf is raised to 1.5: questions are full of words that
only ask, and there is no stop list; nDCG rises on every set, by up to .012 (bench/eval_sets.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db import connection, transaction
from pgvector import SparseVector

from skills import words

K1 = 1.2
B = 0.75
RARITY = 1.5
DIMENSIONS = 1_000_000_000
MOST_TERMS = 16_000
TIERS = (2, 4, 8)
GRAM_TIERS = (4, 8)
# Terms of an average passage in the shared retrieval sets, by script; ± 30 % costs ≤ .01 nDCG.
AVERAGE_GRAMS = 700.0
AVERAGE_WORDS = 130.0

LONGEST_QUERY = 2_000
MOST_QUERY_TERMS = 64
PENDING_LOOKED_AT = 200
FOLDING = 0x5EED_7E24


@dataclass(frozen=True, slots=True)
class TermVector:
    """A passage's terms. ``weights``: term hash → tf/(tf + K). ``keys`` go to the GIN index.

    ``hashes`` are what the passage adds to document frequencies (terms and tf tiers, each once).
    ``length`` counts terms.
    """

    weights: dict[int, float]
    keys: list[int]
    hashes: list[int]
    length: int

    @property
    def sparse(self) -> SparseVector:
        """The weights for the ``sparsevec`` column (indices from 0 in Python)."""
        return SparseVector(self.weights, DIMENSIONS)


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term of a query: how rare it is, and how often it is asked for."""

    text: str
    hash: int
    df: int
    idf: float
    count: int
    tiers: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class QueryTerms:
    """A query's terms, rarest first. ``passages`` is N. ``names`` are codes asked for whole."""

    terms: tuple[QueryTerm, ...]
    passages: int
    names: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @cached_property
    def total_idf(self) -> float:
        """Σ idf: what a passage would reach that holds every term endlessly often."""
        return sum(term.idf * term.count for term in self.terms)

    @cached_property
    def sparse(self) -> SparseVector:
        """The idf of each term, for ``weights <#> query``."""
        return SparseVector({t.hash: t.idf * t.count for t in self.terms}, DIMENSIONS)


def tier(term: str, times: int) -> int:
    """The hash under which passages are kept that hold ``term`` at least ``times`` times."""
    return words.hash_of(f"{term}\x02{times}")


def _keys(counts: Counter[str], grams: set[str]) -> set[int]:
    keys = set(map(words.hash_of, counts))
    for term, count in counts.items():
        if count >= TIERS[0]:
            steps = GRAM_TIERS if term in grams else TIERS
            keys.update(tier(term, times) for times in steps if count >= times)
    return keys


def _merged(counts: Counter[str]) -> dict[int, int]:
    """Counts by hash; two terms that share one are one term."""
    together = dict(zip(map(words.hash_of, counts), counts.values(), strict=True))
    if len(together) < len(counts):
        together = dict.fromkeys(together, 0)
        for term, count in counts.items():
            together[words.hash_of(term)] += count
    return together


def analyse(text: str) -> TermVector:
    """The term vector of a passage's text (with its title and headings). Pure."""
    found = words.cut(text)
    grams, others = found.length
    counts = Counter(found.grams)
    alone = set(counts)
    counts.update(found.pairs)
    counts.update(found.words)
    counts.update(found.names)
    counts.update(dict.fromkeys(found.symbols, 1))
    counts.update(dict.fromkeys(found.parts, 1))
    if len(counts) > MOST_TERMS:
        counts = Counter(dict(counts.most_common(MOST_TERMS)))
    k = K1 * (1 - B + B * (grams / AVERAGE_GRAMS + others / AVERAGE_WORDS))
    weights = {h: tf / (tf + k) for h, tf in _merged(counts).items()}
    keys = sorted(_keys(counts, alone))
    return TermVector(weights, keys, keys, grams + others)


def _asked(text: str) -> tuple[Counter[str], set[str], set[str]]:
    """The terms of a query with their counts, which of them are single characters, and its names."""
    found = words.cut(text[:LONGEST_QUERY])
    counts = Counter(found.grams)
    alone = set(counts)
    for more in (found.pairs, found.words, found.names):
        counts.update(more)
    names = {name for name in found.names if words.has_digit(name) or not name.replace("-", "").isalpha()}
    names |= {word for word in found.words if words.has_digit(word) and not word.isdecimal()}
    if not counts:
        counts.update(found.symbols)
    return counts, alone, names


def _frequencies(hashes: Iterable[int]) -> dict[int, int]:
    """In how many passages each hash occurs, deltas that wait for folding counted. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH asked AS (SELECT unnest(%s::int[]) AS h), waiting AS MATERIALIZED "
            "(SELECT sign, hashes FROM skills_termdelta ORDER BY id DESC LIMIT %s) "
            "SELECT h, coalesce((SELECT df FROM skills_term WHERE hash = h), 0) + coalesce("
            "(SELECT sum(sign) FROM waiting WHERE h = 0 OR h = ANY(hashes)), 0)::int FROM asked",
            [list(hashes), PENDING_LOOKED_AT],
        )
        return {h: max(df, 0) for h, df in cursor.fetchall()}


def _idf(df: int, passages: int) -> float:
    rare: float = math.log(1 + (max(passages, df) - df + 0.5) / (df + 0.5))
    return float(rare**RARITY)


def query_terms(text: str) -> QueryTerms:
    """A query's terms with their idf, rarest first. One query to the database.

    Reads the first 2,000 characters and keeps the 64 rarest terms. A code that no passage holds
    whole is looked for by its pieces instead.
    """
    counts, alone, names = _asked(text)
    tiers = {t: [tier(t, n) for n in (GRAM_TIERS if t in alone else TIERS)] for t in counts}
    parts = {part: words.hash_of(part) for t in counts if words.has_digit(t) for part in words.parts_of(t)}
    known = {t: words.hash_of(t) for t in counts}
    df = _frequencies({0, *known.values(), *parts.values(), *(h for hs in tiers.values() for h in hs)})
    for term in [t for t in counts if words.has_digit(t) and not df[known[t]]]:
        counts.update(dict.fromkeys(words.parts_of(term), 1))
    terms = [
        QueryTerm(t, h, df[h], _idf(df[h], df[0]), count, tuple((k, df[k]) for k in tiers.get(t, ())))
        for t, count in counts.items()
        for h in (known.get(t) or parts[t],)
    ]
    rarest = {term.hash: term for term in sorted(terms, key=lambda term: -term.df)}
    kept = sorted(rarest.values(), key=lambda term: term.df)[:MOST_QUERY_TERMS]
    return QueryTerms(tuple(kept), df[0], tuple(sorted(words.hash_of(n) for n in names)))


FOLD = """
WITH taken AS (
    DELETE FROM skills_termdelta WHERE id IN (SELECT id FROM skills_termdelta ORDER BY id LIMIT %s)
    RETURNING sign, hashes
), counted AS (
    SELECT h, sum(sign) AS n FROM taken, unnest(hashes) AS h GROUP BY h
    UNION ALL SELECT 0, sum(sign) FROM taken HAVING count(*) > 0
), folded AS (
    INSERT INTO skills_term (hash, df) SELECT h, n FROM counted WHERE n <> 0 ORDER BY h
    ON CONFLICT (hash) DO UPDATE SET df = skills_term.df + excluded.df
)
SELECT count(*) FROM taken
"""


def fold_deltas(limit: int = 5_000) -> int:
    """Add up to ``limit`` waiting deltas to the document frequencies; returns how many.

    Zero when there are none or another process is folding: the advisory lock lets one in. Exact
    under concurrent writers, whose deltas appear when they commit.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [FOLDING])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(FOLD, [limit])
        folded: int = cursor.fetchone()[0]
        return folded
