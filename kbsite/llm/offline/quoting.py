"""Passages out of what a search tool said, and the sentences of them that answer a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import ToolMessage

from kbsite.llm.offline.blocks import blocks
from kbsite.llm.offline.sentences import LONG_SENTENCE, sentences, size, terms

type Nearness = Callable[[str, Sequence[str]], Sequence[float]]

MOST_QUOTES = 4
MOST_COMPARED = 48  # units whose meaning is compared, from the best passages on
MEANING = 0.5
MOST_TOKENS = 260
SHORT_ANSWER = 50

_HEAD = re.compile(
    r"^\[(?P<n>\d{1,3})\] (?P<title>.*?)(?: — (?P<heading>.*?))?(?: \((?P<uri>sk://[^)\s]+)\))?[ \t]*$", re.M
)
_FENCE_LINE = re.compile(r"^\s*(?:`{3,}.*|~{3,}.*|</?[\w-]+[^<>\n]*>|-{3,}.*|={3,}.*)\s*$")
_REFERENCE = re.compile(r"(`[^`\n]*`)|\s?(?:\[\d{1,3}(?:\s*[,，–-]\s*\d{1,3})*\]|【\d{1,3}】)")
_ASKS_NUMBER = re.compile(
    r"how (?:many|much|long|often|old|far|big)|\bwhen\b|what (?:time|date|year|percentage)|多少"
    r"|几[天个次年月日点岁]|多久|多长|多大|何时|什么时候|哪年|哪天|第几|比例|金额|费用|價格|价格",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万半两]+[天个次年月日元周小]")
_LEANS = re.compile(
    r"^(?:it|they|he|she|this|these|that|those|however|but|also|then|它|他|她|其|这|该|此|但|不过|然后|并且)",
    re.IGNORECASE,
)
_POINTS = re.compile(r"[:：]$")
_ANNOUNCES = re.compile(
    r"[:：]$|\b(?:below|follows|following)\b[^.]{0,40}[.:]$|(?:如下|以下|下列|下面)[^。]{0,20}[。：:]$", re.I
)


@dataclass(frozen=True)
class Passage:
    """A passage as the search tool gave it. ``n`` is the number that cites it."""

    n: int
    text: str
    title: str = ""
    heading: str = ""
    score: float = 0.0


@dataclass
class Unit:
    """What is quoted whole: a sentence, a list item, a table or a block of code."""

    passage: Passage
    at: int
    block: int
    text: str
    kind: str
    terms: frozenset[str]
    score: float = 0.0
    group: list[str] = field(default_factory=list)


def passages(messages: Iterable[ToolMessage]) -> list[Passage]:
    """The passages that search tools found, from their artifacts or else their text, best first."""
    found: dict[int, Passage] = {}
    for message in messages:
        rows = message.artifact if isinstance(message.artifact, list) else None
        for passage in _from_rows(rows) if rows is not None else _from_text(_text(message)):
            found.setdefault(passage.n, passage)
    return list(found.values())


def _text(message: ToolMessage) -> str:
    return message.content if isinstance(message.content, str) else str(message.text)


def _from_rows(rows: Sequence[Any]) -> Iterable[Passage]:
    for row in rows:
        if isinstance(row, dict) and row.get("text") and "n" in row:
            yield Passage(
                int(row["n"]),
                str(row["text"]),
                str(row.get("title") or ""),
                str(row.get("heading") or ""),
                float(row.get("score") or 0.0),
            )


def _from_text(text: str) -> Iterable[Passage]:
    heads = list(_HEAD.finditer(text))
    for place, head in enumerate(heads):
        end = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        lines = text[head.end() : end].strip("\n").split("\n")
        while lines and (_FENCE_LINE.match(lines[-1]) or not lines[-1].strip()) and _unpaired(lines):
            lines.pop()
        body = "\n".join(lines).strip()
        if body:
            yield Passage(int(head["n"]), body, head["title"] or "", head["heading"] or "", -float(place))


def _unpaired(lines: list[str]) -> bool:
    """Whether the last line closes the tool's own fence rather than a block of the passage."""
    last = lines[-1].strip()
    return not last.startswith(("```", "~~~")) or sum(x.strip().startswith(last[:3]) for x in lines) % 2 == 1


def _units(passage: Passage) -> list[Unit]:
    found: list[Unit] = []
    for number, block in enumerate(blocks(passage.text)):
        if block.kind == "heading":
            continue
        whole = block.kind in ("code", "table") or (
            block.kind == "item" and size(block.text) <= LONG_SENTENCE
        )
        for text in [block.text] if whole else sentences(block.text):
            shown = text if block.kind in ("code", "table") else _without_references(text)
            found.append(Unit(passage, len(found), number, shown, block.kind, frozenset(terms(text))))
    return found


def _without_references(text: str) -> str:
    """``text`` without its own "[3]", which would read as a citation of ours; code is left alone."""
    return _REFERENCE.sub(lambda m: m.group(1) or "", text)


def best_quotes(question: str, found: Sequence[Passage], nearness: Nearness | None = None) -> list[Unit]:
    """At most four units that together cover most of the question, ordered by passage.

    By words a unit scores the share of the question's terms (weighted by how rare they are in the
    passages) that it has, counts its passage's heading and title a little, and prefers earlier
    sentences. ``nearness`` gives the cosines of the question to texts: with it meaning counts for
    half, so that "lost" finds "missing". Better passages are trusted more.
    """
    units = [unit for passage in found for unit in _units(passage)]
    if not units:
        return []
    weight = _weights(question, units)
    for passage in found:
        near = frozenset(terms(f"{passage.title} {passage.heading}"))
        inside = frozenset(term for unit in units if unit.passage is passage for term in unit.terms)
        for unit in units:
            if unit.passage is passage:
                unit.score = _score(unit, near, inside, weight, question)
    if nearness is not None:
        _count_meaning(question, units[:MOST_COMPARED], units, nearness)
    trust = _trust(found)
    for unit in units:
        unit.score *= trust[unit.passage.n]
    return _chosen(units, weight)


