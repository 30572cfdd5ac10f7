"""The ONNX model on disk: built once under a lock, checked before it is used, built again if damaged."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils.translation import gettext as _

from kbsite.llm.e5 import graph, weights

log = logging.getLogger(__name__)


def ready(folder: Path) -> Path | None:
    """The whole and undamaged model in ``folder``, or None."""
    path = folder / _name()
    seal = _seal(path)
    try:
        size, digest = seal.read_text("ascii").split()
        whole = path.stat().st_size == int(size) and _digest(path) == digest
    except (OSError, ValueError):
        return None
    return path if whole else None


def ensure(folder: Path) -> Path:
    """The model in ``folder``, built now (seconds, under 1 GB of memory) unless it is there.

    Of several processes one builds and the others wait. Raises OSError when there is no room for it,
    or the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / "lock"):
        return ready(folder) or _build(folder)


def _build(folder: Path) -> Path:
    path = folder / _name()
    unfinished = path.with_suffix(".unfinished")
    report = _reporter()
    try:
        report(0.0)
        data = graph.model(weights.Weights(), report)
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _seal(path).write_text(f"{len(data)} {hashlib.sha256(data).hexdigest()}", "ascii")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    report(1.0)
    for old in folder.glob("e5-small-*"):
        if old not in (path, _seal(path)):
            old.unlink(missing_ok=True)
    return path


def _name() -> str:
    """The name tells the weights and the builder, so that a change of either makes another file."""
    digest = hashlib.sha256(f"{_digest(weights.PATH)} {graph.BUILDER_VERSION}".encode())
    return f"e5-small-{digest.hexdigest()[:16]}.onnx"


def _seal(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _reporter() -> Callable[[float], None]:
    """Shows how far it is: one line that grows on a terminal, a line at start and end in a log."""
    terminal = sys.stderr.isatty()

    def report(done: float) -> None:
        line = _("Preparing the embedding model … %(percent)d %%") % {"percent": round(100 * done)}
        if terminal:
            sys.stderr.write(f"\r{line}" + ("\n" if done >= 1 else ""))
            sys.stderr.flush()
        elif done in (0.0, 1.0):
            log.info("%s", line)

    return report
