"""Plain text, and everything that reads well as such."""

from __future__ import annotations

import re

from documents.faults import unreadable
from documents.parsers.decoding import Decoded, decode
from documents.parsers.document import Format, Limits, ParsedDocument
from kbsite.text import storable

TOO_MUCH_LOST = 0.1
TOO_MANY_CONTROLS = 0.05
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def is_text(data: bytes) -> bool:
    """Whether the bytes read as text: hardly a control character among them."""
    sample = data[:64_000]
    if b"\x00" in sample and sample.count(0) > 0.3 * len(sample) and decode(sample).encoding[:4] != "utf-":
        return False
    text = decode(sample).text
    return len(_CONTROLS.findall(text)) <= TOO_MANY_CONTROLS * len(text)


def decoded(data: bytes) -> tuple[Decoded, ParsedDocument]:
    """The text of ``data``, and the start of a document that says how it was read."""
    found = decode(data)
    text = storable(found.text)
    if not text.strip():
        raise unreadable("empty")
    if found.lost > TOO_MUCH_LOST:
        raise unreadable("unreadable_text")
    document = ParsedDocument(markdown=text, encoding=found.encoding, mime="text/plain")
    if found.lost:
        document.warn("some_lost", count=text.count("�"))
    return found, document


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """The text as it is."""
    return decoded(data)[1]


FORMAT = Format(
    name="txt",
    label="plain text",
    mime="text/plain",
    extensions=(
        "txt",
        "text",
        "log",
        "srt",
        "vtt",
        "csv",
        "tsv",
        "json",
        "yaml",
        "yml",
        "toml",
        "ini",
        "rst",
    ),
    is_one=is_text,
    parser=__name__,
)
