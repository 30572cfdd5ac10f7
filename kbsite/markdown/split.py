"""Markdown cut into the blocks that stand on their own, for texts that are still growing."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,}|\$\$|\\\[)")
_BULLET = re.compile(r"^ {0,3}[-*+](?:\s|$)")
_NUMBER = re.compile(r"^ {0,3}\d{1,9}(?:[.)](?:\s|$)|$)")  # "1" alone may become "1."
_NOTE = re.compile(r"^\[\^[^\]\s]+\]:")


def _closes(line: str, opener: str) -> bool:
    text = line.strip()
    if opener == "$$":
        return text.endswith("$$")
    if opener == "\\[":
        return text.endswith("\\]")
    return text.startswith(opener) and not text.strip(opener[0])


def _opens(line: str) -> str:
    """The fence that ``line`` leaves open, or ``""``."""
    match = _FENCE.match(line)
    if not match:
        return ""
    opener, rest = match[1], line[match.end() :].rstrip()
    if opener[0] == "`" and "`" in rest:
        return ""
    if rest and ((opener == "$$" and rest.endswith("$$")) or (opener == "\\[" and rest.endswith("\\]"))):
        return ""
    return opener


def _goes_on(first: str, line: str) -> bool:
    """Whether ``line``, after a blank one, still belongs to the block that ``first`` began."""
    for item in (_BULLET, _NUMBER):
        if item.match(first):
            return line.startswith(("  ", "\t")) or bool(item.match(line))
    if _NOTE.match(first):
        return line.startswith(("  ", "\t"))
    return line.startswith(("    ", "\t")) and first.startswith(("    ", "\t"))


def blocks(text: str) -> list[str]:
    """``text`` cut into top-level blocks; joined they are ``text`` again.

    All but the last are closed: whatever is appended to ``text`` changes the last one only. An open
    fence (code, ``$$``, ``\\[``) is one block to the end; a list with gaps is one block.
    """
    parts: list[str] = []
    current: list[str] = []
    fence, blank = "", False
    for line in text.splitlines(keepends=True):
        if fence:
            current.append(line)
            fence = "" if _closes(line, fence) else fence
            continue
        if not line.strip():
            current.append(line)
            blank = bool(current[0].strip()) or blank
            continue
        if blank and not _goes_on(current[0], line):
            parts.append("".join(current))
            current = []
        blank = False
        current.append(line)
        fence = _opens(line)
    if current:
        parts.append("".join(current))
    return parts
