"""Numbers in an answer: found in every form models write them, and kept only where there is a source."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import pairwise

# [1]  [1, 2]  [1-3]  【2】  【2†source】  ［１］, but no [1](link) and no [1]: definition.
_MARK = re.compile(
    r"(?P<gap>[ \t]*)[\[［【]\s*(?P<list>\d{1,2}(?:\s*[,，、;；\-–]\s*\d{1,2})*)\s*"
    r"(?:†[^\]］】\n]{0,60})?[\]］】](?!\(|:\s)"
)
_BEGUN = re.compile(r"[\[［【][\s\d,，、;；\-–]*$")
_CODE = re.compile(
    r"(?P<fence>^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\2[`~]*[ \t]*$|\Z))|(`+)(?!`).+?(?<!`)\3(?!`)",
    re.M | re.S,
)
WIDEST_RANGE = 20


def _numbers(listed: str) -> list[int]:
    parts = re.split(r"\s*([,，、;；\-–])\s*", listed)
    found = [int(parts[0])]
    for separator, number in zip(parts[1::2], parts[2::2], strict=True):
        low, high = found[-1], int(number)
        if separator in "-–" and low < high <= low + WIDEST_RANGE:
            found.extend(range(low + 1, high + 1))
        else:
            found.append(high)
    return found


def _prose(text: str) -> Iterator[tuple[bool, str]]:
    """``text`` in stretches: (is it prose?, stretch). Code is never searched for numbers."""
    edges = [0, *(edge for m in _CODE.finditer(text) for edge in m.span()), len(text)]
    for index, (start, end) in enumerate(pairwise(edges)):
        yield index % 2 == 0, text[start:end]


def cited(text: str) -> list[int]:
    """The numbers cited in ``text``, each once, in order of appearance; those in code don't count."""
    seen: dict[int, None] = {}
    for is_prose, stretch in _prose(text):
        for mark in _MARK.finditer(stretch) if is_prose else ():
            seen.update(dict.fromkeys(_numbers(mark["list"])))
    return list(seen)


def tidy(text: str, known: Container[int]) -> str:
    """``text`` with every citation as ``[n]``, and without numbers that no source has."""

    def rewrite(mark: re.Match[str]) -> str:
        kept = "".join(f"[{n}]" for n in dict.fromkeys(_numbers(mark["list"])) if n in known)
        return mark["gap"] + kept if kept else ""

    return "".join(_MARK.sub(rewrite, s) if is_prose else s for is_prose, s in _prose(text))


def without(text: str) -> str:
    """``text`` with no citations at all: for history, where the numbers would mean other sources."""
    return tidy(text, ())


def complete(text: str) -> str:
    """``text`` without a citation that has only begun to arrive at its end."""
    return _BEGUN.sub("", text)
