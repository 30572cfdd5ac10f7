"""Marking, in a passage, the sentence that an answer took from it."""

from __future__ import annotations

import re
from itertools import pairwise

from django.utils.safestring import SafeString

from skills.marking import render_marked

_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[”’」』）)]*|(?<=[a-z\d)])\.(?=\s)|\n|$)", re.S)
_WORD = re.compile(r"[a-z\d]+|[\u3400-\u9fff]", re.IGNORECASE)
ENOUGH = 0.4

type Span = tuple[int, int]


def _pairs(text: str) -> set[str]:
    """Words, and pairs of neighbouring Chinese characters."""
    found = [w.lower() for w in _WORD.findall(text)]
    pairs = {a + b for a, b in pairwise(found) if len(a) == len(b) == 1}
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


def marked(passage: str, span: Span | None) -> SafeString:
    """``passage`` rendered, with the stretch at ``span`` marked, or all of it for None."""
    start, end = span or (0, len(passage))
    return render_marked(passage, start, end, mark_id="here", heading_prefix="passage-")
