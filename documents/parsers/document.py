"""What a parser returns, and how a format joins the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class ParsedDocument:
    """A file as text.

    ``page_starts`` are character offsets into ``markdown``, one per page, empty when the format
    has no pages; ``language`` is a BCP 47 tag or empty; ``encoding`` is how the bytes were read,
    for text formats; each of ``warnings`` is a ``code`` and its parameters, which
    :func:`documents.faults.sentence` puts into words.
    """

    markdown: str
    title: str = ""
    language: str = ""
    encoding: str = ""
    mime: str = ""
    pages: int | None = None
    page_starts: list[int] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: list[dict[str, Any]] = field(default_factory=list)

    def warn(self, code: str, **params: Any) -> None:
        """Add a warning for people."""
        self.warnings.append({"code": code, **params})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one file may ask of the machine. ``inflated_mb`` is what a zip may unpack to."""

    pages: int = 5000
    seconds: float = 300.0
    memory_mb: int = 2048
    inflated_mb: int = 1000


class Parse(Protocol):
    """Turns bytes into a :class:`ParsedDocument` or raises UnreadableFile."""

    def __call__(self, data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. ``is_one`` tells by content; ``extensions`` settle what content leaves open.

    ``label`` is an English name marked for translation. ``parser`` is a module with a
    :class:`Parse` named ``parse``; ``alone`` has it run in a process of its own, because native
    code can crash, hang or take all memory.
    """

    name: str
    label: str
    mime: str
    extensions: tuple[str, ...]
    is_one: Callable[[bytes], bool]
    parser: str
    alone: bool = False
