"""What addresses and forms send, made sense of: ids and numbers."""

from __future__ import annotations

import uuid

MOST_DIGITS = 9  # What fits into a column of whole numbers.


def as_id(text: str | None) -> uuid.UUID | None:
    """The id that ``text`` is; None for nothing and for nonsense."""
    try:
        return uuid.UUID(text or "")
    except ValueError:
        return None


def as_number(text: str | None, default: int = 0) -> int:
    """The number that ``text`` is, digits only, nine at most; ``default`` for nothing and for nonsense."""
    return int(text) if text and text.isdecimal() and len(text) <= MOST_DIGITS else default
