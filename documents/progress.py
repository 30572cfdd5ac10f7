"""How runs get on, as it happens: heard over NOTIFY, read from the rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections
from django.utils import translation

from documents.models import UploadBatch
from documents.runs import CHANNEL
from documents.upload import FileReceipt, Receipt, receipt_of
from kbsite.accounts.models import User
from kbsite.notify import Queue, subscribe
from kbsite.sse import frame

# News is gathered for this long before the rows are read, and read without news after that long.
GATHER_SECONDS = 0.2
LOOK_AGAIN_SECONDS = 10.0
DONE = "completed"

_threads = ThreadPoolExecutor(4, thread_name_prefix="documents-rows")


async def in_rows[T](call: Callable[[], T]) -> T:
    """``call()`` in a thread that may use the ORM; its connection goes back to the pool at once."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(_and_hang_up, call))


def _and_hang_up[T](call: Callable[[], T]) -> T:
    try:
        return call()
    finally:
        connections.close_all()


async def changes(wanted: Callable[[str, str], bool]) -> AsyncGenerator[set[str]]:
    """Sets of run ids that changed, as news comes; the first, and any empty one, means "look at all".

    ``wanted`` picks by the ids of batch and run.
    """
    async with subscribe(CHANNEL) as news:
        yield set()
        while True:
            heard = await _heard(news, wanted)
            if heard is not None:
                yield heard


async def _heard(news: Queue, wanted: Callable[[str, str], bool]) -> set[str] | None:
    """The run ids told of within a moment; empty after a long silence; None when none was wanted."""
    try:
        payloads = [await asyncio.wait_for(news.get(), LOOK_AGAIN_SECONDS)]
    except TimeoutError:
        return set()
    await asyncio.sleep(GATHER_SECONDS)
    with suppress(asyncio.QueueEmpty):
        while True:
            payloads.append(news.get_nowait())
    if "" in payloads:
        return set()
    told = [payload.partition(" ") for payload in payloads]
    return {run for batch, _, run in told if wanted(batch, run)} or None


async def batch_events(batch_id: UUID, user: User, language: str) -> AsyncGenerator[bytes]:
    """``file.progress`` for every change of a batch's files, and ``task.completed`` at its end.

    Every file is told of once at the beginning, so that a reader who comes late misses nothing.
    """
    sent: dict[UUID, tuple[str, str, str]] = {}
    name = str(batch_id)
    async for _changed in changes(lambda batch, run: batch == name):
        receipt = await in_rows(partial(_receipt, batch_id, user, language))
        if receipt is None:
            return
        for file in receipt.files:
            state = (file.status, file.run.step if file.run else "", file.reason)
            if sent.get(file.id) != state:
                sent[file.id] = state
                yield frame("file.progress", _progress(receipt, file))
        if receipt.status != "running":
            yield frame("task.completed", _completed(receipt))
            return


def _receipt(batch_id: UUID, user: User, language: str) -> Receipt | None:
    batch = UploadBatch.objects.filter(pk=batch_id).first()
    with translation.override(language):
        return receipt_of(batch, user) if batch else None


def _progress(receipt: Receipt, file: FileReceipt) -> dict[str, Any]:
    """One file; ``step`` is where it is, or how it ended; ``progress`` goes from 0 to 100."""
    step = file.run.step if file.run and file.status in ("queued", "running") else file.status
    step = DONE if step == "done" else step
    document = file.document
    return {
        "task_id": receipt.batch.pk,
        "file_id": file.id,
        "filename": file.filename,
        "step": step,
        "status": file.status,
        "progress": STEPS.get(step, 100),
        "message": file.reason,
        "error": file.reason if file.status == "failed" else None,
        "result": {"document_id": document.pk} if document else None,
    }


STEPS = {"queued": 0, "parsing": 10, "analyzing": 30, "deduping": 55, "storing": 65, "indexing": 75}


def _completed(receipt: Receipt) -> dict[str, Any]:
    return {
        "task_id": receipt.batch.pk,
        "total": len(receipt.files),
        "completed": receipt.completed,
        "failed": sum(file.status == "failed" for file in receipt.files),
        "status": receipt.status,
    }
