"""``/api/upload``: a batch of files, and how it gets on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.db import connections
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from ninja import File, Form, Header, Router, Status
from ninja.files import UploadedFile

from documents import runs
from documents.models import UploadBatch
from documents.progress import batch_events
from documents.schemas import TaskOut, UploadOut, file_out, task_out
from documents.upload import receipt_of, receive
from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotFound
from kbsite.paging import Done
from kbsite.sse import SSEResponse

router = Router(tags=["documents"])


def uuid_or_none(text: str) -> UUID | None:
    """A form's id; None for an empty one. Raises InvalidInput."""
    if text in ("", "null", "none"):
        return None
    try:
        return UUID(text)
    except ValueError as error:
        raise InvalidInput(_("This is not the id of a folder.")) from error


def take_in(
    request: HttpRequest,
    files: Sequence[DjangoFile[bytes]],
    folder_id: str,
    title: str,
    on_duplicate: str,
    key: str | None,
) -> dict[str, Any]:
    """What :class:`UploadOut` holds, after the files were received."""
    receipt = receive(
        files,
        person(request),
        folder_id=uuid_or_none(folder_id),
        on_duplicate=on_duplicate,
        title=title,
        key=key,
    )
    return {
        "task_id": receipt.batch.pk,
        "stream_url": reverse("api:upload_stream", args=[receipt.batch.pk]),
        "files": [file_out(file) for file in receipt.files],
    }


def _batch(task_id: UUID, user: User) -> UploadBatch:
    """One's own batch, or one with a file that one may see."""
    batch = UploadBatch.objects.filter(pk=task_id).first()
    if batch is None or not (batch.user_id == user.pk or batch.runs.visible_to(user).exists()):
        raise NotFound(_("There is no such upload, or you may not see it."))
    return batch


@router.post("/batch", response={202: UploadOut}, summary="Upload one or many files")
def upload_batch(
    request: HttpRequest,
    file: File[list[UploadedFile]],
    folder_id: Form[str] = "",
    title: Form[str] = "",
    on_duplicate: Form[Literal["ask", "skip", "version", "keep"]] = "ask",
    idempotency_key: Header[str | None] = None,
) -> Status[dict[str, Any]]:
    """The same as ``/api/documents/upload``."""
    return Status(202, take_in(request, file, folder_id, title, on_duplicate, idempotency_key))


@router.get("/tasks/{uuid:task_id}", response=TaskOut, summary="How far an upload is")
def task(request: HttpRequest, task_id: UUID) -> dict[str, Any]:
    """Each file with its state and reason."""
    user = person(request)
    return task_out(receipt_of(_batch(task_id, user), user))


@router.delete("/tasks/{uuid:task_id}", response=Done, summary="Stop what is not finished of an upload")
def stop(request: HttpRequest, task_id: UUID) -> dict[str, bool]:
    """What is ready stays; what was stopped can be retried."""
    user = person(request)
    require(user, "edit")
    runs.cancel_batch(_batch(task_id, user), user)
    return {"success": True}


@router.get(
    "/tasks/{uuid:task_id}/stream", url_name="upload_stream", summary="Follow an upload as server-sent events"
)
def stream(request: HttpRequest, task_id: UUID) -> HttpResponseBase:
    """``file.progress`` for each change, then ``task.completed``."""
    user = person(request)
    batch = _batch(task_id, user)
    response = SSEResponse(batch_events(batch.pk, user, get_language() or "en"))
    connections.close_all()  # nothing of the pool is held while it waits
    return response
