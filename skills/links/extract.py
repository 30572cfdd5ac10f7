"""The links that a text of any length names."""

from __future__ import annotations

from collections.abc import Iterator

from kbsite.markdown import written_links
from kbsite.markdown.links import Written
from skills.parts import parts

MOST_LINKS = 2_000  # different ones that one text may have; more are plain words
SIGNS = ("[[", "sk://")


def has_links(text: str) -> bool:
    """Whether it is worth looking for links in ``text``."""
    return any(sign in text for sign in SIGNS)


def found_in(*texts: str) -> list[Written]:
    """The different links of ``texts`` by key, in order, at most :data:`MOST_LINKS`."""
    found: dict[str, Written] = {}
    for written in _each(texts):
        if written.key:
            found.setdefault(written.key, written)
        if len(found) >= MOST_LINKS:
            break
    return list(found.values())


def _each(texts: tuple[str, ...]) -> Iterator[Written]:
    for text in texts:
        if not has_links(text):
            continue
        for part in parts(text):
            piece = part.text(text)
            if has_links(piece):
                yield from written_links(piece)
