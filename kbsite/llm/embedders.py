"""What turns texts into vectors: the protocol, and which one serves a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kbsite.llm.e5.engines import engines
from kbsite.llm.models import EmbeddingSpace

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
    """The embedder whose vectors belong to ``space``."""
    return BuiltInEmbedder()
