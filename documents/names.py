"""Names of files and folders as people see them. They are never paths."""

from __future__ import annotations

import re
from pathlib import PurePath

from django.utils.translation import gettext as _

LONGEST = 1000
LONGEST_TITLE = 300
# Control characters, and the marks that make text run the other way to hide an ending.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def without_unseen(text: str) -> str:
    """``text`` without the characters that show nothing, or make the rest show otherwise."""
    return _UNSEEN.sub("", text)


def display_name(filename: str) -> str:
    """``filename`` without folders and unseen characters, cut to 1,000; never empty."""
    last = re.split(r"[/\\]", without_unseen(filename).strip())[-1].strip()
    if len(last) <= LONGEST:
        return last or "unnamed"
    ending = PurePath(last).suffix
    return last[: LONGEST - len(ending)] + ending if len(ending) < 20 else last[:LONGEST]


def title_from(filename: str) -> str:
    """The title a document has until its text gives a better one: the name without its ending."""
    return (PurePath(filename).stem or filename)[:LONGEST_TITLE]


def shown_name(name: str, is_system: bool) -> str:
    """The name people see; the system folder's is in their language."""
    return _("Root folder") if is_system else name
