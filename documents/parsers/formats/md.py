"""Markdown: kept as written, with its front matter as metadata."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from documents.faults import unreadable
from documents.parsers.document import Format, Limits, ParsedDocument
from documents.parsers.formats.txt import decoded, is_text

FRONT_MATTER_LIMIT = 64_000
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(
    r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1[`~]*[ \t]*$|^ {0,3}(?:`{3,}|~{3,}).*\Z", re.DOTALL | re.MULTILINE
)
_FIRST_HEADING = re.compile(r"^ {0,3}#[ \t]+(.+?)[ \t#]*$|^(\S.*)\n=+[ \t]*$", re.MULTILINE)


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases: a few lines of them can stand for more than memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """The Markdown without its front matter; title and tags from that, else from the first heading."""
    document = decoded(data)[1]
    document.mime = "text/markdown"
    if match := _FRONT_MATTER.match(document.markdown):
        _take_front_matter(document, match)
    if not document.markdown.strip():
        raise unreadable("empty")
    document.title = document.title or first_heading(document.markdown)
    return document


def first_heading(markdown: str) -> str:
    """The first heading of level 1 outside code fences, without its marks; "" when there is none."""
    match = _FIRST_HEADING.search(_FENCE.sub("", markdown))
    return (match[1] or match[2]).strip() if match else ""


def _take_front_matter(document: ParsedDocument, match: re.Match[str]) -> None:
    if len(match[1]) > FRONT_MATTER_LIMIT:
        return
    try:
        found = yaml.load(match[1], Loader=_PlainLoader)  # noqa: S506 - derived from SafeLoader
        metadata = json.loads(json.dumps(found, default=str))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        document.warn("front_matter_broken")
        return
    if not isinstance(metadata, dict):
        return
    document.metadata = metadata
    document.markdown = document.markdown[match.end() :].lstrip("\n")
    document.title = _text(metadata.get("title"))
    metadata["tags"] = _tags(metadata.get("tags") or metadata.get("keywords"))


def _text(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _tags(value: Any) -> list[str]:
    """``[a, b]``, ``a, b`` and ``a b`` alike."""
    parts = re.split(r"[,，、;；]|\s+", value) if isinstance(value, str) else value
    return [tag for part in parts if (tag := _text(part).lstrip("#"))] if isinstance(parts, list) else []


FORMAT = Format(
    name="md",
    label="Markdown",
    mime="text/markdown",
    extensions=("md", "markdown", "mdown", "mkd", "mdx", "qmd"),
    is_one=is_text,
    parser=__name__,
)
