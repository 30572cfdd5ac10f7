"""What is understood of a pasted text: its title, its tags, its body."""

from __future__ import annotations

import pytest

from skills.note import as_markdown, understood

# pasted text → title, tags, content
PASTED: dict[str, tuple[str, str, list[str], str]] = {
    "the seed's form": (
        "# 笔记标题\ntags: python, async, 备忘\n\n正文内容\n",
        "笔记标题",
        ["python", "async", "备忘"],
        "正文内容\n",
    ),
    "a blank line between": ("# T\n\ntags: a, b\n\nx", "T", ["a", "b"], "x\n"),
    "tags first": ("标签：a，b、c；d\n\n# T\n\nx", "T", ["a", "b", "c", "d"], "x\n"),
    "tags right above the title": ("Tag: a\n# T\nx", "T", ["a"], "x\n"),
    "with hashes": ("# T\nTags: #a #b/c\n\nx", "T", ["a", "b/c"], "x\n"),
    "hashes and commas": ("# T\nTAGS: #a, b c\n\nx", "T", ["a", "b c"], "x\n"),
    "in brackets": ("# T\ntags: [a, b]\n\nx", "T", ["a", "b"], "x\n"),
    "quoted": ('# T\ntags: "a, b", c\n\nx', "T", ["a, b", "c"], "x\n"),
    "bold label": ("# T\n**Tags:** a, b\n\nx", "T", ["a", "b"], "x\n"),
    "at the end": ("# T\n\nx\n\ntags: a, b\n\n", "T", ["a", "b"], "x\n"),
    "traditional": ("# T\n標籤：甲，乙\n\nx", "T", ["甲", "乙"], "x\n"),
    "an empty line of tags": ("# T\ntags:\n\nx", "T", [], "x\n"),
    "twice the same": ("# T\ntags: A, a, B\n\nx", "T", ["A", "B"], "x\n"),
    "windows": ("\ufeff# T\r\ntags: a\r\n\r\nx\r\ny\r\n", "T", ["a"], "x\ny\n"),
    "setext": ("标题\n====\ntags: a\n\nx", "标题", ["a"], "x\n"),
    "setext with dashes": ("T\n---\n\nx", "T", [], "x\n"),
    "bold": ("**T**\n\nx", "T", [], "x\n"),
    "closing hashes": ("# T ##\n\nx", "T", [], "x\n"),
    "markup in the title": ("# **A** `b` [c](http://d)\n\nx", "A b c", [], "x\n"),
    "a number in the title": ("# 1. Setup\n\nx", "1. Setup", [], "x\n"),
    "C#": ("# C#\n\nx", "C#", [], "x\n"),
    "no title": ("先看这里。然后再说。\n第二行", "先看这里", [], "先看这里。然后再说。\n第二行\n"),
    "no title, a list": ("- milk\n- eggs", "milk", [], "- milk\n- eggs\n"),
    "a rule first": ("---\n\nWords here", "Words here", [], "---\n\nWords here\n"),
    "a section": ("## A\n\nx\n\n## B\n\ny", "A", [], "## A\n\nx\n\n## B\n\ny\n"),
    "a lone section": ("## A\n\nx", "A", [], "x\n"),
    "a title alone": ("# T", "T", [], "# T\n"),
    "front matter": ("---\ntitle: Demo\ntags: [a, 2]\n---\n# Demo\n\nx", "Demo", ["a", "2"], "x\n"),
    "front matter, words": ("---\ntags: a, b\n---\n\n# T\n\nx", "T", ["a", "b"], "x\n"),
    "front matter with more": (
        "---\ntitle: D\ndate: 2026-01-02\n---\nx",
        "D",
        [],
        "---\ntitle: D\ndate: 2026-01-02\n---\nx\n",
    ),
    "indented code stays": ("# T\n\n    code\n", "T", [], "    code\n"),
    "text right below": (
        "# 年假\n标签：制度，人事\n每年 10 天。",
        "年假",
        ["制度", "人事"],
        "每年 10 天。\n",
    ),
    # No tags:
    "a sentence": ("# T\n\nTags: are words. They help.\n\nx", "T", [], "Tags: are words. They help.\n\nx\n"),
    "part of a paragraph": ("# T\n\ntags: a\nand on it goes", "T", [], "tags: a\nand on it goes\n"),
    "in the middle": ("# T\n\nx\n\ntags: a\n\ny", "T", [], "x\n\ntags: a\n\ny\n"),
    "in a fence": ("# T\n\n```\ntags: a\n```", "T", [], "```\ntags: a\n```\n"),
    "in an open fence": ("# T\n\n~~~yaml\n\ntags: a", "T", [], "~~~yaml\n\ntags: a\n"),
    "after a longer fence": ("# T\n\n````\n```\n````\n\ntags: a", "T", ["a"], "````\n```\n````\n"),
    "indented as code": ("# T\n\nx\n\n    tags: a", "T", [], "x\n\n    tags: a\n"),
    "quoted block": ("# T\n\n> tags: a\n\nx", "T", [], "> tags: a\n\nx\n"),
    "a long one": ("# T\n\ntags: " + "长" * 61 + "\n\nx", "T", [], "tags: " + "长" * 61 + "\n\nx\n"),
    "another word": ("# T\nstags: a\n\nx", "T", [], "stags: a\n\nx\n"),
}


