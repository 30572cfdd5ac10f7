"""Turning texts into vectors."""

from __future__ import annotations

import numpy as np
import pytest

from kbsite.llm.embedding import active_space, embedder
from kbsite.llm.models import EmbeddingSpace


@pytest.mark.django_db
def test_first_use_makes_the_built_in_space_once() -> None:
    """Asking twice gives the same row."""
    assert active_space() == active_space()
    assert EmbeddingSpace.objects.count() == 1


@pytest.mark.django_db
def test_vectors_have_unit_length_and_meaning_in_both_languages() -> None:
    """A question is nearer to its answer in the other language than to something else."""
    embed = embedder(active_space())
    query = embed.embed_query("报销差旅费需要哪些材料")
    near, far = embed.embed_passages(
        ["Travel expenses are refunded when you hand in receipts.", "The whale dives for an hour."]
    )
    assert query.dtype == np.float32
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-4)
    assert query @ near > query @ far