def _trust(found: Sequence[Passage]) -> dict[int, float]:
    """How far each passage, by its number, is believed to be about the question: up to 1."""
    top = max(p.score for p in found)
    if top <= 0:
        return {p.n: 1.0 / (1 + 0.25 * rank) for rank, p in enumerate(found)}
    return {p.n: 0.25 + 0.75 * p.score / top for p in found}


def _count_meaning(
    question: str, compared: Sequence[Unit], units: Sequence[Unit], nearness: Nearness
) -> None:
    """Let nearness of meaning, from the mean of all (0) to the nearest (1), count beside the words."""
    cosines = nearness(question, [unit.text for unit in compared])
    mean, nearest = sum(cosines) / len(cosines), max(cosines)
    best = max(unit.score for unit in units) or 1.0
    for unit in units:
        unit.score *= (1 - MEANING) / best
    for unit, cosine in zip(compared, cosines, strict=True):
        unit.score += MEANING * max(0.0, cosine - mean) / ((nearest - mean) or 1.0)


def _weights(question: str, units: Sequence[Unit]) -> dict[str, float]:
    asked = set(terms(question))
    df = Counter(term for unit in units for term in unit.terms & asked)
    raw = {t: math.log(1 + len(units) / (1 + df[t])) for t in asked}
    total = sum(raw.values())
    return {t: w / total for t, w in raw.items() if df[t]}


def _score(
    unit: Unit, near: frozenset[str], inside: frozenset[str], weight: dict[str, float], question: str
) -> float:
    own = sum(weight.get(t, 0.0) for t in unit.terms)
    titled = sum(w for t, w in weight.items() if t in near and t not in unit.terms)
    beside = sum(w for t, w in weight.items() if t in inside and t not in near and t not in unit.terms)
    score = own + 0.4 * titled + 0.3 * beside + (0.05 + 0.3 * (1 - sum(weight.values()))) / (1 + unit.at)
    if _ASKS_NUMBER.search(question) and _NUMBER.search(unit.text) and own:
        score *= 1.3
    if unit.kind in ("code", "table"):
        score *= 0.8 if size(unit.text) <= 200 else 0.0
    if unit.text.endswith(("?", "？")):
        score *= 0.3
    if _POINTS.search(unit.text):
        score *= 0.6
    return score


def _chosen(units: Sequence[Unit], weight: dict[str, float]) -> list[Unit]:
    """Greedy: the best unit, then those that add most of what is still uncovered."""
    chosen: list[Unit] = []
    covered: frozenset[str] = frozenset()
    used = 0
    best = max(u.score for u in units)
    rest = [u for u in units if u.score > 0.55 * best]
    most = MOST_QUOTES if sum(weight.values()) > 0.2 else 2
    while rest and len(chosen) < most:
        gains = [u.score - 0.5 * sum(weight.get(t, 0.0) for t in u.terms & covered) for u in rest]
        place = max(range(len(rest)), key=gains.__getitem__)
        unit, gain = rest.pop(place), gains[place]
        if gain < 0.5 * best or (chosen and used + size(unit.text) > MOST_TOKENS) or _said(unit, chosen):
            continue
        unit.group = _in_context(unit, units, chosen)
        chosen.append(unit)
        covered |= unit.terms
        used += sum(size(text) for text in unit.group)
    if used < SHORT_ANSWER and chosen[0].kind == "prose":
        chosen[0].group = _fuller(chosen[0], units, chosen)
    order = {n: place for place, n in enumerate(dict.fromkeys(u.passage.n for u in chosen))}
    return sorted(chosen, key=lambda u: (order[u.passage.n], u.at))


def _fuller(unit: Unit, units: Sequence[Unit], chosen: Sequence[Unit]) -> list[str]:
    """A short quote with its whole paragraph, if that is short too, or else with the next sentence;
    with the list or block that the last of them announces."""
    paragraph = [u for u in units if u.passage is unit.passage and u.block == unit.block]
    if sum(size(u.text) for u in paragraph) > 2 * SHORT_ANSWER:
        paragraph = [u for u in paragraph if u.text in unit.group or u.at == unit.at + 1]
    others = [c for c in chosen if c is not unit]
    kept = [u for u in paragraph if u is unit or not _said(u, others)]
    announced = _in_context(kept[-1], units, chosen)
    return [u.text for u in kept] + announced[announced.index(kept[-1].text) + 1 :]


def _said(unit: Unit, chosen: Sequence[Unit]) -> bool:
    return any(
        unit.text in "\n".join(c.group)
        or len(unit.terms & c.terms) > 0.75 * (min(len(unit.terms), len(c.terms)) or 1)
        for c in chosen
    )


def _in_context(unit: Unit, units: Sequence[Unit], chosen: Sequence[Unit]) -> list[str]:
    """The unit with the sentence it leans on, or the list or block it announces."""
    near = {u.at: u for u in units if u.passage is unit.passage}
    group = [unit.text]
    before = near.get(unit.at - 1)
    leans = _LEANS.match(unit.text) and before is not None and before.kind == unit.kind == "prose"
    if leans and before is not None and not _said(before, chosen):
        group.insert(0, before.text)
    if _ANNOUNCES.search(unit.text):
        at = unit.at + 1
        while at in near and near[at].kind in ("item", "code", "table") and len(group) < 7:
            group.append(near[at].text if near[at].kind != "item" else f"- {near[at].text}")
            at += 1
    return group
