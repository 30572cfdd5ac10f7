"""A long text, shown part by part."""

from __future__ import annotations

from typing import Any

import pytest

from kbsite.markdown import render
from skills import parts
from skills.checks import sizes_make_sense
from skills.parts import headings, part_at


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 200)
    monkeypatch.setattr(parts, "ALL_AT_ONCE", 300)


LONG = {
    "chapters": "".join(f"# C{n}\n\n" + "Some words. " * 12 + "\n\n" for n in range(20)),
    "one paragraph": "Some words without a blank line. " * 200,
    "no spaces": "x" * 5_000,
    "a table": "| a | b |\n|---|---|\n" + "".join(f"| {n} | row {n} |\n" for n in range(300)),
    "a listing": "```python\n" + "".join(f"# line {n}\n" for n in range(400)) + "```\n",
}


@pytest.mark.parametrize("name", LONG)
def test_parts_follow_each_other_without_a_gap(name: str) -> None:
    """Whatever the text is made of, no part is much longer than the rest."""
    content = LONG[name]
    found = parts.parts(content)
    assert len(found) > 3
    assert [part.number for part in found] == list(range(1, len(found) + 1))
    assert "".join(content[part.start : part.end] for part in found) == content
    assert max(part.end - part.start for part in found) <= 3 * parts.PART
    assert part_at(found, len(content)) == found[-1]
    assert part_at(found, found[1].start) == found[1]


def test_a_table_and_a_listing_go_on_as_what_they_were() -> None:
    """The head comes again; comments do not become headings."""
    for name, tag in (("a table", "<thead>"), ("a listing", "<pre")):
        for part in parts.parts(LONG[name]):
            html = str(render(part.text(LONG[name])))
            assert tag in html
            assert "<h3" not in html


def test_parts_of_a_book_are_named_after_their_chapters() -> None:
    """By the first heading in each."""
    assert [part.title for part in parts.parts(LONG["chapters"])][:2] == ["C0", "C1"]


def test_outline_and_page_agree_on_anchors() -> None:
    """Also where two headings have the same words, and where code looks like one."""
    text = "# A\n\n## 同名\n\n```\n# no\n```\n\n## 同名\n\ntext\n"
    found = headings(text, "l2-")
    html = str(render(text, heading_prefix="l2-"))
    assert [heading.text for heading in found] == ["A", "同名", "同名"]
    assert all(f'id="{heading.id}"' in html for heading in found)
    assert len({heading.id for heading in found}) == 3


def test_sizes_that_make_no_sense_stop_the_start(settings: Any) -> None:
    """B22: zero, negative, and more than the embedder reads."""
    assert sizes_make_sense() == []
    for value in (0, -1, 5_000):
        settings.KB_PASSAGE_TOKENS = value
        [error] = sizes_make_sense()
        assert "20 to 400" in str(error.hint)
