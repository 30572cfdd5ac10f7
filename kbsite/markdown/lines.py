"""Line breaks in hard-wrapped text: a blank between words, nothing between two Chinese letters."""

from __future__ import annotations

import re

# Han, kana, their punctuation and full-width forms: scripts that put no blank between words.
_WIDE = re.compile(
    "[\u2e80-\u2fff\u3000-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003ffff]"
)
_BREAK_BETWEEN = re.compile(f"(?<={_WIDE.pattern})\n(?={_WIDE.pattern})")
_SIGNS = "\ue000\ue001"  # what marks a passage is no letter
_MOST_TAGS = 8


def _last(html: str) -> str:
    """The last letter that ``html`` shows, or ``""``."""
    end = len(html)
    for _ in range(_MOST_TAGS):
        while end and html[end - 1] in _SIGNS:
            end -= 1
        if not end or html[end - 1] != ">":
            return html[end - 1 : end] if end else ""
        end = max(html.rfind("<", 0, end), 0)
    return ""


def _first(html: str) -> str:
    """The first letter that ``html`` shows, or ``""``."""
    at = 0
    for _ in range(_MOST_TAGS):
        while at < len(html) and html[at] in _SIGNS:
            at += 1
        if html[at : at + 1] != "<":
            return html[at : at + 1]
        end = html.find(">", at)
        if end < 0:
            return ""
        at = end + 1
    return ""


def join(pieces: list[str], breaks: list[int]) -> str:
    """``pieces`` of HTML together; those at ``breaks`` are line ends, dropped between two wide letters."""
    for at in breaks:
        if (
            0 < at < len(pieces) - 1
            and _WIDE.match(_last(pieces[at - 1]))
            and _WIDE.match(_first(pieces[at + 1]))
        ):
            pieces[at] = ""
    return "".join(pieces)


def unwrapped(text: str) -> str:
    """``text`` without the line ends that stand between two wide letters."""
    return _BREAK_BETWEEN.sub("", text)
