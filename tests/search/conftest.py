"""The same texts are indexed for every test: each is embedded once a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from kbsite.llm.e5.nano import Vectors
from kbsite.llm.embedders import BuiltInEmbedder

_known: dict[str, Vectors] = {}


@pytest.fixture(autouse=True)
def embedded_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The built-in embedder, remembering what it was asked."""
    passages, query = BuiltInEmbedder.embed_passages, BuiltInEmbedder.embed_query

    def embed_passages(self: BuiltInEmbedder, texts: Sequence[str]) -> Vectors:
        if fresh := [text for text in texts if text not in _known]:
            _known.update(zip(fresh, passages(self, fresh), strict=True))
        return np.stack([_known[text] for text in texts])

    def embed_query(self: BuiltInEmbedder, text: str) -> Vectors:
        if f"?{text}" not in _known:
            _known[f"?{text}"] = query(self, text)
        return _known[f"?{text}"]

    monkeypatch.setattr(BuiltInEmbedder, "embed_passages", embed_passages)
    monkeypatch.setattr(BuiltInEmbedder, "embed_query", embed_query)
    yield
