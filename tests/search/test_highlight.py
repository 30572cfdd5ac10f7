"""Marks and snippets: what of a text is shown, and which words stand out in it."""

from __future__ import annotations

import pytest

from search.highlight import marks, snippet, telling
from search.templatetags.marking import marked


def marked_words(text: str, *terms: str) -> list[str]:
    return [text[start:end] for start, end in marks(text, dict.fromkeys(terms, 1.0))]


@pytest.mark.parametrize(
    ("text", "terms", "words"),
    [
        ("纸质车票遗失的", ["车票", "遗失"], ["车票遗失"]),
        ("紙質車票遺失的", ["车票", "遗失"], ["車票遺失"]),
        ("Lost Tickets, a ticket", ["ticket"], ["Tickets", "ticket"]),
        ("ＴＩＣＫＥＴ", ["ticket"], ["ＴＩＣＫＥＴ"]),
        ("see ERR_CONN_1042.", ["err_conn_1042"], ["ERR_CONN_1042"]),
        ("C++ and C", ["c++"], ["C++"]),
        ("ratio 95% ok", ["%"], ["%"]),
        ("straße Weg", ["strass"], ["straße"]),
        ("Café cafe", ["cafe"], ["Café", "cafe"]),
        ("nothing", ["some"], []),
        ("", ["some"], []),
    ],
)
def test_words_are_marked_as_they_are_searched(text: str, terms: list[str], words: list[str]) -> None:
    assert marked_words(text, *terms) == words


def test_common_words_are_not_marked_beside_telling_ones() -> None:
    idf = {"the": 0.1, "ticket": 4.0, "lost": 3.0, "zzz": 9.0}
    assert set(telling(idf, {"the", "ticket", "lost"})) == {"ticket", "lost", "zzz"}
    assert set(telling({"the": 0.1, "who": 0.2}, {"the", "who"})) == {"the", "who"}


def test_single_characters_count_only_by_themselves() -> None:
    assert set(telling({"车": 1.0, "票": 1.0, "车票": 2.0}, {"车", "票", "车票"})) == {"车票"}
    assert set(telling({"税": 1.0}, {"税"})) == {"税"}


def test_a_snippet_goes_where_the_words_are() -> None:
    text = "Filler words here. " * 40 + "Here a ticket was lost. " + "More filler. " * 40
    shown = snippet(text, {"ticket": 3.0, "lost": 3.0})
    assert "a ticket was lost" in shown.text
    assert len(shown.text) < 200
    assert (shown.before, shown.after) == (True, True)
    assert [shown.text[a:b] for a, b in shown.marks] == ["ticket", "lost"]


def test_a_snippet_has_no_markup() -> None:
    text = "## 标题\n\n| a | b |\n|---|---|\n| **c** | `d` |\n\n- see [the page](http://x/y) snake_case\n"
    text += "```python\nx\n```"
    assert snippet(text, {}).text == "标题 a b c d see the page snake_case x"


def test_marks_are_html_and_the_rest_is_text() -> None:
    html = marked(snippet("a <b>ticket</b> & more", {"ticket": 1.0}))
    assert html == "a &lt;b&gt;<mark>ticket</mark>&lt;/b&gt; &amp; more"
