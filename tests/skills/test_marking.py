"""The cited passage, marked in the rendered text."""

from __future__ import annotations

import html
import re

import pytest

from kbsite.markdown import render
from skills.marking import render_marked
from skills.passages import cut

DOCUMENT = """# 差旅办法 Travel

第一段，**粗体** 与 [链接](http://example.com/a_b)。第二句也在这里。The third sentence is *English* & plain.

- item *one* here
- item two
  - nested `code` item

1. first step
2. second step

```python
def refund(days):
    # thirty days
    return days <= 30
```

| 城市 | 上限 |
|---|---|
| 上海 | 500 元 |
| 杭州 | 400 元 |

> quoted words
> go on

Setext
======

With a note[^1], <b>html</b> and $x^2$.

[^1]: The note itself.

```
line one of the log
line two of the log
line three of the log
```

The end.
"""


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def marked_words(page: str) -> list[str]:
    return words(" ".join(html.unescape(text) for text in re.findall(r"<mark[^>]*>(.*?)</mark>", page, re.S)))


def without_tags(page: str) -> str:
    return re.sub(r"<[^>]+>", "", page)


@pytest.mark.parametrize("limit", [14, 40, 300])
def test_exactly_the_passage_is_marked(limit: int) -> None:
    """Through lists, tables, code and headings; the text of the page stays what it was."""
    plain = str(render(DOCUMENT, heading_prefix="l2-"))
    for draft in cut(DOCUMENT, (), limit):
        page = str(render_marked(DOCUMENT, draft.start, draft.end, mark_id="p-1", heading_prefix="l2-"))
        assert without_tags(page) == without_tags(plain)
        marked = marked_words(page)
        hidden = {"http", "example", "com", "a", "b", "python", "The", "note", "itself", "1", "2"}
        assert set(marked) <= set(words(draft.text))
        assert set(words(draft.text)) - hidden <= set(marked)
        assert page.count('id="p-1"') == (1 if marked else 0)


def test_a_sentence_inside_a_paragraph_is_marked_alone() -> None:
    """Not its neighbours."""
    start = DOCUMENT.index("第二句")
    page = str(
        render_marked(DOCUMENT, start, start + len("第二句也在这里。"), mark_id="p-1", heading_prefix="")
    )
    assert '<mark id="p-1">第二句也在这里。</mark>The third' in page.replace("。The", "。</mark>The").replace(
        "</mark></mark>", "</mark>"
    )


def test_signs_in_the_text_itself_do_no_harm() -> None:
    """Private-use characters in a document can't open a mark."""
    text = "Before \ue000 and \ue001 after. The passage."
    start = text.index("The passage")
    page = str(render_marked(text, start, len(text), mark_id="p-1", heading_prefix=""))
    assert page.count("<mark") == 1
    assert "The passage." in page


def test_hostile_text_stays_text() -> None:
    """B46: marking adds nothing that cleaning took away."""
    text = 'Look <img src=x onerror=alert(1)> [here](javascript:alert(1)) "quoted" <script>x</script> end.'
    page = str(render_marked(text, 0, len(text), mark_id="p-1", heading_prefix=""))
    assert "<img" not in page
    assert "<script" not in page
    assert "href" not in page
