"""Abstract and overview taken from the text itself: its lead, its most central sentences, its outline.

Central means close to the text's centroid: a sentence scores the mean weight of its terms, where
a term weighs the logarithm of how often the text uses it. Linear in the length of the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kbsite.llm.offline.blocks import Block, blocks, plain, without_front_matter
from kbsite.llm.offline.sentences import is_chinese, sentences, size, terms

ABSTRACT_TOKENS = 100
OVERVIEW_TOKENS = 1800
MOST_SECTIONS = 60
MOST_GROUPS = 12

_LEANING = re.compile(
    r"^(?:however|moreover|furthermore|therefore|thus|hence|but|and|so|also|then|this|these|that|those|it|they"
    r"|he|she|his|her|their|its|for example|for instance|in addition|as a result|meanwhile|similarly|finally"
    r"|see|note)\b|^(?:如图|见图|如下|见下|例如|比如|此外|另外|因此|所以|但是|但|然而|不过|而且|并且|同时|其中|其|这|那|该"
    r"|它|他|她|于是|因为|如果|若|接着|然后|最后|总之|以下)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\W*$")
_INTRODUCES = re.compile(
    r"(?:概述|概要|摘要|简介|介绍|背景|目的|总结|结论|overview|introduction|abstract|summary|purpose|about)",
    re.I,
)
_POINTS = re.compile(r"[:：]$")
_ENDS = re.compile(r"[。！？；.!?…][」』”’）】》\"')\]]*$")


@dataclass(frozen=True)
class Layers:
    """L0 and L1 of a text, and who wrote them."""

    abstract: str
    overview: str
    by: Literal["model", "offline"] = "offline"


@dataclass
class _Sentence:
    at: int
    text: str
    terms: frozenset[str]
    tokens: int
    leads: bool
    kind: str
    score: float = 0.0


@dataclass
class _Section:
    heading: str = ""
    level: int = 0
    sentences: list[_Sentence] = field(default_factory=list)
    table: str = ""


def summarise(text: str, language: str | None = None) -> Layers:
    """The layers of ``text``, in its own words and language.

    The abstract has about 100 tokens; the overview is Markdown of at most about 2,000 tokens and
    never longer than the text. ``language`` ("zh", "en", …) says how to join sentences; by default
    the text's letters decide. Both are empty only if the text is.
    """
    chinese = language.startswith("zh") if language else is_chinese(text)
    found = blocks(text)
    sections = _sections(found)
    _score(sections)
    body = without_front_matter(text).strip()
    glue = "" if chinese else " "
    tiny = size(body) <= ABSTRACT_TOKENS and _whole(found, glue)
    abstract = tiny or _abstract(sections, glue) or _fallback(found, body)
    overview = _overview(sections, chinese)
    if not overview or len(overview) >= len(body) or size(body) <= 2 * ABSTRACT_TOKENS:
        overview = body if size(body) <= OVERVIEW_TOKENS else _cut(body, OVERVIEW_TOKENS)
    return Layers(abstract, overview)


def _sections(found: list[Block]) -> list[_Section]:
    sections = [_Section()]
    at = 0
    for block in found:
        if block.kind == "heading":
            sections.append(_Section(block.text, block.level))
        elif block.kind in ("prose", "item", "quote"):
            units = [block.text] if block.kind == "item" and size(block.text) <= 60 else sentences(block.text)
            lines = block.kind == "prose" and "\n" in block.text
            for unit in units:
                kind = "item" if lines and not _ENDS.search(unit) else block.kind
                sections[-1].sentences.append(_sentence(at, unit, kind))
                at += 1
        elif block.kind == "table":
            sections[-1].table = sections[-1].table or block.text
    for section in sections:
        for sentence in section.sentences:
            if sentence.kind == "prose" and sentence.tokens >= 6 and _ENDS.search(sentence.text):
                sentence.leads = not _ASKS.search(sentence.text)
                break
    return sections if sections[0].sentences else sections[1:]


def _sentence(at: int, text: str, kind: str) -> _Sentence:
    return _Sentence(at, text.replace("\n", " "), frozenset(terms(text)), size(text), False, kind)


def _score(sections: list[_Section]) -> None:
    """Give every sentence its centrality, raised for leads and heading words, lowered for fragments."""
    everything = [s for section in sections for s in section.sentences]
    uses = Counter(term for s in everything for term in s.terms)
    top = max(uses.values(), default=1)
    titled = Counter(term for s in sections if s.level in (1, 2) for term in set(terms(s.heading)))
    weight = {
        term: (0.0 if n == 1 and len(everything) > 5 else math.log(1 + n) / math.log(1 + top))
        * (1.3 if term in titled else 1.0)
        for term, n in uses.items()
    }
    for section in sections:
        here = set(terms(section.heading))
        introduces = 1.3 if _INTRODUCES.search(section.heading) else 1.0
        for sentence in section.sentences:
            early = 1 + 0.4 * (1 - sentence.at / len(everything)) ** 2
            sentence.score = _worth(sentence, here, weight) * early * introduces


def _worth(sentence: _Sentence, heading: set[str], weight: dict[str, float]) -> float:
    if not sentence.terms:
        return 0.0
    total = sum(weight[t] * (1.3 if t in heading else 1.0) for t in sentence.terms)
    worth: float = total / (len(sentence.terms) + 6) ** 0.75
    worth *= 1.25 if sentence.leads else 1.0
    worth *= 1.0 if sentence.kind == "prose" else 0.75
    worth *= 0.6 if _LEANING.match(sentence.text) else 1.0
    worth *= 0.5 if _ASKS.search(sentence.text) or not _ENDS.search(sentence.text) else 1.0
    worth *= 0.3 if _POINTS.search(sentence.text) else 1.0
    worth *= 0.5 if sentence.tokens < 6 or sentence.tokens > 90 else 1.0
    worth *= 0.4 if "http" in sentence.text or sentence.text.count("`") > 4 else 1.0
    return worth


def _repeats(sentence: _Sentence, chosen: Iterable[_Sentence]) -> bool:
    for other in chosen:
        smaller = min(len(sentence.terms), len(other.terms)) or 1
        if len(sentence.terms & other.terms) > 0.6 * smaller:
            return True
    return False


def _abstract(sections: list[_Section], glue: str) -> str:
    """The first sentence that stands by itself and the most central others, in the text's order."""
    everything = [s for section in sections for s in section.sentences]
    prose = [s for s in everything if s.kind == "prose" and _ENDS.search(s.text)]
    pool = prose or everything
    if not pool:
        return ""
    lead = next((s for s in pool[:8] if s.tokens >= 6 and not _ASKS.search(s.text)), pool[0])
    chosen, used = [lead], min(lead.tokens, ABSTRACT_TOKENS)
    for sentence in sorted(pool, key=lambda s: -s.score)[:60]:
        room = ABSTRACT_TOKENS * 1.15 - used
        if (
            sentence is lead
            or sentence.tokens < 6
            or sentence.tokens > room
            or _repeats(sentence, chosen)
            or sentence.score == 0
        ):
            continue
        chosen.append(sentence)
        used += sentence.tokens
        if used >= ABSTRACT_TOKENS * 0.85:
            break
    chosen.sort(key=lambda s: s.at)
    return _join((s.text if s is not lead else _cut(s.text, 2 * ABSTRACT_TOKENS) for s in chosen), glue)


