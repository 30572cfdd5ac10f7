"""Embedding spaces as rows: the active one, made on first use."""

from __future__ import annotations

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from kbsite.llm import cohort
from kbsite.llm.embedders import BUILT_IN_DIMENSION, BUILT_IN_MODEL, embedder
from kbsite.llm.models import EmbeddingSpace

_LOCK = 0x6B62_5350  # "kbSP"


def active_space() -> EmbeddingSpace:
    """The space that is searched and written; the built-in one is made on first use.

    Safe when many processes ask at once. One query, so that a switch is seen at once everywhere.
    """
    return _active() or _make_built_in()


def _active() -> EmbeddingSpace | None:
    spaces = EmbeddingSpace.objects.select_related("provider").defer("cohort")
    return spaces.filter(state=EmbeddingSpace.State.ACTIVE).first()


def _make_built_in() -> EmbeddingSpace:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        made = _active()
        if made is None:
            made = EmbeddingSpace.objects.create(
                model=BUILT_IN_MODEL, dimension=BUILT_IN_DIMENSION, state=EmbeddingSpace.State.ACTIVE
            )
            cohort_vectors(made)
        return made


def cohort_vectors(space: EmbeddingSpace) -> NDArray[np.float32]:
    """The space's embedded cohort, shape (texts, dimension); made and kept when it isn't there yet.

    Raises ModelUnavailable when it has to be made and the embedder doesn't answer.
    """
    if not space.cohort:
        vectors = _embed_cohort(space)
        space.cohort = vectors.astype("<f4").tobytes()
        space.save(update_fields=["cohort"])
    return np.frombuffer(bytes(space.cohort), "<f4").reshape(-1, space.dimension)


def _embed_cohort(space: EmbeddingSpace) -> NDArray[np.float32]:
    shipped = cohort.built_in_vectors() if space.provider_id is None else None
    return embedder(space).embed_passages(cohort.texts()) if shipped is None else shipped
