"""The vector indexes of an embedding space: one small HNSW graph per level."""

from __future__ import annotations

from django.db import connection, transaction

from kbsite.llm.models import EmbeddingSpace
from skills.models import LayerVector

M = 24
EF_CONSTRUCTION = 128
MAKING_INDEXES = 0x5EED_4854
_ready: set[int] = set()


def index_name(space_id: int, level: int) -> str:
    """The name of a space's index for a level."""
    return f"vector_s{space_id}_l{level}"


def prepare(space: EmbeddingSpace) -> None:
    """Make the indexes of ``space`` that are missing. Cheap when they are there: asked once a process.

    Call it before the first vector is written: an index that grows costs writers nothing to wait
    for, one built later holds them up.
    """
    if space.pk in _ready:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MAKING_INDEXES])
        for level in LayerVector.Level.values:
            cursor.execute("SELECT to_regclass(%s)", [index_name(space.pk, level)])
            if cursor.fetchone()[0] is not None:
                continue
            cursor.execute(
                f"CREATE INDEX {index_name(space.pk, level)} ON skills_layervector "
                f"USING hnsw ((vector::halfvec({space.dimension:d})) halfvec_cosine_ops) "
                f"WITH (m = {M}, ef_construction = {EF_CONSTRUCTION}) "
                f"WHERE space_id = {space.pk:d} AND level = {level:d}"
            )
        transaction.on_commit(lambda: _ready.add(space.pk))


def drop(space: EmbeddingSpace) -> None:
    """Remove the indexes and vectors of a space that search no longer uses."""
    with transaction.atomic(), connection.cursor() as cursor:
        for level in LayerVector.Level.values:
            cursor.execute(f"DROP INDEX IF EXISTS {index_name(space.pk, level)}")
        LayerVector.objects.filter(space=space).delete()
    _ready.discard(space.pk)
