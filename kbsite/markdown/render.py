"""Text in, safe HTML out; and the same text's headings and plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from mistune import Markdown
from mistune.core import BlockState
from mistune.plugins.footnotes import footnotes
from mistune.plugins.formatting import strikethrough
from mistune.plugins.task_lists import task_lists

from kbsite.markdown import rules
from kbsite.markdown.html import CLEANER, Renderer

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SPACE = re.compile(r"\s+")
_SILENT = {"footnotes", "thematic_break", "block_html", "inline_html", "footnote_ref", "citation"}


@dataclass(frozen=True)
class Heading:
    """A heading of a text: its level there (1 to 6), its words, and its ``id`` on the page."""

    level: int
    text: str
    id: str


def _headings(tokens: list[dict[str, Any]], prefix: str) -> Iterator[tuple[dict[str, Any], Heading]]:
    taken: dict[str, int] = {}
    for token in tokens:
        if token["type"] == "heading":
            text = _SPACE.sub(
                " ", _flat(token["children"] if "children" in token else _inline(token["text"]))
            ).strip()
            name = slugify(text, allow_unicode=True) or "section"
            taken[name] = taken.get(name, 0) + 1
            unique = name if taken[name] == 1 else f"{name}-{taken[name]}"
            yield token, Heading(token["attrs"]["level"], text, f"{prefix}{unique}")


def _name_headings(md: Markdown, state: BlockState) -> None:
    prefix = state.env.get("heading_prefix")
    if prefix is None:
        return
    for token, heading in _headings(state.tokens, prefix):
        token["attrs"]["id"] = heading.id


@cache
def _markdown() -> Markdown:
    md = Markdown(
        renderer=Renderer(),
        plugins=[
            *(strikethrough, footnotes, task_lists),
            *(rules.tables, rules.formulas, rules.bare_links, rules.citations),
        ],
    )
    md.before_render_hooks.append(_name_headings)
    return md


@cache
def _tree() -> Markdown:
    return Markdown(renderer=None, plugins=[strikethrough, rules.tables, rules.formulas, rules.bare_links])


def render(
    text: str,
    *,
    citations: Mapping[int, str] | None = None,
    heading_prefix: str | None = None,
    prefix: str = "",
) -> SafeString:
    """``text`` as clean HTML.

    ``citations`` maps n to the address that ``[n]`` opens; other numbers are dropped, and without
    a mapping brackets stay as written. ``heading_prefix`` gives headings ids (the same that
    :func:`outline` names); ``prefix`` keeps footnote ids of several texts on a page apart.
    """
    state = BlockState()
    state.env["citations"] = citations
    state.env["heading_prefix"] = heading_prefix
    state.env["prefix"] = prefix or heading_prefix or ""
    state.env["rtl"] = bool(_RTL.search(text))
    html, _state = _markdown().parse(text, state)
    return mark_safe(CLEANER.clean(str(html)))  # noqa: S308 - this is where cleaning happens


def _inline(text: str) -> list[dict[str, Any]]:
    return _tree().inline(text.strip(), {"ref_links": {}})


def _flat(tokens: list[dict[str, Any]]) -> str:
    words = []
    for token in tokens:
        kind = token["type"]
        if kind in _SILENT:
            continue
        if kind in {"softbreak", "linebreak", "blank_line"}:
            words.append(" ")
        elif "children" in token:
            words.append(_flat(token["children"]))
        else:
            words.append(token.get("raw", ""))
        if kind in {"paragraph", "heading", "block_text", "list_item", "table_cell", "block_code"}:
            words.append(" ")
    return "".join(words)


def _tokens(text: str) -> list[dict[str, Any]]:
    tokens, _state = _tree().parse(text)
    return tokens if isinstance(tokens, list) else []


def plain(text: str) -> str:
    """``text``'s words without markup, on one line: for titles and snippets."""
    return _SPACE.sub(" ", _flat(_tokens(text))).strip()


def outline(text: str, *, heading_prefix: str = "", deepest: int = 3) -> list[Heading]:
    """The headings of ``text`` down to level ``deepest``, with the ids :func:`render` gives them."""
    found = [heading for _token, heading in _headings(_tokens(text), heading_prefix)]
    return [heading for heading in found if heading.level <= deepest]
