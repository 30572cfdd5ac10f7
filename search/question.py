"""A query made ready: its vector, its words, and how near unrelated texts are to it."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from kbsite.exceptions import ModelUnavailable
from kbsite.llm import cohort
from kbsite.llm.calibration import Calibration, calibrate
from kbsite.llm.embedding import active_space, embedder
from kbsite.llm.models import EmbeddingSpace
from kbsite.llm.spaces import cohort_vectors
from kbsite.text import storable
from search import score
from search.highlight import telling
from skills import words
from skills.terms import K1, QueryTerms, query_terms

log = logging.getLogger(__name__)

LONGEST_EMBEDDED = 1_200
_embedding = ThreadPoolExecutor(max_workers=2, thread_name_prefix="embed-query")


@dataclass(frozen=True)
class Meaning:
    """A query's vector, float32, shape (dimension,), unit length, in its space, and its calibration.

    The vector has no language: see :func:`without_language`.
    """

    space: EmbeddingSpace
    vector: NDArray[np.float32]
    calibration: Calibration

    @cached_property
    def line(self) -> tuple[float, float]:
        """Slope and start: a leg's value is slope · cosine + start.

        The value is 0 where unrelated texts end and 1 where most relevant ones are; it is the cosine
        itself where the setting asks for that.
        """
        if settings.KB_RAW_COSINE:
            return 1.0, 0.0
        start = score.calibrated(float(self.calibration.z(0.0)))
        return score.calibrated(float(self.calibration.z(1.0))) - start, start


@dataclass(frozen=True)
class Question:
    """What was asked. ``meaning`` is None when words alone were wanted or no embedder answered."""

    text: str
    terms: QueryTerms
    meaning: Meaning | None = None
    unavailable: ModelUnavailable | None = None

    def words_value(self, bm25: float) -> float:
        """A passage's BM25 as a leg's value: 1 when it holds each word of the query once."""
        return score.words_value(bm25, self.terms.total_idf, K1)

    @cached_property
    def telling(self) -> dict[str, float]:
        """The terms worth marking in a text, with their idf."""
        terms = self.terms.terms
        return telling({term.text: term.idf for term in terms}, {term.text for term in terms if term.df})

    @cached_property
    def folded(self) -> str:
        """The whole query as names are compared: folded, without blanks around it."""
        return words.fold(self.text).strip()


@lru_cache(maxsize=512)
def _vector(space: EmbeddingSpace, text: str) -> NDArray[np.float32]:
    """The vector of ``text``; kept, so that facets and the next page of results cost nothing."""
    return embedder(space).embed_query(text)


@lru_cache(maxsize=8)
def _language_axis(space_id: int) -> NDArray[np.float32]:
    """The direction from English to Chinese in a space, from its cohort; shape (dimension,), unit length."""
    vectors = cohort_vectors(EmbeddingSpace.objects.select_related("provider").get(pk=space_id))
    chinese = np.array([words.RUN.search(text) is not None for text in cohort.texts()])
    axis = vectors[chinese].mean(axis=0) - vectors[~chinese].mean(axis=0)
    return np.asarray(axis / np.linalg.norm(axis), np.float32)


def without_language(space: EmbeddingSpace, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A query's vector without the direction in which the languages of a space differ, unit length.

    A text in the query's own language is nearer than one that answers it in another: among both,
    x-zh2en falls from nDCG .72 to .02. Without that direction it stays at .72, and searches within
    one language lose nothing (bench/eval_sets.py).
    """
    axis = _language_axis(space.pk)
    neutral = vector - (vector @ axis) * axis
    return np.asarray(neutral / np.linalg.norm(neutral), np.float32)


def ask(query: str, *, words_only: bool = False) -> Question:
    """``query`` ready for searching; its vector is made while its words are looked up.

    Never raises for the query: what is too long is cut, and without an embedder there is no meaning.
    """
    text = storable(query).strip()
    if words_only or not text:
        return Question(text, query_terms(text))
    space = active_space()
    coming = _embedding.submit(_vector, space, text[:LONGEST_EMBEDDED])
    terms = query_terms(text)
    try:
        vector = coming.result()
        if not settings.KB_RAW_COSINE:
            vector = without_language(space, vector)
        return Question(text, terms, Meaning(space, vector, calibrate(space, vector)))
    except ModelUnavailable as error:
        log.warning("The query could not be embedded: %s", error)
        return Question(text, terms, unavailable=error)
