"""Embedding spaces as rows: the active one, made on first use."""

from __future__ import annotations

from django.db import connection, transaction

from kbsite.llm.embedders import BUILT_IN_DIMENSION, BUILT_IN_MODEL
from kbsite.llm.models import EmbeddingSpace

_LOCK = 0x6B62_5350  # "kbSP"


def active_space() -> EmbeddingSpace:
    """The space that is searched and written; the built-in one is made on first use.

    Safe when many processes ask at once.
    """
    return _active() or _make_built_in()


def _active() -> EmbeddingSpace | None:
    spaces = EmbeddingSpace.objects.select_related("provider").defer("cohort")
    return spaces.filter(state=EmbeddingSpace.State.ACTIVE).first()


def _make_built_in() -> EmbeddingSpace:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        return _active() or EmbeddingSpace.objects.create(
            model=BUILT_IN_MODEL, dimension=BUILT_IN_DIMENSION, state=EmbeddingSpace.State.ACTIVE
        )