def _join(texts: Iterable[str], glue: str) -> str:
    """``texts`` as one paragraph: what lacks its full stop gets one, unless it comes last."""
    joined = ""
    for text in texts:
        if joined and not _ENDS.search(joined):
            joined += "." if glue else "。"
        joined += (glue if joined else "") + text
    return joined


def _whole(found: list[Block], glue: str) -> str:
    """All of a text that is no longer than an abstract; "" if there is code or a table in it."""
    if any(b.kind in ("code", "table") for b in found):
        return ""
    return _join((line for b in found for line in b.text.split("\n")), glue)


def _fallback(found: list[Block], body: str) -> str:
    """For a text without a sentence: its headings, or the first rows of its table, or its first lines."""
    headings = [b.text for b in found if b.kind == "heading"]
    if headings:
        return _cut(
            "; ".join(headings) if not is_chinese(headings[0]) else "；".join(headings), ABSTRACT_TOKENS
        )
    rows = [line for b in found if b.kind == "table" for line in b.text.split("\n") if re.search(r"\w", line)]
    cells = [", ".join(c.strip() for c in row.strip("|").split("|") if c.strip()) for row in rows[:4]]
    return _cut("; ".join(cells) or body, ABSTRACT_TOKENS)


def _cut(text: str, tokens: int) -> str:
    """As much of ``text`` as has about ``tokens`` tokens, whole lines or sentences where there are any."""
    if size(text[: tokens * 8]) <= tokens and len(text) <= tokens * 8:
        return text
    kept = text[: tokens * 8]
    while size(kept) > tokens:
        kept = kept[: max(1, int(len(kept) * 0.95))]
    ends = [m.end() for m in re.finditer(r"\n|[。！？；]|[.!?](?=\s)|[;；,，、](?=.)", kept)]
    if ends and ends[-1] > len(kept) * 0.5:
        return kept[: ends[-1]].rstrip().rstrip(";；,，、")
    return kept.rstrip() + "…"


