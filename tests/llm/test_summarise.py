"""Abstract and overview from the text itself: readable, in its language, never longer, never slow."""

from __future__ import annotations

import time

import pytest

from kbsite.llm.offline import summarise
from kbsite.llm.offline.blocks import blocks
from kbsite.llm.offline.sentences import sentences, size

HANDBOOK = """---
title: 员工手册
tags: [人事]
---
# 员工手册

目录
第一章 休假 ........ 3
第二章 报销 ........ 9

第 1 页 / 共 20 页

## 第一章 休假

员工每年享有 15 天带薪年假。年假应在系统中提前三天申请，由直属主管审批。
未休完的年假可以顺延到次年三月底；逾期作废。

试用期员工按实际工作月数折算年假。病假须提供医院证明。病假期间工资按八成发放。婚假为 10 天。

![图](http://example.com/a.png)

## 第二章 报销

差旅费用凭票据实报销。一线城市住宿标准为每晚不超过 600 元，其他城市每晚不超过 400 元。

| 城市 | 标准 |
|---|---|
| 北京 | 600 |
| 成都 | 400 |

```python
print("不是摘要")
```

报销单应在出差结束后 30 天内提交。逾期提交的报销单需要部门负责人说明原因。

票据遗失的，应提供付款记录和情况说明。招待费应事先审批，并注明客户名称、事由和参加人数。
市内交通费按月汇总报销，每月不超过 800 元。通讯补贴随工资发放，不再另行报销。

## 第三章 附则

本手册自发布之日起施行，由人力资源部负责解释。
"""

ENGLISH = """# Release guide

This guide explains how the team releases the service to production every second week.

## Before the release

Create a release branch from main. Run the full test suite on the release branch, e.g. with `make test`.
Dr. Jones reviews every change above 3.5 percent of the code. However, small changes need one reviewer only.

## The release

Tag the release branch with the next version. The pipeline builds the release images and deploys them to
staging first. When staging has been healthy for an hour, the pipeline deploys the release to production.

## After the release

Watch the error rate for thirty minutes. Roll the release back with one command if the error rate doubles.
Write down in the release notes what went wrong and what the team learned from it.
""" + "\n".join(f"The release number {n} went out without trouble on a calm day." for n in range(60))


class TestAbstract:
    def test_it_is_about_a_hundred_tokens_in_whole_sentences(self) -> None:
        for text in (HANDBOOK, ENGLISH):
            abstract = summarise(text).abstract
            assert 20 <= size(abstract) <= 125
            assert abstract[-1] in "。.!"

    def test_it_leaves_furniture_out(self) -> None:
        said = summarise(HANDBOOK).abstract + summarise(HANDBOOK).overview
        for furniture in ("....", "tags:", "页", "print(", "http://", "目录"):
            assert furniture not in said

    def test_it_begins_with_the_lead(self) -> None:
        assert summarise(HANDBOOK).abstract.startswith("员工每年享有 15 天带薪年假。")
        assert summarise(ENGLISH).abstract.startswith("This guide explains how the team releases")

    def test_it_keeps_the_order_of_the_text(self) -> None:
        places = [HANDBOOK.find(s) for s in sentences(summarise(HANDBOOK).abstract)]
        assert places == sorted(places)
        assert -1 not in places


class TestOverview:
    def test_it_follows_the_headings(self) -> None:
        overview = summarise(HANDBOOK * 1).overview
        places = [overview.index(f"## {name}") for name in ("第一章 休假", "第二章 报销", "第三章 附则")]
        assert places == sorted(places)
        assert "一线城市住宿标准" in overview

    def test_it_is_shorter_than_the_text_and_than_two_thousand_tokens(self) -> None:
        for text in (HANDBOOK, ENGLISH, ENGLISH * 40, HANDBOOK * 80):
            overview = summarise(text).overview
            assert len(overview) <= len(text)
            assert size(overview) <= 2000

    def test_a_table_shows_what_its_rows_are_about(self) -> None:
        text = (
            "# 城市\n\n## 标准\n\n| 城市 | 标准 |\n|---|---|\n| 北京 | 600 |\n| 成都 | 400 |\n\n## 其他\n\n"
            + "说明文字很长。" * 200
        )
        assert "北京、成都" in summarise(text).overview

    def test_without_headings_it_goes_by_paragraphs(self) -> None:
        text = "\n\n".join(
            f"Topic {n} is about subject {n}. Subject {n} matters to many people for reason {n}. "
            f"More words about subject {n} follow here, and they go on for a while without saying much."
            for n in range(40)
        )
        overview = summarise(text).overview
        assert "#" not in overview
        assert overview.count("\n\n") >= 5

    def test_five_hundred_headings_still_fit(self) -> None:
        text = "\n\n".join(
            f"# Heading {n}\n\nSentence number {n} says something about it." for n in range(500)
        )
        assert size(summarise(text).overview) <= 2000


