"""Names for files that we hand out: safe on every system, whatever a thing is called."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 120  # bytes; systems allow 255, and archives add folders and numbers
# What some system forbids in a name, or uses to hide how a name ends.
_FORBIDDEN = re.compile(
    '[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff/\\\\:*?"<>|]+'
)
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def safe_name(name: str, longest: int = LONGEST) -> str:
    """``name`` as a file or folder may be called: at most ``longest`` bytes of UTF-8, never empty.

    No separators, control characters, leading or trailing dots, nor names Windows keeps for devices.
    """
    clean = " ".join(_FORBIDDEN.sub(" ", unicodedata.normalize("NFC", name)).split()).strip(". ")
    clean = cut(clean, longest - 1).strip(". ") or "untitled"
    return f"_{clean}" if _RESERVED.fullmatch(clean) else clean


def cut(text: str, most: int) -> str:
    """The beginning of ``text`` that fits in ``most`` bytes of UTF-8, whole characters only."""
    return text.encode()[:most].decode(errors="ignore")


class Names:
    """Gives each thing in one folder a name of its own, also where case is ignored."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str, ending: str = "", longest: int = LONGEST) -> str:
        """``name`` made safe, with ``ending``; “ (2)” and so on after it when it is taken."""
        base = safe_name(name, longest)
        tried, n = f"{base}{ending}", 1
        while tried.casefold() in self._taken:
            n += 1
            tried = f"{base} ({n}){ending}"
        self._taken.add(tried.casefold())
        return tried
