"""The legs by meaning: which plan PostgreSQL takes, and that filters never lose a neighbour."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from documents.models import Folder
from kbsite.llm.models import EmbeddingSpace
from skills import querysets, spaces
from skills.models import LayerVector, Skill

SKILLS = 300


@pytest.fixture
def space(db: None) -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(model="test", dimension=8)


@pytest.fixture
def vectors(space: EmbeddingSpace) -> NDArray[np.float32]:
    """300 skills with one abstract each, every fiftieth in a folder; shape (300, 8), unit length."""
    spaces.prepare(space)
    spaces.prepare(EmbeddingSpace.objects.create(model="other", dimension=4))
    made = np.random.default_rng(7).normal(size=(SKILLS, 8)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    folder = Folder.objects.create(name="Few")
    skills = Skill.objects.bulk_create(
        Skill(slug=f"s{n}", name=f"S{n}", status="approved", folder=None if n % 50 else folder)
        for n in range(SKILLS)
    )
    LayerVector.objects.bulk_create(
        LayerVector(space=space, skill=skill, level=0, vector=HalfVector(vector))
        for skill, vector in zip(skills, made, strict=True)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE skills_skill, skills_layervector")
        cursor.execute("SET LOCAL enable_seqscan = off")
    return made


def names(found: querysets.LayerVectorQuerySet) -> list[str]:
    return [row.skill.name for row in found.select_related("skill")]


def nearest(vectors: NDArray[np.float32], query: NDArray[np.float32], step: int = 1) -> list[str]:
    order = np.argsort(-(vectors[::step] @ query))
    return [f"S{n * step}" for n in order]


def test_the_index_serves_an_unfiltered_search(space: EmbeddingSpace, vectors: NDArray[np.float32]) -> None:
    found = LayerVector.objects.nearest_to(space, vectors[3], 0, 10)
    assert spaces.index_name(space.pk, 0) in found.explain()
    assert names(found) == nearest(vectors, vectors[3])[:10]
    assert found[0].distance == pytest.approx(0, abs=1e-3)


def test_the_index_serves_a_search_among_findable_skills(
    space: EmbeddingSpace, vectors: NDArray[np.float32]
) -> None:
    found = LayerVector.objects.nearest_to(
        space, vectors[3], 0, 10, skills=Skill.objects.findable(), exact=False
    )
    assert spaces.index_name(space.pk, 0) in found.explain()
    assert names(found) == nearest(vectors, vectors[3])[:10]


def test_a_narrow_filter_is_compared_one_by_one(space: EmbeddingSpace, vectors: NDArray[np.float32]) -> None:
    few = Skill.objects.findable().filter(folder__name="Few")
    found = LayerVector.objects.nearest_to(space, vectors[3], 0, 10, skills=few)
    assert spaces.index_name(space.pk, 0) not in found.explain()
    assert names(found) == nearest(vectors, vectors[3], 50)


def test_a_wide_filter_goes_through_the_index(
    space: EmbeddingSpace, vectors: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(querysets, "EXACT_ROWS", 100)
    found = LayerVector.objects.nearest_to(space, vectors[3], 0, 5, skills=Skill.objects.findable())
    assert spaces.index_name(space.pk, 0) in found.explain()


def test_levels_and_spaces_never_mix(space: EmbeddingSpace, vectors: NDArray[np.float32]) -> None:
    other = EmbeddingSpace.objects.get(model="other")
    assert names(LayerVector.objects.nearest_to(space, vectors[0], 1, 10)) == []
    assert names(LayerVector.objects.nearest_to(other, np.ones(4, np.float32), 0, 10)) == []


def test_a_retired_space_leaves_nothing_behind(space: EmbeddingSpace, vectors: NDArray[np.float32]) -> None:
    spaces.drop(space)
    assert not LayerVector.objects.filter(space=space).exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname LIKE %s", [f"vector_s{space.pk}_l%"])
        assert cursor.fetchone()[0] == 0
