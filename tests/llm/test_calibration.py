"""What chance looks like: a query's cosines to texts that have nothing to do with it."""

from __future__ import annotations

import numpy as np
import pytest

from kbsite.llm import cohort
from kbsite.llm.calibration import Calibration, calibrate
from kbsite.llm.embedders import BuiltInEmbedder
from kbsite.llm.embedding import active_space, embedder
from kbsite.llm.models import EmbeddingSpace


def test_score_starts_two_deviations_above_chance_and_has_no_ceiling() -> None:
    """max(0, (z - 2) / 3), for one cosine and for many."""
    calibration = Calibration(mean=0.8, deviation=0.02)
    assert calibration.score(0.8) == 0
    assert calibration.score(0.90) == pytest.approx(1.0)
    assert calibration.score(np.array([0.84, 0.96])) == pytest.approx([0.0, 2.0])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "answer", "other"),
    [
        (
            "年假可以累积到第二年吗",
            "员工当年未休的年假最多可结转五天，须在次年三月底前休完。",
            "河马白天大部分时间泡在水里，夜里才上岸吃草。",
        ),
        (
            "How do I replace the filter?",
            "Open the flap on the left, pull out the old filter and push in a new one.",
            "The treaty was signed in a railway carriage in the forest.",
        ),
    ],
)
def test_relevant_texts_stand_out_and_others_do_not(query: str, answer: str, other: str) -> None:
    """Also across languages, where cosines are lower throughout."""
    space = active_space()
    embed = embedder(space)
    vector = embed.embed_query(query)
    calibration = calibrate(space, vector)
    related, unrelated = calibration.z(embed.embed_passages([answer, other]) @ vector)
    assert related > 2.5
    assert unrelated < 2.0


@pytest.mark.django_db
def test_a_space_without_a_cohort_gets_one_when_it_is_first_needed() -> None:
    """A space made by an earlier version is not left without calibration."""
    space = active_space()
    EmbeddingSpace.objects.filter(pk=space.pk).update(cohort=None)
    vector = embedder(space).embed_query("hello")
    assert calibrate(space, vector).deviation > 0
    space.refresh_from_db()
    assert len(space.cohort or b"") == 256 * 384 * 4


def test_shipped_vectors_belong_to_the_shipped_texts() -> None:
    """256 texts, half of them Chinese, each with its vector."""
    texts = cohort.texts()
    assert len(texts) == len(set(texts)) == 256
    assert sum("\u4e00" <= text[0] <= "\u9fff" for text in texts) == 128
    vectors = cohort.built_in_vectors()
    assert vectors is not None
    assert vectors.shape == (256, 384)
    again = BuiltInEmbedder().embed_passages(texts[::40])
    assert (vectors[::40] * again).sum(axis=1).min() > 0.99
