"""Which stretch of a passage an answer took."""

from __future__ import annotations

import pytest

from chat.citations import cited, complete, tidy
from chat.marking import best_span
from chat.passages import around

RULES = "第十条 城市间交通费按等级标准报销。第十一条 纸质车票遗失的，不影响报销。第十二条 出租车凭发票报销。"
ROWS = "| City | Limit |\n| --- | --- |\n| Beijing | 550 yuan |\n| Elsewhere | 320 yuan |"
TABLE = f"Costs:\n\n{ROWS}\n\nMore is paid by oneself.\n"


@pytest.mark.parametrize(
    ("passage", "answer", "marked"),
    [
        (
            RULES,
            "丢了不影响报销，纸质车票遗失的也一样 [1]。出租车凭发票 [2]。",
            "第十一条 纸质车票遗失的，不影响报销。",
        ),
        (TABLE, f"{ROWS}\n\n[1]", None),
        (TABLE, "Whatever is more is paid by oneself. [1]", "More is paid by oneself."),
    ],
)
def test_the_sentence_that_was_used(passage: str, answer: str, marked: str | None) -> None:
    """The sentence that fits what is said with the number; a whole table when the table was quoted."""
    span = best_span(passage, answer, 1)
    assert span is not None
    found = passage[slice(*span)].strip()
    if marked is None:
        assert "Beijing" in found
        assert "Elsewhere" in found
        assert "oneself" not in found
    else:
        assert found == marked


def test_nothing_fits() -> None:
    """In another language, or without the number, no sentence is picked."""
    assert best_span(RULES, "A lost paper ticket does not matter. [1]", 1) is None
    assert best_span(RULES, "纸质车票遗失的，不影响报销。", 1) is None


def test_around_keeps_blocks_whole() -> None:
    """What stands around a passage is whole paragraphs, and nothing at the edges of the text."""
    content = "\n\n".join(f"Paragraph {n} " + "x" * 80 for n in range(12))
    start = content.index("Paragraph 6")
    end = content.index("\n\nParagraph 7")
    above, below = around(content, start, end, length=200)
    assert above.startswith("Paragraph ")
    assert above.endswith("x")
    assert below.startswith("Paragraph 7")
    assert around("All of it", 0, 9) == ("", "")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1] b [2, 3] c [5-7] d 【8】 ［9］", [1, 2, 3, 5, 6, 7, 8, 9]),
        ("[1](x) `[2]` [2024] [^3]", []),
        ("```\n[1]\n```\n[2]", [2]),
        ("~~~\n[1]", []),
        ("【3†source】", [3]),
    ],
)
def test_numbers_are_found(text: str, numbers: list[int]) -> None:
    """All forms that models write, outside code."""
    assert cited(text) == numbers


def test_tidy_and_complete() -> None:
    """Unknown numbers go with the space before them; a number that has only begun is not shown yet."""
    assert tidy("Yes [1], no [2] and 【3】.", {1, 3}) == "Yes [1], no and [3]."
    assert complete("Yes [1") == "Yes "
    assert complete("Yes [1]") == "Yes [1]"
    assert complete("A list [") == "A list "
