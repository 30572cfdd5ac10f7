"""A version's bytes, as they came, always as a file to be saved."""

from __future__ import annotations

from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.core.files.base import File
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

from documents.faults import unreadable
from documents.models import DocumentVersion

CHUNK = 1 << 20


def as_attachment(version: DocumentVersion) -> HttpResponseBase:
    """The response: an attachment under the file's own name, never shown in the page, never sniffed.

    Raises UnreadableFile when the bytes are gone from storage.
    """
    try:
        file = version.file.open("rb")
    except FileNotFoundError as error:
        raise unreadable("missing_bytes") from error
    response = StreamingHttpResponse(_pieces(file), content_type="application/octet-stream")
    response["Content-Disposition"] = (
        content_disposition_header(True, version.document.filename) or "attachment"
    )
    response["Content-Length"] = str(version.size)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-cache"
    return response


async def _pieces(file: File[bytes]) -> AsyncIterator[bytes]:
    """A piece at a time, so that a large file is never in memory whole."""
    read = sync_to_async(file.read, thread_sensitive=False)
    try:
        while piece := await read(CHUNK):
            yield piece
    finally:
        await sync_to_async(file.close, thread_sensitive=False)()
