"""What a curator's text changes in the shipped one, line by line."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal, NamedTuple


class Line(NamedTuple):
    """A line of either text, or of both."""

    kind: Literal["same", "added", "removed"]
    text: str


def difference(shipped: str, changed: str) -> list[Line]:
    """The lines of both texts in order; empty when they are equal."""
    if shipped == changed:
        return []
    old, new = shipped.split("\n"), changed.split("\n")
    found: list[Line] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [Line("same", text) for text in old[a1:a2]]
        else:
            found += [Line("removed", text) for text in old[a1:a2]]
            found += [Line("added", text) for text in new[b1:b2]]
    return found
