"""Rows of the documents page that change under the reader's eyes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.template.loader import render_to_string
from django.utils import translation

from documents.listing import with_run
from documents.models import Document
from documents.page import BatchView, RowView, batch_view, row_views
from documents.progress import changes, in_rows
from kbsite.accounts.models import User
from kbsite.sse import frame

RETRY = b"retry: 2000\n\n"


async def page_events(
    user: User, ids: Collection[UUID], batch_id: UUID | None, language: str
) -> AsyncGenerator[bytes]:
    """``rows`` events with the rows of ``ids`` and the batch bar, each when it changed, as pieces that
    htmx puts in their places; ``end`` when nothing of it moves any more."""
    yield RETRY
    shown: dict[str, str] = {}
    followed = {str(batch_id)}
    async for _changed in changes(lambda batch, run: batch in followed or run in followed):
        seen = await in_rows(partial(_look, user, ids, batch_id, language))
        followed.update(seen.runs)
        fresh = {place: html for place, html in seen.pieces.items() if shown.get(place) != html}
        shown |= fresh
        for html in fresh.values():
            # One at a time: a browser that reads <tr> first takes what follows for a table's.
            yield frame("rows", html)
        if not seen.is_live:
            yield frame("end", "")
            return


@dataclass(frozen=True, slots=True)
class _Seen:
    """HTML by place, the runs behind it, and whether anything still moves."""

    pieces: dict[str, str]
    runs: set[str]
    is_live: bool


def _look(user: User, ids: Collection[UUID], batch_id: UUID | None, language: str) -> _Seen:
    with translation.override(language):
        found = with_run(Document.objects.visible_to(user)).filter(pk__in=ids)
        views = row_views(found, user)
        batch = batch_view(user, batch_id) if batch_id else None
        pieces = {str(view.document.pk): _row(view, user) for view in views}
        if batch is not None:
            pieces["batch"] = _batch(batch, user)
    is_live = any(view.is_open for view in views) or bool(batch and batch.receipt.open)
    return _Seen(pieces, {str(view.document.run_id) for view in views}, is_live)


def _row(view: RowView, user: User) -> str:
    return render_to_string("documents/row.html", {"view": view, "user": user, "oob": True})


def _batch(batch: BatchView, user: User) -> str:
    return render_to_string("documents/batch.html", {"batch": batch, "user": user, "oob": True})
