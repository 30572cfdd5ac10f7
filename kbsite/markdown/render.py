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

from kbsite.markdown import front, lines, rules
from kbsite.markdown.html import Renderer, clean, code_block
from kbsite.markdown.links import LinkedRenderer, Links, Written, links_among, wiki_links
from kbsite.text import storable

LONGEST = 400_000  # characters that are read as Markdown at once; pages show long texts in parts
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SPACE = re.compile(r"\s+")
_SILENT = {"footnotes", "thematic_break", "block_html", "inline_html", "footnote_ref", "citation"}


_RENDERER = Renderer()
_LINKED = LinkedRenderer()


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
            words = _flat(token["children"] if "children" in token else _inline(token["text"]))
            text = _SPACE.sub(" ", lines.unwrapped(words)).strip()
            name = slugify(text, allow_unicode=True) or "section"
            taken[name] = taken.get(name, 0) + 1
            unique = name if taken[name] == 1 else f"{name}-{taken[name]}"
            yield token, Heading(token["attrs"]["level"], text, f"{prefix}{unique}")


def _name_headings(md: Markdown, state: BlockState) -> None:
    """Ids where they are asked for, and levels without gaps: a text that begins at ``##`` begins at 1."""
    prefix = state.env.get("heading_prefix")
    if prefix is None:
        return
    above: list[int] = []
    for token, heading in _headings(state.tokens, prefix):
        while above and above[-1] >= heading.level:
            above.pop()
        above.append(heading.level)
        token["attrs"] |= {"id": heading.id, "level": len(above)}


@cache
def _markdown(linked: bool = False) -> Markdown:
    md = Markdown(
        renderer=_LINKED if linked else _RENDERER,
        plugins=[
            *(strikethrough, footnotes, task_lists),
            *(rules.tables, rules.formulas, rules.bare_links, rules.citations),
            *([wiki_links] if linked else []),
        ],
    )
    md.before_render_hooks.append(_name_headings)
    return md


@cache
def _tree() -> Markdown:
    plugins = [strikethrough, rules.tables, rules.formulas, rules.bare_links, wiki_links]
    return Markdown(renderer=None, plugins=plugins)


def render(
    text: str,
    *,
    citations: Mapping[int, str] | None = None,
    heading_prefix: str | None = None,
    prefix: str = "",
    links: Links | None = None,
) -> SafeString:
    """``text`` as clean HTML.

    ``citations`` maps n to the address that ``[n]`` opens; other numbers are dropped, and without
    a mapping brackets stay as written. ``heading_prefix`` gives headings ids (the same that
    :func:`outline` names); ``prefix`` keeps footnote ids of several texts on a page apart. Front matter
    at the top is shown as folded fields; what comes after :data:`LONGEST` is shown as it is written.
    ``links`` maps the keys of ``[[names]]`` and ``sk://`` addresses to where they lead; one that is not in
    it is plain words, and without a mapping they stay as written.
    """
    text = _readable(text)
    top = front.front_of(text)
    end = _end_of_read(text)
    body = text[top.length : end]
    state = BlockState()
    state.env["citations"] = citations
    state.env["heading_prefix"] = heading_prefix
    state.env["prefix"] = prefix or heading_prefix or ""
    state.env["links"] = links
    state.env["rtl"] = bool(_RTL.search(body))
    html, _state = _markdown(links is not None).parse(body, state)
    head = _RENDERER.front_matter(top) if top.length else ""
    rest = code_block(text[end:]) if end < len(text) else ""
    # The rest is escaped and nothing else; cleaning a text that long would take its time.
    return mark_safe(clean(f"{head}{html}") + rest)  # noqa: S308 - this is where cleaning happens


def _end_of_read(text: str) -> int:
    """Where reading ``text`` as Markdown ends: at a line's end near :data:`LONGEST`."""
    if len(text) <= LONGEST:
        return len(text)
    return max(text.rfind("\n", 0, LONGEST) + 1, LONGEST // 2)


def _readable(text: str) -> str:
    """``text`` without what no page can show, and with ``\\n`` for every line end."""
    return storable(text).replace("\r\n", "\n").replace("\r", "\n")


def _inline(text: str) -> list[dict[str, Any]]:
    return _tree().inline(text.strip(), {"ref_links": {}})


def _flat(tokens: list[dict[str, Any]]) -> str:
    words = []
    for token in tokens:
        kind = token["type"]
        if kind in _SILENT:
            continue
        if kind in {"softbreak", "linebreak", "blank_line"}:
            words.append("\n" if kind == "softbreak" else " ")
        elif "children" in token:
            words.append(_flat(token["children"]))
        else:
            words.append(token.get("raw", "").replace("\n", " "))
        if kind in {"paragraph", "heading", "block_text", "list_item", "table_cell", "block_code"}:
            words.append(" ")
    return "".join(words)


def _tokens(text: str) -> list[dict[str, Any]]:
    text = _readable(text)
    tokens, _state = _tree().parse(text[front.front_of(text).length :])
    return tokens if isinstance(tokens, list) else []


def written_links(text: str) -> list[Written]:
    """The ``[[names]]`` and ``sk://`` addresses in ``text``, in order, outside code and formulas."""
    return list(links_among(_tokens(text)))


def front_matter_length(text: str) -> int:
    """How many characters at the top of ``text`` are front matter; 0 without any."""
    return front.front_of(text).length


def plain(text: str) -> str:
    """``text``'s words without markup, on one line: for titles and snippets."""
    return _SPACE.sub(" ", lines.unwrapped(_flat(_tokens(text)))).strip()


def outline(text: str, *, heading_prefix: str = "", deepest: int = 3) -> list[Heading]:
    """The headings of ``text`` down to level ``deepest``, with the ids :func:`render` gives them."""
    found = [heading for _token, heading in _headings(_tokens(text), heading_prefix)]
    return [heading for heading in found if heading.level <= deepest]
