"""Another engine's reading of a page whose letters pdfium can't make out."""

from __future__ import annotations

import io

import pypdf
from pypdf.errors import PyPdfError

from documents.parsers.pdf.pieces import Piece, clean
from documents.parsers.pdf.rows import Row

LINE = 12.0


def second_opinion(data: bytes, number: int, password: str | None) -> list[Row]:
    """The page's lines as pypdf reads them, one row each; empty when it can't either."""
    try:
        reader = pypdf.PdfReader(io.BytesIO(data), password=password)
        text = clean(reader.pages[number].extract_text())
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return []
    lines = [line for line in text.splitlines() if line.strip()]
    return [Row([Piece(line, 0.0, -n * LINE, 500.0, -n * LINE + 10.0, 10.0)]) for n, line in enumerate(lines)]