@pytest.mark.parametrize(
    "text",
    [
        "你好。",
        "Hello",
        "只有一行没有标点",
        "合同编号：甲-2024-017",
        "- a\n- b",
        "| a |\n|---|\n| b |",
        "```\nx = 1\n```",
        "# Title",
    ],
)
def test_a_tiny_text_is_its_own_overview(text: str) -> None:
    layers = summarise(text)
    assert layers.overview == text
    assert layers.abstract
    assert layers.by == "offline"


def test_nothing_comes_of_nothing() -> None:
    assert summarise(" \n\n ") == summarise("")
    assert summarise("").abstract == ""


def test_mixed_languages_keep_their_own() -> None:
    text = "部署使用 Kubernetes 集群。 The cluster runs in two regions. 每个区域有三个节点。"
    assert summarise(text).abstract == text


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "cut"),
        [
            ("第一句。第二句！第三句？", ["第一句。", "第二句！", "第三句？"]),
            ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
            ("Dr. Smith paid 3.5 dollars. He left.", ["Dr. Smith paid 3.5 dollars.", "He left."]),
            ("See e.g. the U.S. rules. Then stop!", ["See e.g. the U.S. rules.", "Then stop!"]),
            ("版本 v1.2.3 已发布。见 example.com 。", ["版本 v1.2.3 已发布。", "见 example.com 。"]),
            ("真的吗?是的!好", ["真的吗?", "是的!", "好"]),
            ("Wait... What?", ["Wait...", "What?"]),
            ("no end", ["no end"]),
            ("", []),
        ],
    )
    def test_they_end_where_a_reader_ends_them(self, text: str, cut: list[str]) -> None:
        assert sentences(text) == cut

    def test_only_a_long_one_is_cut_at_semicolons(self) -> None:
        assert len(sentences("甲方付款；乙方发货。")) == 1
        assert len(sentences("甲方应当按照合同约定的时间和方式付款；" * 6)) == 6


class TestBlocks:
    def test_a_fence_is_one_block_whatever_is_in_it(self) -> None:
        text = "````md\n# not a heading\n```\ninner\n```\n````\n\nAfter."
        assert [b.kind for b in blocks(text)] == ["code", "prose"]

    def test_wrapped_lines_are_one_sentence_and_short_ones_stay_lines(self) -> None:
        wrapped = "这是一个很长的句子它在第一行没有结束而是\n继续到了第二行才结束。"
        assert blocks(wrapped)[0].text == "这是一个很长的句子它在第一行没有结束而是继续到了第二行才结束。"
        assert blocks("Name: x\nTown: y")[0].text == "Name: x\nTown: y"

    def test_a_rule_in_the_middle_is_no_front_matter(self) -> None:
        assert [b.text for b in blocks("Before.\n\n---\n\nAfter.")] == ["Before.", "After."]
        assert [b.text for b in blocks("---\nbroken front matter\n\nText.")][-1] == "Text."


@pytest.mark.parametrize(
    "text",
    [
        "word " * 200_000,
        "字" * 500_000,
        "[" * 300_000,
        "[a](" * 100_000,
        "**a " * 200_000,
        "." * 500_000,
        "<div " * 100_000,
        "|a|b|\n" * 100_000,
        "`" * 300_000,
        "_a " * 200_000,
        "![" * 150_000,
        "a.b " * 200_000,
        "<!--" * 100_000,
        "$$ a\n" * 100_000,
    ],
    ids=lambda text: text[:4],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    began = time.monotonic()
    layers = summarise(text)
    assert time.monotonic() - began < 10
    assert size(layers.overview) <= 2000
    assert size(layers.abstract) <= 210


def test_a_formula_by_itself_is_no_sentence() -> None:
    """It would stand in an overview as its marks and bits; money and a lone $$ stay words."""
    text = (
        "复杂度如下。\n\n$$\nT(n) = 2T(n/2)\n+ n\n$$\n\n$$x^2$$\n\n因此很快。\n$$ 价格另计。\n\n费用为 $$ 5。"
    )
    assert [block.text for block in blocks(text)] == [
        "复杂度如下。",
        "因此很快。",
        "$$ 价格另计。",
        "费用为 $$ 5。",
    ]
    assert blocks("$$\n" * 2 + "a") == blocks("a")
    assert (
        "$$"
        not in summarise(
            "# 公式\n\n复杂度约为以下数值，由归并得出。\n\n$$\nT(n)\n$$\n" + "归并排序先分后合，稳定。" * 40
        ).overview
    )
