"""Cutting a text into passages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbsite.exceptions import InvalidInput
from kbsite.llm import tokens
from skills.passages import PassageDraft, cut, windows

FENCE = "```python\n" + "".join(f"# not a heading {n}\nvalue_{n} = {n}\n" for n in range(60)) + "```"
TABLE = "| 城市 | limit |\n|---|---|\n" + "".join(f"| 城市{n} | {n * 100} |\n" for n in range(40))


def checked(content: str, limit: int = 300) -> list[PassageDraft]:
    """The passages, after the promises that hold for every text were checked."""
    drafts = cut(content, (), limit)
    last = 0
    for draft in drafts:
        assert content[draft.start : draft.end] == draft.text
        assert draft.text.strip()
        assert draft.start >= last
        assert not content[last : draft.start].strip()
        assert draft.tokens <= limit
        last = draft.end
    assert not content[last:].strip()
    return drafts


PIECES = [
    *(
        "# Title\n",
        "## 第二节\n",
        "Words in a line. And more.\n",
        "规定如下：先申请，再出差。\n",
        "\n",
        "\n\n",
        "   \n",
    ),
    *(
        "```\ncode # no\n```\n",
        "~~~~md\n```\ninner\n```\n~~~~\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "- item\n",
    ),
    *(
        "1. one\n   more\n",
        "> quote\n",
        "Setext\n===\n",
        "    indented\n",
        "```unclosed\n",
        "x" * 40 + "\n",
        "---\n",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from([5, 17, 60, 300]))
@settings(max_examples=150, deadline=None)
def test_every_word_is_in_exactly_one_passage(pieces: list[str], limit: int) -> None:
    """Offsets are exact, nothing overlaps, nothing is lost, whatever the Markdown."""
    checked("".join(pieces), limit)


@given(st.text(max_size=400), st.sampled_from([1, 3, 40]))
@settings(max_examples=150, deadline=None)
def test_any_text_at_all_can_be_cut(text: str, limit: int) -> None:
    """Strange characters change nothing about the offsets."""
    last = 0
    for draft in cut(text, (), limit):
        assert text[draft.start : draft.end] == draft.text
        assert not text[last : draft.start].strip()
        last = draft.end
    assert not text[last:].strip()


def test_headings_inside_a_fence_are_not_headings() -> None:
    """B24: a comment in code starts no section, and a fence inside a longer fence closes nothing."""
    content = "# Guide\n\n" + "````md\n```sh\n# install\n```\n# still code\n````\n\n## Next\n\nText.\n"
    drafts = checked(content)
    assert [draft.heading_path for draft in drafts] == [["Guide"], ["Guide", "Next"]]
    assert "# still code" in drafts[0].text


def test_a_fence_or_table_that_fits_stays_whole() -> None:
    """It moves to the next passage rather than being split."""
    table = TABLE[:400].rsplit("\n", 1)[0]
    drafts = checked("Words. " * 80 + "\n\n" + table + "\n\nAfter.\n")
    assert [draft for draft in drafts if table in draft.text]


@pytest.mark.parametrize(
    ("block", "head"), [(FENCE, "```python\n"), (TABLE, "| 城市 | limit |\n|---|---|\n")]
)
def test_a_long_fence_or_table_is_split_at_lines_with_its_head_repeated(block: str, head: str) -> None:
    """B24: what follows the first part can be read alone, and its offsets stay honest."""
    drafts = checked(f"# Title\n\n{block}\n", 120)
    assert len(drafts) > 2
    assert drafts[0].prefix == ""
    assert drafts[0].text.startswith("# Title")
    assert {draft.prefix for draft in drafts[1:]} == {head}
    assert all(draft.text.splitlines()[0] in block.splitlines() for draft in drafts[1:])


@pytest.mark.parametrize(
    "sentence", ["The quick brown fox jumps over the lazy dog. ", "住宿按城市分三档执行，超出部分自理。"]
)
def test_a_giant_paragraph_is_cut_at_sentence_ends(sentence: str) -> None:
    """B23: 60,000 words without a blank line; every passage within the limit, whole sentences."""
    drafts = checked("# One heading\n\n" + sentence * 6_700)
    assert all(draft.text.endswith((".", "。")) for draft in drafts)
    assert all(draft.heading_path == ["One heading"] for draft in drafts)


def test_without_any_sentence_end_it_is_cut_all_the_same() -> None:
    """A base64 blob or a wall of letters is cut between tokens."""
    assert len(checked("abcdef" * 5_000)) > 5


def test_small_paragraphs_under_one_heading_share_a_passage() -> None:
    """They are packed up to the limit, and a new heading begins a new passage."""
    drafts = checked("# A\n\nOne.\n\nTwo.\n\n- three\n- four\n\n# B\n\nFive.\n")
    assert [draft.text for draft in drafts] == ["# A\n\nOne.\n\nTwo.\n\n- three\n- four", "# B\n\nFive."]


def test_a_heading_stays_with_what_is_under_it() -> None:
    """A heading with nothing of its own makes no passage of its own."""
    drafts = checked("# A\n\n## B\n\n### C\n\nText.\n\n## D\n\nMore.\n")
    assert [draft.heading_path for draft in drafts] == [["A", "B", "C"], ["A", "D"]]


def test_pages_are_those_the_passages_start_on() -> None:
    """Page numbers count from 1."""
    content = "# One\n\nFirst page.\n\n# Two\n\nSecond page.\n"
    drafts = cut(content, [0, content.index("# Two")])
    assert [draft.page for draft in drafts] == [1, 2]
    assert [draft.page for draft in cut(content)] == [None, None]


@pytest.mark.parametrize("limit", [0, -200])
def test_a_size_that_makes_no_sense_is_refused(limit: int) -> None:
    """B22: no endless loop."""
    with pytest.raises(InvalidInput):
        cut("text", (), limit)


def test_windows_of_an_overview_run_across_headings() -> None:
    """As few as the limit allows."""
    overview = "\n\n".join(f"## Part {n}\n\nSome words about part {n}." for n in range(60))
    found = windows(overview, 200)
    assert len(found) <= tokens.count(overview) // 120
    assert max(map(tokens.count, found)) <= 200


def test_five_megabytes_take_seconds() -> None:
    """Linear in the text: ten times the text, about ten times the time."""
    block = (
        "# 标题\n\n"
        + "规定员工境内出差的标准。" * 40
        + "\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    )
    small, large = block * 100, block * 1_000

    def seconds(content: str) -> float:
        start = time.perf_counter()
        cut(content)
        return time.perf_counter() - start

    seconds(small)
    assert seconds(large) < 25 * max(seconds(small), 0.02)


def test_front_matter_is_no_heading() -> None:
    """The fields at the top are found by their words, and name no passage below them."""
    paths = [draft.heading_path for draft in checked("---\ntitle: Demo\na: b\n---\n# Travel\n\nT.\n")]
    assert paths[-1] == ["Travel"]
    assert all("title" not in name for path in paths for name in path)
