"""Lengths in the built-in embedding model's tokens: what passages and windows are measured in."""

from __future__ import annotations

from kbsite.llm.e5.tokenizer import tokenizer


def count(text: str) -> int:
    """How many tokens ``text`` has, without those the model adds itself."""
    return len(tokenizer().ids(text)) if text else 0


def offsets(text: str) -> list[tuple[int, int]]:
    """For each token the span of characters in ``text`` that it stands for.

    Starts and ends never go back, and no span of a word begins with white space. Five million
    characters take seconds.
    """
    if not text:
        return []
    tokens = tokenizer().tokens(text)
    return list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
