"""Marking, in a passage, the sentence that an answer took from it."""

from __future__ import annotations

import re
from itertools import pairwise

from django.utils.safestring import SafeString

from kbsite.markdown import blocks
from skills.marking import render_marked

_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[”’」』）)]*|(?<=[a-z\d)])\.(?=\s)|\n|$)", re.S)
_WORD = re.compile(r"[a-z\d]+|[\u3400-\u9fff]", re.IGNORECASE)
_NUMBERS = re.compile(r"\[\d+\]")
ENOUGH = 0.4
NEAR = 0.85

type Span = tuple[int, int]


def _pairs(text: str) -> set[str]:
    """Words, and pairs of neighbouring Chinese characters."""
    found = [w.lower() for w in _WORD.findall(text)]
    pairs = {a + b for a, b in pairwise(found) if len(a) == len(b) == 1}
    return pairs | {w for w in found if len(w) > 1}


def _spans(text: str) -> list[Span]:
    return [m.span() for m in _SENTENCE.finditer(text) if _WORD.search(m[0])]


def said_with(answer: str, n: int) -> str:
    """What ``answer`` says citing ``n``: sentences, or the block before a number that stands alone."""
    said: list[str] = []
    before = ""
    for block in blocks(answer):
        if f"[{n}]" in block:
            bare = not _NUMBERS.sub("", block).strip()
            said += [before] if bare else _sentences_citing(block, n)
        before = block
    return "\n".join(said)


def _sentences_citing(block: str, n: int) -> list[str]:
    """Sentences with ``[n]`` in them; one that begins with it follows the sentence it belongs to."""
    sentences = [block[start:end] for start, end in _spans(block)]
    found = []
    for i, sentence in enumerate(sentences):
        if f"[{n}]" not in sentence:
            continue
        begins = sentence.lstrip().startswith("[") and i
        found.append(sentences[i - 1] if begins else sentence)
    return found


def best_span(passage: str, answer: str, n: int) -> Span | None:
    """Where in ``passage`` stands what ``answer`` says citing ``n``.

    The sentence with the largest share of its words there, and its neighbours that come near.
    None when no sentence has at least :data:`ENOUGH` of them.
    """
    said = _pairs(said_with(answer, n))
    spans = _spans(passage)
    shares = [_share(passage[start:end], said) for start, end in spans]
    best = max(shares, default=0.0)
    if best < ENOUGH:
        return None
    first = last = shares.index(best)
    while first and shares[first - 1] >= best * NEAR:
        first -= 1
    while last + 1 < len(shares) and shares[last + 1] >= best * NEAR:
        last += 1
    return spans[first][0], spans[last][1]


def _share(sentence: str, said: set[str]) -> float:
    words = _pairs(sentence)
    return len(words & said) / len(words) if len(words) > 1 else 0.0


def marked(passage: str, span: Span | None) -> SafeString:
    """``passage`` rendered, with the stretch at ``span`` marked, or all of it for None."""
    start, end = span or (0, len(passage))
    return render_marked(passage, start, end, mark_id="here", heading_prefix="passage-")
