"""The first step of a run: a version's bytes become its Markdown."""

from __future__ import annotations

import math
from typing import Any

from documents.faults import unreadable
from documents.models import DocumentVersion, IngestRun
from documents.names import LONGEST_TITLE, title_from
from documents.parsers import ParsedDocument, parse
from documents.unlock import take_password
from kbsite.text import storable


def read(run: IngestRun) -> DocumentVersion:
    """The run's version with its Markdown, pages, encoding and metadata saved.

    A title or tags found in the text are the document's where nobody gave any. Raises
    UnreadableFile; its code "password" means that a person has to unlock the file.
    """
    version = run.version
    try:
        with version.file.open("rb") as file:
            data = file.read()
    except FileNotFoundError as error:
        raise unreadable("missing_bytes") from error
    parsed = parse(data, version.document.filename, password=take_password(run))
    _save(version, parsed)
    _describe(version, parsed)
    return version


def _save(version: DocumentVersion, parsed: ParsedDocument) -> None:
    version.markdown = parsed.markdown
    version.mime = parsed.mime
    version.encoding = parsed.encoding
    version.language = parsed.language
    version.pages = parsed.pages
    version.page_starts = parsed.page_starts
    version.metadata = _storable(parsed.metadata)
    version.warnings = _storable(parsed.warnings)
    version.save(
        update_fields=[
            *("markdown", "mime", "encoding", "language", "pages"),
            *("page_starts", "metadata", "warnings"),
        ]
    )


def _storable(value: Any) -> Any:
    """``value`` with nothing in it that a JSON column refuses: NUL, lone surrogates, NaN, infinities."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(key)): _storable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _describe(version: DocumentVersion, parsed: ParsedDocument) -> None:
    document = version.document
    fields = []
    if parsed.title and document.title == title_from(document.filename):
        document.title = storable(parsed.title)[:LONGEST_TITLE]
        fields.append("title")
    tags = [storable(tag)[:60] for tag in parsed.metadata.get("tags") or [] if isinstance(tag, str)]
    if tags and not document.tags:
        document.tags = tags[:50]
        fields.append("tags")
    if fields:
        document.save(update_fields=[*fields, "updated_at"])
