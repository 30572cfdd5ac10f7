"""What edges are called, from either end; and how wide a name is drawn."""

from __future__ import annotations

import unicodedata

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from skills.models import RELATION_WORDS

# What goes before the other skill's name.
PHRASES: dict[str, Promise] = {
    "duplicate": _("same as"),
    "subset": _("part of"),
    "superset": _("contains"),
    "conflict": _("conflicts with"),
    "complement": _("adds to"),
    "out": _("links to"),
    "in": _("linked from"),
}
LINK_WORD = _("link")
TURNED = {"subset": "superset", "superset": "subset", "out": "in", "in": "out"}
WIDE, NARROW, CAPITAL = 1.0, 0.53, 0.66


def phrase(type_: str) -> str:
    """What stands before the other skill's name, e.g. "conflicts with"."""
    return str(PHRASES.get(type_) or type_.replace("_", " "))


def type_word(kind: str, type_: str) -> str:
    """The name of a type of edge, for legends."""
    return str(LINK_WORD) if kind == "link" else str(RELATION_WORDS.get(type_) or type_.replace("_", " "))


def width(text: str) -> float:
    """About how wide ``text`` is drawn, in ems."""
    return sum(_width_of(letter) for letter in text)


def _width_of(letter: str) -> float:
    if letter.isascii():
        return CAPITAL if letter.isupper() else NARROW
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0.0
    return WIDE if unicodedata.east_asian_width(letter) in "WF" else NARROW + 0.07


def shorten(text: str, ems: float) -> str:
    """``text``, on one line, cut with "…" where it would be wider than ``ems``."""
    text = " ".join(text.split())
    if width(text) <= ems:
        return text
    taken, total = 0, 1.0
    for letter in text:
        total += _width_of(letter)
        if total > ems:
            break
        taken += 1
    return text[:taken].rstrip() + "…"
