"""The renderer, and the list of what its output may contain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import nh3
from django.utils.translation import gettext as _
from mistune import HTMLRenderer
from mistune.core import BlockState
from mistune.util import escape, striptags
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from kbsite.markdown import formula, front, lines

HIGHLIGHT_LIMIT = 50_000  # characters; a longer listing is shown plain
ALL_HIGHLIGHTED = 200_000  # characters of one text that are coloured
NAMED_FIELDS = 6  # more are named only when the front matter is unfolded
HEADING_SHIFT = 2  # a page keeps its one h1, and its sections are h2

_FORMATTER = HtmlFormatter(nowrap=True)
_KEPT_TAGS = re.compile(r"</?(?:br|sub|sup|kbd)\s*/?>", re.IGNORECASE)
_BREAK = re.compile(r"(?:[ \t]*<br\s*/?>)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\u2028\u2029]")

PICTURE = re.compile(r"/pictures/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/")

_CLEANER = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
        *("span", "div", "section", "a", "em", "strong", "del", "sub", "sup", "kbd", "mark", "input"),
        *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "img"),
        *formula.TAGS,
    },
    attributes={
        "*": {"class", "dir", "id"},
        "a": {"href", "title", "rel", "aria-label", "data-cite"},
        "span": {"title"},
        "ol": {"start"},
        "div": {"tabindex", "role", "aria-label"},
        "pre": {"data-language", "tabindex"},
        "input": {"disabled", "checked", "aria-label"},
        "img": {"src", "alt", "title", "loading"},
        **{tag: set(formula.ATTRIBUTES) for tag in formula.TAGS},
    },
    tag_attribute_values={"input": {"type": {"checkbox"}}},
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
    clean_content_tags={"script", "style"},
)
_OTHER_IMG = re.compile(rf'<img (?![^>]*src="{PICTURE.pattern}")[^>]*>')


def clean(html: str) -> str:
    """``html`` with what is on our lists, and no picture but our own."""
    return _OTHER_IMG.sub("", _CLEANER.clean(html))


def uncommented(html: str) -> str:
    """``html`` without its comments; one that never ends stays."""
    kept, at = [], 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        kept.append(html[at:start])
        at = end + 3
    return "".join([*kept, html[at:]])


def safe_link(url: str) -> str:
    """``url`` if a person may follow it (http, https, mailto, our own pages, ``sk://``), else ``""``.

    ``sk://skills/x`` becomes the skill's page. A link relative to wherever a document once stood leads
    nowhere here, so only paths from the root and fragments pass.
    """
    bare = _CONTROL.sub("", unquote(url)).replace("\\", "/")
    if bare.startswith("sk://"):
        kind, _slash, name = bare.removeprefix("sk://").partition("/")
        if kind == "knowledge" and name:
            return f"/sk/knowledge/{quote(name)}/"
        return f"/{kind}/{quote(name)}/" if kind in {"skills", "documents"} and name else ""
    if url.startswith(("#", "/")) and not bare.startswith("//"):
        return url
    try:
        parts = urlsplit(bare)
    except ValueError:
        return ""
    if parts.scheme == "mailto":
        return url.strip()
    return url.strip() if parts.scheme in {"http", "https"} and parts.netloc else ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def code_block(code: str, language: str = "") -> str:
    """``code`` as a ``<pre>`` with Pygments' classes where the language is known."""
    lexer = _lexer(language.lower()) if language and len(code) < HIGHLIGHT_LIMIT else None
    body = highlight(code, lexer, _FORMATTER) if lexer else escape(code, quote=False)
    named = f' data-language="{escape(language)}"' if language else ""
    return f'<pre class="code"{named} tabindex="0"><code>{body}</code></pre>\n'


def _within_budget(token: dict[str, Any], state: BlockState) -> dict[str, Any]:
    """``token``, or a plain listing once the text has drawn and coloured as much as one may."""
    kind = token["type"]
    if kind in {"block_math", "inline_math"}:
        state.env["drawn"] = state.env.get("drawn", 0) + 1
        if state.env["drawn"] > formula.MOST:
            return {"type": "codespan" if kind == "inline_math" else "block_code", "raw": token["raw"]}
    elif kind == "block_code" and token.get("attrs"):
        state.env["coloured"] = state.env.get("coloured", 0) + len(token["raw"])
        if state.env["coloured"] > ALL_HIGHLIGHTED:
            return {"type": kind, "raw": token["raw"]}
    return token


class Renderer(HTMLRenderer):
    """Class-based HTML without inline style; ``env`` carries ``dir`` and ``prefix`` per text."""

    def __init__(self) -> None:
        super().__init__(escape=True)

    def render_token(self, token: dict[str, Any], state: BlockState) -> str:
        """The token's HTML. Headings and footnotes need the text's own prefix, blocks its direction."""
        token = _within_budget(token, state)
        kind = token["type"]
        if kind in {"footnote_ref", "footnote_item"}:
            token.setdefault("attrs", {})["prefix"] = state.env.get("prefix", "")
        html = super().render_token(token, state)
        if state.env.get("rtl") and kind in {"paragraph", "heading", "list", "block_quote", "table_cell"}:
            return re.sub(r"^(<\w+)", r'\1 dir="auto"', html, count=1)
        return html

    def render_tokens(self, tokens: Iterable[dict[str, Any]], state: BlockState) -> str:
        """The tokens' HTML; a line end between two Chinese letters is none."""
        pieces: list[str] = []
        breaks: list[int] = []
        for token in tokens:
            if token["type"] == "softbreak":
                breaks.append(len(pieces))
            pieces.append(self.render_token(token, state))
        return lines.join(pieces, breaks) if breaks else "".join(pieces)

    def text(self, text: str) -> str:
        """Escaped text; quotes stay as they are, which attributes never see."""
        return escape(text, quote=False)

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """A heading two levels down."""
        return super().heading(text, min(level + HEADING_SHIFT, 6), **attrs)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link that is safe to follow, or its text."""
        href = safe_link(url)
        if not href:
            return f"<span>{text}</span>"
        rel = None if href.startswith(("/", "#")) else "noopener noreferrer nofollow"
        return f"<a{self.render_attrs({'href': href, 'title': title, 'rel': rel})}>{text}</a>"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture of ours, or a link to one: nothing is loaded from elsewhere by looking at a page."""
        label = striptags(text) or title or _("Image")
        if PICTURE.fullmatch(url):
            attrs = {"src": url, "alt": striptags(text), "title": title}
            return f'<img{self.render_attrs(attrs)} loading="lazy">'
        href = safe_link(url)
        if not href.startswith(("http:", "https:")):
            return f'<span class="image">{label}</span>'
        attrs = {"class": "image", "href": href, "rel": "noopener noreferrer nofollow"}
        return f"<a{self.render_attrs(attrs)}>{label}</a>"

    def inline_html(self, html: str) -> str:
        """Line breaks and sub- and superscripts pass, comments vanish, the rest is shown as text."""
        if _KEPT_TAGS.fullmatch(html):
            return html.lower()
        return "" if html.startswith("<!--") and html.endswith("-->") else escape(html, quote=False)

    def block_html(self, html: str) -> str:
        """Shown as text; a block that is only comments or breaks is dropped."""
        rest = _BREAK.sub("", uncommented(html)).strip()
        return f"<p>{escape(rest, quote=False)}</p>\n" if rest else ""

    def block_code(self, code: str, info: str | None = None) -> str:
        """A listing."""
        words = (info or "").split()
        return code_block(code, words[0] if words else "")

    def block_math(self, text: str) -> str:
        """A formula on lines of its own, or its source where it can't be drawn."""
        drawn = formula.mathml(text, block=True)
        if drawn:
            label = escape(_("Formula"))
            return f'<div class="formula" tabindex="0" role="group" aria-label="{label}">{drawn}</div>\n'
        return f'<pre class="code math" tabindex="0"><code>{escape(text, quote=False)}</code></pre>\n'

    def inline_math(self, text: str) -> str:
        """A formula in the line, or its source where it can't be drawn."""
        return formula.mathml(text) or f'<code class="math">{escape(text, quote=False)}</code>'

    def front_matter(self, top: front.Front) -> str:
        """The fields at the top of a text, folded; what can't be read of them as a listing."""
        if top.unread:
            return code_block(top.unread, "yaml")
        fields = top.fields
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(front.shown(value))}</td></tr>"
            for name, value in fields.items()
        )
        names = escape(", ".join(fields) if len(fields) <= NAMED_FIELDS else "")
        label = escape(_("Front matter"))
        return (
            f'<details class="front-matter"><summary>{label} <span>{names}</span></summary>'
            f"{self.table(f'<tbody>{rows}</tbody>')}</details>\n"
        )

    def citation(self, text: str, number: int, href: str) -> str:
        """The numbered chip that opens a source."""
        label = _("Source %(number)d") % {"number": number}
        attrs = {"class": "cite", "href": href, "data-cite": number, "aria-label": label}
        return f"<a{self.render_attrs(attrs)}>{number}</a>"

    def table(self, text: str) -> str:
        """A table that scrolls by itself when it is wide."""
        label = escape(_("Table"))
        attrs = f'class="table" role="region" aria-label="{label}" tabindex="0"'
        return f"<div {attrs}><table>\n{text}</table></div>\n"

    def table_head(self, text: str) -> str:
        """The first row."""
        return f"<thead><tr>{text}</tr></thead>\n"

    def table_body(self, text: str) -> str:
        """The other rows."""
        return f"<tbody>{text}</tbody>\n"

    def table_row(self, text: str) -> str:
        """A row."""
        return f"<tr>{text}</tr>\n"

    def table_cell(self, text: str, align: str = "", head: bool = False) -> str:
        """A cell, its alignment a class."""
        tag = "th" if head else "td"
        return f'<{tag} class="{align}">{text}</{tag}>' if align else f"<{tag}>{text}</{tag}>"

    def task_list_item(self, text: str, checked: bool = False) -> str:
        """An item with a box that can't be ticked here."""
        label = escape(_("Done") if checked else _("To do"))
        box = f'<input type="checkbox" disabled{" checked" if checked else ""} aria-label="{label}">'
        inner = text.replace("<p>", f"<p>{box}", 1) if text.startswith("<p>") else box + text
        return f'<li class="task">{inner}</li>\n'

    def strikethrough(self, text: str) -> str:
        """Struck text."""
        return f'<del class="struck">{text}</del>'

    def footnote_ref(self, key: str, index: int, prefix: str) -> str:
        """The raised number of a footnote."""
        return f'<sup id="{prefix}fnref-{index}"><a href="#{prefix}fn-{index}">{index}</a></sup>'

    def footnotes(self, text: str) -> str:
        """All footnotes."""
        return f'<section class="footnotes"><ol>{text}</ol></section>\n'

    def footnote_item(self, text: str, key: str, index: int, prefix: str) -> str:
        """One footnote with its way back."""
        word = escape(_("Back to the text"))
        back = f' <a href="#{prefix}fnref-{index}" aria-label="{word}">↩</a>'
        body = text.rstrip()
        body = body.removesuffix("</p>") + back + "</p>" if body.endswith("</p>") else body + back
        return f'<li id="{prefix}fn-{index}">{body}</li>\n'
