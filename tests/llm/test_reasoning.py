"""Thoughts are kept apart from the answer, however they arrive."""

from __future__ import annotations

import itertools

import pytest

from kbsite.llm.reasoning import Splitter, split, strip

WHOLE = [
    ("<think>plan</think>Answer", "Answer", "plan"),
    ("<think>\nplan\n</think>\n\nAnswer", "Answer", "plan"),
    ("  <thinking>a < b</thinking>Answer <b>", "Answer <b>", "a < b"),
    ("<think></think>Answer", "Answer", ""),
    ("<THINK>x</THINK>Answer", "Answer", "x"),
    ("Answer", "Answer", ""),
    ("", "", ""),
    ("Half <think>more</think> answer", "Half  answer", "more"),
    ("plan</think>Answer", "Answer", "plan"),
    ("<think>all of it", "all of it", ""),
    ("Start. <think>and the rest", "Start. and the rest", ""),
    ("Use `<think>` tags.", "Use `<think>` tags.", ""),
    ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```", ""),
    ("a <thin b", "a <thin b", ""),
    ("a < b </thin", "a < b </thin", ""),
]


@pytest.mark.parametrize(("text", "answer", "reasoning"), WHOLE)
def test_a_whole_text(text: str, answer: str, reasoning: str) -> None:
    assert split(text) == (answer, reasoning)


@pytest.mark.parametrize(("text", "answer", "reasoning"), WHOLE)
def test_a_stream_cut_anywhere_comes_to_the_same(text: str, answer: str, reasoning: str) -> None:
    cuts = [[c] for c in range(1, len(text))] + list(itertools.combinations(range(1, len(text)), 2))[:400]
    for cut in [[], list(range(1, len(text))), *cuts]:
        splitter = Splitter()
        places = [0, *cut, len(text)]
        for a, b in itertools.pairwise(places):
            splitter.feed(text[a:b])
        splitter.close()
        assert (splitter.answer.strip(), splitter.reasoning.strip()) == (answer, reasoning), cut


def test_what_is_shown_adds_up_and_never_shows_a_tag() -> None:
    splitter = Splitter()
    pieces = [p for letter in "<think>why</think>Because." for p in splitter.feed(letter)] + splitter.close()
    assert "".join(p.text for p in pieces if p.kind == "answer") == "Because."
    assert "".join(p.text for p in pieces if p.kind == "reasoning") == "why"


def test_an_unclosed_thought_is_given_again_as_the_answer() -> None:
    splitter = Splitter()
    first = splitter.feed("<think>The answer is 15 days.")
    assert [p.kind for p in first] == ["reasoning"]
    assert [(p.kind, p.text) for p in splitter.close()] == [("answer", "The answer is 15 days.")]


def test_stripping_never_leaves_nothing() -> None:
    assert strip("<think>only a thought</think>") == "only a thought"
