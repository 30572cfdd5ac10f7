"""Word since 2007."""

from __future__ import annotations

from documents.parsers.archive import entry_names
from documents.parsers.document import Format


def is_docx(data: bytes) -> bool:
    """Whether it is a zip with a Word document inside."""
    return data.startswith(b"PK") and any(name.startswith("word/") for name in entry_names(data) or ())


FORMAT = Format(
    name="docx",
    label="Word document",
    mime="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    extensions=("docx", "docm", "dotx"),
    is_one=is_docx,
    parser="documents.parsers.docx",
    alone=True,
)
