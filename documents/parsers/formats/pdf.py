"""PDF."""

from __future__ import annotations

from documents.parsers.document import Format

HEAD = 1024


def is_pdf(data: bytes) -> bool:
    """Whether the mark stands near the beginning, where readers look for it."""
    return b"%PDF-" in data[:HEAD]


FORMAT = Format(
    name="pdf",
    label="PDF",
    mime="application/pdf",
    extensions=("pdf",),
    is_one=is_pdf,
    parser="documents.parsers.pdf",
    alone=True,
)
