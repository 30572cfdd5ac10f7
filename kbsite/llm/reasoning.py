"""Models that think aloud: their thoughts apart from their answer, in whole texts and in streams."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["answer", "reasoning"]

_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "</think>", "</thinking>")


class Piece(NamedTuple):
    """A stretch of one kind."""

    kind: Kind
    text: str


class Splitter:
    """Splits one streamed message: ``feed`` each chunk, then ``close``.

    A tag may be cut anywhere between chunks. A thought that is never closed turns out to be the
    answer: ``close`` gives its text again as such. Tags inside code are text. ``answer`` and
    ``reasoning`` are what it all came to; a stray ``</think>`` makes what came before it a thought.
    """

    def __init__(self) -> None:
        self.answer = ""
        self.reasoning = ""
        self._held = ""
        self._thought: str | None = None

    def feed(self, text: str) -> list[Piece]:
        """What can be shown of the stream so far, beyond what was given before."""
        self._held += text
        pieces: list[Piece] = []
        while self._held:
            tag = (_OPEN if self._thought is None else _CLOSE).search(self._held)
            stray = _CLOSE.search(self._held) if self._thought is None else None
            if stray is not None and (tag is None or stray.start() < tag.start()):
                pieces += self._give(self._held[: stray.start()])
                self._stray(stray)
            elif tag is not None:
                pieces += self._give(self._held[: tag.start()])
                pieces += self._turn(tag)
            else:
                keep = _begun_tag(self._held)
                pieces += self._give(self._held[: len(self._held) - keep])
                self._held = self._held[len(self._held) - keep :]
                break
        return pieces

    def close(self) -> list[Piece]:
        """What was held back; an unclosed thought as the answer it must have been."""
        rest, self._held = self._held, ""
        pieces = self._give(rest)
        if self._thought is not None:
            text, self._thought = self._thought, None
            self.reasoning = self.reasoning.removesuffix(text)
            pieces += self._give(text.lstrip())
        return pieces

    def _give(self, text: str) -> list[Piece]:
        if self._thought is not None:
            self._thought += text
            self.reasoning += text
            return [Piece("reasoning", text)] if text else []
        if not self.answer:
            text = text.lstrip()
        self.answer += text
        return [Piece("answer", text)] if text else []

    def _turn(self, tag: re.Match[str]) -> list[Piece]:
        self._held = self._held[tag.end() :]
        if self._thought is None and in_code(self.answer):
            return self._give(tag.group(0))
        self._thought = "" if self._thought is None else None
        return []

    def _stray(self, tag: re.Match[str]) -> None:
        self._held = self._held[tag.end() :]
        if in_code(self.answer):
            self.answer += tag.group(0)
        else:
            self.reasoning, self.answer = self.reasoning + self.answer, ""


def in_code(text: str) -> bool:
    """Whether what follows ``text`` would be inside a code fence or inline code of Markdown."""
    lines = text.split("\n")
    fences = sum(line.lstrip().startswith(("```", "~~~")) for line in lines)
    return fences % 2 == 1 or lines[-1].count("`") % 2 == 1


def _begun_tag(text: str) -> int:
    """How many letters at the end of ``text`` may be the start of a tag."""
    at = text.rfind("<")
    tail = text[at:].lower()
    return len(tail) if at >= 0 and any(tag.startswith(tail) for tag in _TAGS) else 0


def split(text: str) -> tuple[str, str]:
    """(answer, reasoning) of a whole text, both stripped."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.close()
    return splitter.answer.strip(), splitter.reasoning.strip()


def strip(text: str) -> str:
    """``text`` without its thoughts; never empty where there was text."""
    answer, reasoning = split(text)
    return answer or reasoning
