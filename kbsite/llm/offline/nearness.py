"""How near texts are to a question in meaning, by the embedding model on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from kbsite.llm.embedders import BuiltInEmbedder

LONGEST = 1000  # characters of each text that are compared

_model = BuiltInEmbedder()


def nearness(question: str, texts: Sequence[str]) -> list[float]:
    """The cosine of ``question`` to each of ``texts``, in their order."""
    vectors = _model.embed_passages([text[:LONGEST] for text in texts])
    return [float(cosine) for cosine in vectors @ _model.embed_query(question)]
