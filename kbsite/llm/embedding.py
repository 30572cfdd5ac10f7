"""The door to embeddings: ``embedder(active_space()).embed_passages([...])``."""

from __future__ import annotations

from kbsite.llm.embedders import Embedder, embedder
from kbsite.llm.spaces import active_space

__all__ = ["Embedder", "active_space", "embedder"]