@pytest.mark.parametrize("name", PASTED)
def test_what_is_understood(name: str) -> None:
    """Title, tags and body."""
    text, title, tags, content = PASTED[name]
    note = understood(text)
    assert (note.title, note.tags, note.content) == (title, tags, content)


@pytest.mark.parametrize("name", PASTED)
def test_every_note_goes_out_and_in(name: str) -> None:
    """As one text, from which the same note is made."""
    note = understood(PASTED[name][0])
    assert understood(as_markdown(note.title, note.tags, note.content)) == note


@pytest.mark.parametrize(
    "heading",
    [
        "# 部署流程 A",
        "## 部署流程 a",
        "部署流程 A\n===",
        "**部署流程 A**",
        "__部署流程 A__",
        "# **部署流程 A**",
        "# 部署流程 Ａ：",
        "#  部署流程   A。",
        "# 部署流程 A!",
        "###### 部署流程 A ######",
    ],
)
def test_a_heading_that_says_the_title_again_is_dropped(heading: str) -> None:
    """Whatever its form, width, case or last mark."""
    for between in ("\n\n", "\n\ntags: a\n\n"):
        note = understood(f"{heading}{between}正文", title="部署流程 A", tags=["z"])
        assert (note.title, note.content) == ("部署流程 A", "正文\n")
        assert note.tags == (["z", "a"] if "tags" in between else ["z"])


@pytest.mark.parametrize(
    "heading", ["# Other", "# 部署流程 A 与 B", "部署流程 A", "- 部署流程 A", "`部署流程 A`"]
)
def test_what_says_something_else_stays(heading: str) -> None:
    """Another heading, or the words in running text."""
    assert understood(f"{heading}\n\n正文", title="部署流程 A").content == f"{heading}\n\n正文\n"


@pytest.mark.parametrize("text", ["", " \n\t", "#", "# ", "tags:", "---\n---", "\x00", "```", "\u200f"])
def test_nothing_is_nothing(text: str) -> None:
    """No title and no failure."""
    assert understood(text).title.strip("\u200f") in ("", "tags:")


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "a: &a [*a]\n" * 10 + "---\nx",
        "---\na: &x [1]\nb: [*x, *x]\n---\nx",
        "---\ntitle: [a, {b: c}]\ntags: {a: 1}\n---\nx",
        "---\n- a\n- b\n---\nx",
        "---\n: : [\n---\nx",
        "# " + "[" * 5_000,
        "tags: " + "a, " * 100_000,
        ("#" * 6 + " " * 900 + "x\n") * 2_000,
        "x\n\ntags:" + " " * 100_000,
        "# T\n" + "```\n" * 100_001 + "\ntags: a",
        "\ud800 lone",
    ],
    ids=range(11),
)
def test_hostile_texts_are_kept(text: str) -> None:
    """Never a failure, never long; what is not understood is content."""
    assert understood(text).content


def test_a_long_first_line_is_cut_for_the_title_and_kept_in_the_text() -> None:
    """Nothing is lost."""
    long = "标题" * 80
    note = understood(f"# {long}\n\nx")
    assert (len(note.title), note.title[-1], note.content) == (100, "…", f"# {long}\n\nx\n")
