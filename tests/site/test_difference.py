"""What is different between two texts, and how a page says so."""

from __future__ import annotations

import random
import time

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from kbsite.difference import Difference, Line, difference


def before_of(found: Difference) -> list[str]:
    return [line.text for line in found.lines if line.kind != "added"]


def after_of(found: Difference) -> list[str]:
    return [line.text for line in found.lines if line.kind != "removed"]


def words(line: Line) -> list[str]:
    """The words that are in one text only."""
    return [span.text for span in line.spans if span.kind != "same"]


def test_equal_texts_differ_in_nothing() -> None:
    assert not difference("a\nb", "a\nb")
    assert not difference("a\r\nb", "a\r\nb")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc", "a\nB\nc\nd"),
        ("", "one\ntwo"),
        ("one\ntwo", ""),
        ("\n\n\n", "\n"),
        ("The cat sat.\nA dog", "New top.\nThe cat slept.\nA dog\n"),
        ("e\u0301 👩‍👩‍👧 ‮abc", "e\u0301 👩‍👩‍👦 ‮abd"),
    ],
)
def test_its_lines_add_up_to_both_texts(old: str, new: str) -> None:
    found = difference(old, new)
    assert before_of(found) == old.split("\n")
    assert after_of(found) == new.split("\n")


def test_random_texts_add_up() -> None:
    chance = random.Random(7)  # noqa: S311 - a fixed sequence
    for _ in range(300):
        old, new = ("".join(chance.choice("ab \n住宿") for _ in range(chance.randrange(60))) for _ in "12")
        found = difference(old, new)
        if old != new:
            assert before_of(found) == old.split("\n")
            assert after_of(found) == new.split("\n")


def test_words_inside_a_line() -> None:
    removed, added = difference("The limit is 600 yuan a night.", "The limit is 800 yuan a night.").lines
    assert words(removed) == ["600"]
    assert words(added) == ["800"]


def test_chinese_by_character() -> None:
    removed, added = difference("一线城市每晚上限为六百元。", "一线城市每晚上限为八百元整。").lines
    assert words(removed) == ["六"]
    assert words(added) == ["八", "整"]


def test_a_line_of_which_nothing_stayed_is_no_patchwork() -> None:
    removed, added = difference("We meet at nine in the hall.", "Bring your own keys, please.").lines
    assert len(removed.spans) == len(added.spans) == 1


def test_a_line_that_moved_down_stands_beside_its_former_self() -> None:
    (hunk,) = difference("The cat sat on the mat.", "Entirely new.\nThe cat slept on the mat.").hunks
    assert [(row.before is None, row.after is None) for row in hunk.rows] == [(True, False), (False, False)]


def test_unchanged_stretches_are_folded() -> None:
    lines = [str(n) for n in range(100)]
    found = difference("\n".join(lines), "\n".join([*lines[:50], "x", *lines[51:]]))
    assert [hunk.count for hunk in found if hunk.folded] == [47, 46]
    assert found.added == found.removed == 1
    assert len(list(found.lines)) == 101


@pytest.mark.parametrize("kind", ["lines", "one line", "blank", "alternating"])
def test_five_megabytes_take_seconds_and_say_what_they_leave_out(kind: str) -> None:
    chance = random.Random(3)  # noqa: S311 - a fixed sequence
    old, new = {
        "lines": lambda: (
            "\n".join(f"{n} some words here" for n in range(220_000)),
            "\n".join(f"{n} other text there" for n in reversed(range(220_000))),
        ),
        "one line": lambda: tuple(
            " ".join(str(chance.randrange(30_000)) for _ in range(900_000)) for _ in "12"
        ),
        "blank": lambda: ("\n" * 5_000_000, "x\n" * 2_500_000),
        "alternating": lambda: ("a\nb\n" * 1_200_000, "b\na\nb\n" * 800_000),
    }[kind]()
    started = time.monotonic()
    found = difference(old, new)
    assert time.monotonic() - started < 20
    assert found.coarse or found.left_out
    assert sum(len(line.text) for line in found.lines) < 1_000_000


@pytest.mark.parametrize("side", [True, False])
def test_the_page_says_it_without_colour_and_without_running_what_it_shows(side: bool) -> None:
    found = difference("<script>a</script> one", "<script>a</script> two")
    with override("en"):
        html = render_to_string("components/difference.html", {"difference": found, "side": side})
    assert "<script>" not in html
    assert "<del>one</del>" in html and "<ins>two</ins>" in html
    assert "removed:" in html and "added:" in html


def test_a_long_unchanged_stretch_is_only_counted() -> None:
    lines = [f"line {n}" for n in range(5000)]
    found = difference("\n".join(lines), "\n".join([*lines, "end"]))
    with override("en"):
        html = render_to_string("components/difference.html", {"difference": found})
    assert "4997 unchanged lines" in html and "line 17<" not in html
