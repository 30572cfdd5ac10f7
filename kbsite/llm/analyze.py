"""The abstract (L0) and the overview (L1) of a text: by the model, or by quoting where there is none."""

from __future__ import annotations

import re
from typing import Protocol

from django.utils.html import escape

from kbsite.llm.chat_models import chat_model
from kbsite.llm.complete import complete
from kbsite.llm.models import Purpose
from kbsite.llm.offline import Layers, summarise
from kbsite.llm.offline.sentences import is_chinese, sentences, size

PART_TOKENS = 6000
MOST_PARTS = 24
TOO_SHORT_TOKENS = 80
ABSTRACT_MOST = 160
OVERVIEW_MOST = 2200

_FENCE_TAG = re.compile(r"<(/?\s*document)", re.IGNORECASE)
_WRAPPED = re.compile(r"\A```(?:markdown|md|text)?\s*\n(.*?)\n?```\Z", re.S)
_LABEL = re.compile(r"\A(?:\**(?:abstract|overview|summary|摘要|概览|概述)\**\s*[:：]\**)\s*", re.IGNORECASE)


class Render(Protocol):
    """Fills in a prompt: ``kbsite.prompts.store.render``, handed in because prompts build on this app."""

    def __call__(self, key: str, **values: str) -> str:
        """The prompt's text."""


def write_layers(title: str, text: str, language: str = "", *, render: Render) -> Layers:
    """L0 and L1 of ``text``, in its own language; ``by`` says who wrote them.

    Long texts go to the model in parts whose overviews are then brought together. ``language`` is a
    code such as "zh" or "en"; by default the letters decide. Raises ModelUnavailable when a model
    is connected but doesn't answer.
    """
    tiny = len(text) < 4000 and size(text) <= TOO_SHORT_TOKENS
    if tiny or chat_model(Purpose.ANALYZE).is_offline:
        return summarise(text, language or None)
    spoken = _spoken(text, language)
    overview_prompt = render("analyze_overview", language=spoken)
    parts = _parts(text)
    overviews = [_ask(overview_prompt, title, part) for part in parts]
    overview = overviews[0] if len(parts) == 1 else _ask(overview_prompt, title, "\n\n".join(overviews))
    source = text if len(parts) == 1 else f"{parts[0][:3000]}\n\n…\n\n{overview}"
    abstract = _ask(render("analyze_abstract", language=spoken), title, source)
    shorter = overview if len(overview) < len(text) else text.strip()
    return Layers(
        limited(" ".join(abstract.split()), ABSTRACT_MOST), limited(shorter, OVERVIEW_MOST), "model"
    )


def _ask(prompt: str, title: str, text: str) -> str:
    fenced = _FENCE_TAG.sub(r"‹\1", text)
    said = complete(Purpose.ANALYZE, prompt, f'<document title="{escape(title)}">\n{fenced}\n</document>')
    return _LABEL.sub("", _WRAPPED.sub(r"\1", said.strip())).strip()


def _spoken(text: str, language: str) -> str:
    if language.startswith("zh") or (not language and is_chinese(text)):
        return "Chinese, in the same script (simplified or traditional) as the document"
    return "English" if language.startswith("en") else "the language of the document"


def _parts(text: str) -> list[str]:
    """``text`` in stretches of whole lines that the model can take, at most 24: what is longer is
    shortened to its key sentences first."""
    parts = _cut(text)
    while len(parts) > MOST_PARTS:
        parts = _cut("\n\n".join(summarise(part).overview for part in parts))
    return parts


def _cut(text: str) -> list[str]:
    parts: list[str] = [""]
    used = 0
    for line in text.splitlines(keepends=True):
        for piece in (line[n : n + PART_TOKENS] for n in range(0, len(line), PART_TOKENS)):
            tokens = size(piece)
            if used and used + tokens > PART_TOKENS:
                parts.append("")
                used = 0
            parts[-1] += piece
            used += tokens
    return parts


def limited(text: str, tokens: int) -> str:
    """``text`` up to the last whole line or sentence that fits into ``tokens``."""
    if size(text) <= tokens:
        return text
    kept: list[str] = []
    used = 0
    for line in text.split("\n"):
        for sentence in sentences(line) or [""]:
            used += size(sentence)
            if used > tokens and kept:
                return "".join(kept).strip()
            kept.append(sentence + ("" if is_chinese(sentence) else " "))
        kept.append("\n")
    return "".join(kept).strip()
