"""What turns texts into vectors: the protocol, and which one serves a space."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Protocol
from uuid import UUID

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.e5.engines import engines
from kbsite.llm.models import EmbeddingSpace, Provider
from kbsite.llm.openai_embeddings import OpenAIEmbedder

BUILT_IN_MODEL = "multilingual-e5-small"
BUILT_IN_DIMENSION = 384

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts in, unit vectors of one space out."""

    dimension: int
    model: str

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32, shape (dimension,), unit length."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of stored texts, float32, shape (len(texts), dimension), unit length."""


class BuiltInEmbedder:
    """multilingual-e5-small on this machine."""

    dimension = BUILT_IN_DIMENSION
    model = BUILT_IN_MODEL

    def embed_query(self, text: str) -> Vectors:
        """See :class:`Embedder`."""
        vector: Vectors = engines().current().embed([text], "query: ")[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See :class:`Embedder`."""
        return engines().current().embed(texts, "passage: ")


def embedder(space: EmbeddingSpace) -> Embedder:
    """The embedder whose vectors belong to ``space``; one a process, a new one when its provider changed.

    Raises ModelUnavailable when what serves the space now makes vectors of another kind.
    """
    if space.provider is not None:
        return _connected(space.provider.pk, space.provider.updated_at, space.model, space.dimension)
    if (space.model, space.dimension) != (BUILT_IN_MODEL, BUILT_IN_DIMENSION):
        sentence = _("The built-in model can't make vectors of “%(space)s”. Choose an embedding model again.")
        raise ModelUnavailable(sentence % {"space": space}, code="no_model", retryable=False)
    return _built_in


_built_in = BuiltInEmbedder()


@lru_cache(maxsize=16)
def _connected(provider_id: UUID, changed: datetime, model: str, dimension: int) -> OpenAIEmbedder:
    return OpenAIEmbedder(Provider.objects.get(pk=provider_id), model, dimension)
