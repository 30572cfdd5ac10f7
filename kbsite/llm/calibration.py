"""What a cosine is worth: how far it stands above what this query scores on unrelated texts.

E5 cosines of unrelated texts sit near .8 and differ from query to query; the z-score does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kbsite.llm.models import EmbeddingSpace
from kbsite.llm.spaces import cohort_vectors

UNRELATED = 2.0
SPREAD = 3.0
_NARROWEST = 1e-6


@dataclass(frozen=True)
class Calibration:
    """The mean and standard deviation of one query's cosines to the cohort."""

    mean: float
    deviation: float

    def z[T: (float, NDArray[np.floating])](self, cosine: T) -> T:
        """Standard deviations above chance: unrelated texts stay below about 1.8."""
        above: T = (cosine - self.mean) / self.deviation
        return above

    def score[T: (float, NDArray[np.floating])](self, cosine: T) -> T:
        """``max(0, (z - 2) / 3)``: 0 for the unrelated, about 1 for the relevant, not clipped above."""
        scaled = (self.z(cosine) - UNRELATED) / SPREAD
        clipped: T = np.maximum(scaled, 0.0) if isinstance(scaled, np.ndarray) else max(scaled, 0.0)
        return clipped


def calibrate(space: EmbeddingSpace, query_vector: NDArray[np.float32]) -> Calibration:
    """How ``query_vector`` (shape (dimension,), unit length) scores by chance in its space.

    Raises ValueError when the vector is of another dimension.
    """
    cosines = _cohort(space.pk) @ query_vector
    return Calibration(float(cosines.mean()), max(float(cosines.std()), _NARROWEST))


@lru_cache(maxsize=8)
def _cohort(space_id: int) -> NDArray[np.float32]:
    """A space's cohort never changes, so it is read once a process."""
    return cohort_vectors(EmbeddingSpace.objects.select_related("provider").get(pk=space_id))
