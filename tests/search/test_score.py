"""The formulas: the seeds' worked table, hotness, and what each mode adds up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from search import score

NOW = datetime(2026, 11, 30, tzinfo=UTC)

# name, L0, L1, HOTNESS, SEMANTIC, FINAL: the seeds' table (its fourth FINAL is a misprint: .360)
WORKED = [
    ("React Hooks", 0.85, 0.90, 0.50, 0.875, 0.800),
    ("React Router", 0.72, 0.70, 0.30, 0.710, 0.628),
    ("Vue Hooks", 0.68, 0.65, 0.20, 0.665, 0.572),
    ("FastAPI Hooks", 0.45, 0.40, 0.10, 0.425, 0.360),
]


@pytest.mark.parametrize(("name", "l0", "l1", "hot", "semantic", "final"), WORKED)
def test_the_worked_table(name: str, l0: float, l1: float, hot: float, semantic: float, final: float) -> None:
    assert score.layered_semantic(l0, l1) == pytest.approx(semantic)
    assert score.final(semantic, hot) == pytest.approx(final)


def test_few_candidates_need_no_second_look() -> None:
    assert not score.needs_overview(candidates=4, limit=4)
    assert score.needs_overview(candidates=5, limit=4)
    assert score.layered_semantic(0.8, None) == 0.8
    assert score.layered_semantic(0.8, 0.2) == 0.5


@pytest.mark.parametrize(
    ("uses", "days", "hot"),
    [(0, 0, 0.5), (1, 0, 2 / 3), (9, 0, 10 / 11), (0, 7, 0.25), (9, 14, 10 / 44), (0, -3, 0.5)],
)
def test_hotness_grows_with_use_and_halves_every_week(uses: int, days: int, hot: float) -> None:
    """sigmoid(ln(1 + n)) is (1 + n)/(2 + n)."""
    assert score.hotness(uses, NOW - timedelta(days=days), NOW) == pytest.approx(hot)


def test_calibrated_scores_begin_where_noise_ends() -> None:
    assert [score.calibrated(z) for z in (2, 5, 8)] == [0, 1, 2]
    assert score.calibrated(0) < 0


def test_words_are_worth_1_when_each_occurs_once() -> None:
    average = 1 / (1 + 1.2)
    assert score.words_value(10 * average, 10, 1.2) == pytest.approx(1)
    assert score.words_value(3, 0, 1.2) == 0


def test_shown_scores_stay_between_0_and_1() -> None:
    assert [score.clipped(value) for value in (-1, 0.5, 3)] == [0, 0.5, 1]
