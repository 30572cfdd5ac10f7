"""Links between skills: ``[[Name]]``, ``[[Name|words]]``, ``[[Name#Heading]]`` and ``sk://`` addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from re import Match
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from django.utils.text import slugify
from mistune import InlineParser, Markdown
from mistune.core import BlockState, InlineState

from kbsite.markdown.html import Renderer
from kbsite.text import folded

LONGEST_LABEL = 300
HEADINGS = "l2-"  # what the ids of a full text's headings begin with on a skill's page
WIKI = (
    rf"\[\[(?P<wiki>[^\[\]|\n]{{1,{LONGEST_LABEL}}})(?:\|(?P<wiki_words>[^\[\]\n]{{1,{LONGEST_LABEL}}}))?\]\]"
)
BARE = (
    r"sk://(?:skills|knowledge|documents)/"
    r"[^\s<>\"'`（）《》〈〉，。；：！？、【】「」“”‘’|*()\[\]]*[^\s<>\"'`（）《》〈〉，。；：！？、【】「」“”‘’|*()\[\].,:;!?}_~]"
)
_HEADING = re.compile(r"(?P<name>.*\S)#(?P<heading>\S.*)")
_SCHEME = "sk://"


class Target(NamedTuple):
    """What a link leads to: ``name`` is shown where no other words are given.

    ``href`` empty: nothing can be opened. ``broken``: nothing of that name was found.
    """

    href: str
    name: str = ""
    title: str = ""
    broken: bool = False


class Written(NamedTuple):
    """A link as it stands in a text. ``key``: its name or address, folded for comparing."""

    label: str
    key: str


type Links = Mapping[str, Target]


def key_of(label: str) -> str:
    """What ``label`` (a name or an ``sk://`` address, without heading) is compared by."""
    is_address = label.startswith(_SCHEME)
    return (unquote(label).strip().lower() if is_address else folded(label))[:LONGEST_LABEL]


def parted(label: str) -> tuple[str, str]:
    """A label's name and the heading after ``#``, if any: ``C#`` and ``a #1`` have none."""
    label = label.strip()
    match = _HEADING.fullmatch(label)
    return (match["name"], match["heading"]) if match else (label, "")


def anchored(href: str, heading: str) -> str:
    """``href`` (a skill's page) opened at that heading of its full text."""
    place = slugify(unquote(heading), allow_unicode=True) or "section"
    return f"{href}?at={quote(place)}#{HEADINGS}{quote(place)}" if heading and href else href


def _linked(name: str, words: str, heading: str, links: Links) -> dict[str, Any]:
    """The token for a link; plain words where nothing is known of it."""
    target = links.get(key_of(name))
    shown = words or (f"{name} › {heading}" if heading else name)
    if target is None:
        return {"type": "text", "raw": shown}
    if target.name and not words and not target.broken:
        shown = f"{target.name} › {heading}" if heading else target.name
    href = target.href if target.broken else anchored(target.href, heading)
    attrs = {"href": href, "title": target.title, "broken": target.broken}
    return {"type": "wiki_link", "raw": shown, "attrs": attrs}


def _written(label: str, words: str) -> dict[str, Any]:
    name, heading = parted(label)
    shown = words or (f"{name} › {heading}" if heading else name)
    return {"type": "wiki_link", "raw": shown, "attrs": {"label": name}}


def _put(state: InlineState, label: str, words: str) -> None:
    links: Links | None = state.env.get("links")
    if links is None:
        state.append_token(_written(label, words))
    else:
        name, heading = parted(label)
        state.append_token(_linked(name, words, heading, links))


def _wiki(inline: InlineParser, match: Match[str], state: InlineState) -> int | None:
    label = match["wiki"].strip()
    if state.in_link or not label:
        return None
    _put(state, label, (match["wiki_words"] or "").strip())
    return match.end()


def _bare(inline: InlineParser, match: Match[str], state: InlineState) -> int | None:
    if state.in_link:
        return None
    _put(state, match[0], "")
    return match.end()


def wiki_links(md: Markdown) -> None:
    """``[[Name]]`` and bare ``sk://`` addresses are links: as ``env["links"]`` has them, else names."""
    md.inline.register("wiki_link", WIKI, _wiki, before="link", start_chars=("[",))
    md.inline.register("sk_address", BARE, _bare, start_chars=("s",))


class LinkedRenderer(Renderer):
    """Shows links between skills as ``env["links"]`` knows them."""

    def render_token(self, token: dict[str, Any], state: BlockState) -> str:
        """As :class:`Renderer`; a Markdown link to an ``sk://`` address goes where the address leads."""
        attrs = token.get("attrs") or {}
        url = str(attrs.get("url", ""))
        if token["type"] != "link" or not url.startswith(_SCHEME):
            return super().render_token(token, state)
        words = self.render_tokens(token.get("children", []), state)
        name, heading = parted(url)
        target: Target | None = state.env["links"].get(key_of(name))
        if target is None:
            return f"<span>{words}</span>"
        href = target.href if target.broken else anchored(target.href, heading)
        return self._anchor(words, href, target.title, target.broken)

    def wiki_link(self, text: str, href: str, title: str, broken: bool) -> str:
        """A link to a skill or document; a broken one looks so."""
        return self._anchor(self.text(text), href, title, broken)

    def _anchor(self, words: str, href: str, title: str, broken: bool) -> str:
        attrs = {"class": "wiki broken" if broken else "wiki", "href": href or None, "title": title or None}
        tag = "a" if href else "span"
        return f"<{tag}{self.render_attrs(attrs)}>{words}</{tag}>"


def links_among(tokens: Iterable[dict[str, Any]]) -> Iterator[Written]:
    """The links that a parsed text (with :func:`wiki_links`) names, in order, each as often as it occurs."""
    for token in tokens:
        attrs = token.get("attrs") or {}
        if token["type"] == "wiki_link":
            yield Written(attrs["label"], key_of(attrs["label"]))
        elif token["type"] == "link" and str(attrs.get("url", "")).startswith(_SCHEME):
            name, _heading = parted(attrs["url"])
            yield Written(unquote(name)[:LONGEST_LABEL], key_of(name))
        yield from links_among(token.get("children", []))
