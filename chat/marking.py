"""Marking, in a passage, the sentence that an answer took from it."""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe

from kbsite.markdown import render

_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[”’」』）)]*|(?<=[a-z\d)])\.(?=\s)|\n|$)", re.S)
_WORD = re.compile(r"[a-z\d]+|[\u3400-\u9fff]", re.IGNORECASE)
OPEN, CLOSE = "\ue000", "\ue001"
_BLOCK = re.compile(r"</?(?:p|li|ul|ol|t[dhr]|table|thead|tbody|h\d|pre|blockquote|div|section)\b")
ENOUGH = 0.4

type Span = tuple[int, int]


def _pairs(text: str) -> set[str]:
    """Words, and pairs of neighbouring Chinese characters."""
    found = [w.lower() for w in _WORD.findall(text)]
    pairs = {a + b for a, b in zip(found, found[1:], strict=False) if len(a) == len(b) == 1}
    return pairs | {w for w in found if len(w) > 1}


def _spans(text: str) -> list[Span]:
    return [m.span() for m in _SENTENCE.finditer(text) if m[0].strip()]


def said_with(answer: str, n: int) -> str:
    """The sentences of ``answer`` that cite ``n``."""
    spans = _spans(answer)
    cited = []
    for i, (start, end) in enumerate(spans):
        sentence = answer[start:end]
        if f"[{n}]" in sentence:
            bare = re.sub(r"\[\d+\]", "", sentence).strip()
            cited.append(sentence if bare else answer[spans[i - 1][0] : spans[i - 1][1]] if i else "")
            if bare and sentence.lstrip().startswith("[") and i:
                cited.append(answer[spans[i - 1][0] : spans[i - 1][1]])
    return " ".join(cited)


def best_span(passage: str, answer: str, n: int) -> Span | None:
    """Where in ``passage`` the sentence stands that fits best what ``answer`` says citing ``n``.

    None when no sentence has at least :data:`ENOUGH` of its words there.
    """
    said = _pairs(said_with(answer, n))
    if not said:
        return None
    best, at = ENOUGH, None
    for start, end in _spans(passage):
        words = _pairs(passage[start:end])
        if len(words) < 2:
            continue
        share = len(words & said) / len(words)
        if share > best:
            best, at = share, (start, end)
    return at


def _is_inline(html: str) -> bool:
    """Whether ``html`` is a stretch of one line of text: no blocks, and every tag closed."""
    if _BLOCK.search(html):
        return False
    opened = re.findall(r"<([a-z]+)", html)
    closed = re.findall(r"</([a-z]+)", html)
    return sorted(t for t in opened if t != "br") == sorted(closed)


def marked(passage: str, span: Span | None) -> SafeString:
    """``passage`` rendered, with the stretch at ``span`` inside ``<mark>`` where it is one line of text."""
    if span is None or OPEN in passage or CLOSE in passage:
        return render(passage)
    start, end = span
    sentence = passage[start:end]
    start += len(sentence) - len(sentence.lstrip())
    end -= len(sentence) - len(sentence.rstrip())
    head = re.match(r"(?:#{1,6}|[-*+]|\d+[.)]|>)\s+", passage[start:end])
    start += head.end() if head else 0
    html = str(render(passage[:start] + OPEN + passage[start:end] + CLOSE + passage[end:]))
    inside = html.partition(OPEN)[2].partition(CLOSE)[0]
    if CLOSE not in html or OPEN not in html or not _is_inline(inside):
        return render(passage)
    return mark_safe(html.replace(OPEN, "<mark>").replace(CLOSE, "</mark>"))  # noqa: S308 - from render()
