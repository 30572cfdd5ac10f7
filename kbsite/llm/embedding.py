"""The door to embeddings: ``embedder(active_space()).embed_passages([...])``."""

from __future__ import annotations

from django.db import connection

from kbsite.llm.e5.engines import engines
from kbsite.llm.e5.tokenizer import tokenizer
from kbsite.llm.embedders import Embedder, embedder
from kbsite.llm.spaces import active_space

__all__ = ["Embedder", "active_space", "embedder", "warm_up"]


def warm_up() -> None:
    """Load what the first search or upload would wait for; build the embedding model if it is missing.

    For a thread of its own at the start of a web process or a worker's child (never before a fork):
    seconds on the first start, less than one afterwards.
    """
    tokenizer()
    built_in = active_space().provider_id is None
    if not connection.in_atomic_block:
        connection.close()
    if built_in:
        engines().prepare().embed(["ready"], "query: ")
