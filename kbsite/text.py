"""Text that can be stored: one sanitiser at every write edge."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """``text`` without NUL and lone surrogates, which PostgreSQL refuses; the rest is kept."""
    return _UNSTORABLE.sub("", text)
