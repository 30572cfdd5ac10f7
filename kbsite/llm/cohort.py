"""The cohort: 256 short neutral texts of our own, half Chinese, half English, which no question is
about. What a question scores on them tells what chance looks like in a space."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_FOLDER = Path(__file__).parent
TEXTS = _FOLDER / "cohort.txt"
BUILT_IN_VECTORS = _FOLDER / "cohort.npz"


@functools.cache
def texts() -> tuple[str, ...]:
    """The texts, in the order of their vectors."""
    return tuple(TEXTS.read_text("utf-8").splitlines())


def digest() -> str:
    """A fingerprint of the texts: vectors made of others don't count."""
    return hashlib.sha256("\n".join(texts()).encode()).hexdigest()


def built_in_vectors() -> NDArray[np.float32] | None:
    """The texts' vectors of the built-in model as they ship, float32, shape (texts, 384), rows of unit
    length; None when the texts have changed since."""
    with np.load(BUILT_IN_VECTORS) as kept:
        if str(kept["digest"]) != digest():
            return None
        vectors = kept["vectors"].astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def keep_built_in_vectors(vectors: NDArray[np.float32]) -> None:
    """Write the vectors of the built-in model beside the texts (after a change of the texts)."""
    np.savez(BUILT_IN_VECTORS, vectors=vectors.astype(np.float16), digest=np.array(digest()))
