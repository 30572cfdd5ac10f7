"""Files to Markdown: a table of formats, told apart by content, each read within limits."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from django.conf import settings

from documents.faults import unreadable
from documents.parsers.alone import read_alone
from documents.parsers.document import Format, Limits, Parse, ParsedDocument
from documents.parsers.language import language_of
from documents.parsers.sniff import BY_EXTENSION, extension_of, format_of
from kbsite.text import storable

__all__ = ["ParsedDocument", "parse"]


def parse(data: bytes, filename: str, *, password: str | None = None) -> ParsedDocument:
    """``data`` as Markdown with what is known about it.

    ``filename`` is a hint only: content decides. Raises UnreadableFile, whose ``code`` is the
    kind of fault (empty, password, damaged, unknown_type, too_large, no_text, unreadable_text,
    too_many_pages, timeout) and whose sentence says what to do.
    """
    if len(data) > settings.KB_MAX_FILE_MB * 1_000_000:
        raise unreadable("too_large", limit=settings.KB_MAX_FILE_MB)
    format = format_of(data, filename)
    limits = Limits(
        pages=settings.KB_MAX_PAGES,
        seconds=settings.KB_PARSE_SECONDS,
        memory_mb=settings.KB_PARSE_MEMORY_MB,
    )
    document = _run(format, data, password, limits)
    document.markdown = storable(document.markdown)
    document.title = storable(document.title)[:300]
    document.mime = document.mime or format.mime
    document.language = document.language or language_of(document.markdown)
    named = BY_EXTENSION.get(extension_of(filename))
    if named is not None and named.mime != document.mime and format.name != "txt":
        document.warn("named_otherwise", named=named.label, kind=format.label)
    return document


def _run(format: Format, data: bytes, password: str | None, limits: Limits) -> ParsedDocument:
    if format.alone:
        return read_alone(format.parser, data, password, limits)
    parse = cast(Parse, import_module(format.parser).parse)
    return parse(data, password=password, limits=limits)