def _overview(sections: list[_Section], chinese: bool) -> str:
    """The outline with the key sentences of each part; groups of paragraphs where there is no outline."""
    outlined = [s for s in sections if s.level]
    if len(outlined) < 2:
        return _grouped([s for section in sections for s in section.sentences], chinese)
    shown = _fold(sections)
    share = _shares(shown)
    parts: list[str] = []
    for section, tokens in zip(shown, share, strict=True):
        lines = [f"{'#' * section.level} {section.heading}"] if section.level else []
        if key := _key(section.sentences, tokens, chinese) or _first_column(section.table, chinese):
            lines.append(key)
        parts.append("\n\n".join(lines))
    return _cut("\n\n".join(part for part in parts if part), OVERVIEW_TOKENS)


def _first_column(table: str, chinese: bool) -> str:
    """What the rows of a table are about: the cells of its first column, at most twelve."""
    rows = [line.strip("|").split("|")[0].strip() for line in table.split("\n")[:14]]
    cells = [plain(cell) for cell in rows if re.search(r"\w", cell)]
    named = cells[1:13] if len(cells) > 1 else cells
    return _cut(("、" if chinese else ", ").join(named), 40) if named else ""


def _fold(sections: list[_Section]) -> list[_Section]:
    """Sections down to the deepest level of which no more than sixty remain; deeper ones join theirs."""
    depth = 6
    while depth > 1 and sum(0 < s.level <= depth for s in sections) > MOST_SECTIONS:
        depth -= 1
    shown: list[_Section] = []
    for section in sections:
        if shown and section.level > depth:
            shown[-1].sentences.extend(section.sentences)
        else:
            shown.append(replace(section, sentences=list(section.sentences)))
    return _strongest(shown)


def _strongest(sections: list[_Section]) -> list[_Section]:
    """At most a hundred and fifty sections: the ones that say most, in the text's order."""
    most = 150
    if len(sections) <= most:
        return sections
    worth = {id(s): sum(x.score for x in s.sentences) for s in sections}
    kept = {id(s) for s in sorted(sections, key=lambda s: -worth[id(s)])[:most]}
    return [s for s in sections if id(s) in kept]


def _shares(sections: Sequence[_Section]) -> list[int]:
    """Tokens each section's sentences may take: with the square root of its size, at most 160."""
    headings = sum(size(s.heading) + 2 for s in sections)
    room = max(0, OVERVIEW_TOKENS - headings)
    sizes = [math.sqrt(sum(x.tokens for x in s.sentences)) for s in sections]
    total = sum(sizes) or 1.0
    return [min(160, int(room * s / total)) for s in sizes]


def _key(found: Sequence[_Sentence], tokens: int, chinese: bool) -> str:
    """The lead and the best others that fit into ``tokens``, list items as a list."""
    chosen: list[_Sentence] = []
    used = 0
    ranked = sorted(found, key=lambda s: (not s.leads, -s.score))
    for sentence in ranked[:40]:
        if used + sentence.tokens > max(tokens, 12 if not chosen else 0) or _repeats(sentence, chosen):
            continue
        chosen.append(sentence)
        used += sentence.tokens
        if len(chosen) == 6:
            break
    chosen.sort(key=lambda s: s.at)
    return _lay_out(_without_pointers(chosen), chinese)


def _without_pointers(chosen: list[_Sentence]) -> list[_Sentence]:
    """``chosen`` without sentences that announce a list of which nothing was chosen."""
    following = [*chosen[1:], None][: len(chosen)]
    return [
        s
        for s, after in zip(chosen, following, strict=True)
        if not _POINTS.search(s.text) or (after is not None and after.kind == "item")
    ]


def _lay_out(chosen: list[_Sentence], chinese: bool) -> str:
    lines: list[str] = []
    was_item = True
    for sentence in chosen:
        item = sentence.kind == "item"
        if item:
            lines.append(("" if was_item or not lines else "\n") + f"- {sentence.text}")
        elif was_item:
            lines.append(("\n" if lines else "") + sentence.text)
        elif _ENDS.search(lines[-1]):
            lines[-1] += ("" if chinese else " ") + sentence.text
        else:
            lines.append("\n" + sentence.text)
        was_item = item
    return "\n".join(lines)


def _grouped(found: list[_Sentence], chinese: bool) -> str:
    """Key sentences of up to twelve stretches of a text without headings, a paragraph each."""
    total = sum(s.tokens for s in found)
    if total == 0:
        return ""
    groups = min(MOST_GROUPS, max(1, total // 150))
    share = min(OVERVIEW_TOKENS // groups, max(60, int(0.45 * total / groups)))
    parts: list[list[_Sentence]] = [[] for _ in range(groups)]
    seen = 0
    for sentence in found:
        parts[min(groups - 1, seen * groups // total)].append(sentence)
        seen += sentence.tokens
    keys = (_key(part, share, chinese) for part in parts if part)
    return "\n\n".join(key for key in keys if key)
