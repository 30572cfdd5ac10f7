"""``/api/documents``."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Field, File, Form, Header, Query, Router, Status
from ninja.files import UploadedFile

from documents import folders, runs, trash
from documents.decide import decide
from documents.download import as_attachment
from documents.duplicates import hide_unseen
from documents.listing import ORDER, Filters, find, listed, matching, rows, snippet
from documents.schemas import (
    DecideIn,
    DocumentOut,
    Found,
    MoveIn,
    UnlockIn,
    UploadOut,
    VersionOut,
    document_out,
    version_out,
)
from documents.unlock import unlock
from documents.upload_api import take_in, uuid_or_none
from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.paging import Done, Page, Paging, paginate

router = Router(tags=["documents"])


def _answer(document_id: UUID, user: User) -> dict[str, Any]:
    return document_out(rows([find(document_id, user)], user)[0])


@router.get("", response=Page[DocumentOut], summary="Documents, newest first")
def list_documents(
    request: HttpRequest,
    paging: Query[Paging],
    folder_id: UUID | None = None,
    unfiled: bool = False,
    category: str = "",
    status: str = "",
    q: str = "",
) -> dict[str, Any]:
    """``status``: a run's status, or open, ready, waiting. ``q`` looks at titles and file names."""
    user = person(request)
    folder = "unfiled" if unfiled else str(folder_id or "")
    found = listed(user, Filters(folder=folder, status=status, category=category, q=q))
    page = paginate(found, paging, ORDER)
    return page | {"items": [document_out(row) for row in rows(page["items"], user)]}


@router.post("/upload", response={202: UploadOut}, summary="Upload one or many files")
def upload(
    request: HttpRequest,
    file: File[list[UploadedFile]],
    folder_id: Form[str] = "",
    title: Form[str] = "",
    on_duplicate: Form[Literal["ask", "skip", "version", "keep"]] = "ask",
    idempotency_key: Header[str | None] = None,
) -> Status[dict[str, Any]]:
    """Each file on its own. The same ``Idempotency-Key`` again answers with the first upload."""
    return Status(202, take_in(request, file, folder_id, title, on_duplicate, idempotency_key))


@router.get("/search", response=Found, summary="Documents that have these words")
def search_documents(
    request: HttpRequest, q: str = "", limit: Annotated[int, Field(ge=1, le=100)] = 20
) -> dict[str, Any]:
    """In the name or in the text, all of them; by name first."""
    user = person(request)
    found = rows(matching(user, q, limit), user)
    items = []
    for row in found:
        text = row.version.markdown if row.version else ""
        items.append(document_out(row) | {"snippet": snippet(text, q)})
    return {"items": items, "total": len(items)}


@router.get("/{uuid:document_id}", response=DocumentOut, summary="One document")
def get_document(request: HttpRequest, document_id: UUID) -> dict[str, Any]:
    """With its newest version and the run that read it."""
    return _answer(document_id, person(request))


@router.delete("/{uuid:document_id}", response=Done, summary="Put a document in the trash")
def delete_document(request: HttpRequest, document_id: UUID) -> dict[str, bool]:
    """The skills that rest on it alone go with it."""
    user = person(request)
    trash.delete_document(find(document_id, user), user)
    return {"success": True}


@router.get("/{uuid:document_id}/content", summary="The text of a document as Markdown")
def content(request: HttpRequest, document_id: UUID, version: int | None = None) -> HttpResponse:
    """Of the newest version, or of ``version``."""
    document = find(document_id, person(request))
    found = document.versions.filter(number=version) if version else document.versions.order_by("-number")
    markdown = found.values_list("markdown", flat=True).first()
    if markdown is None:
        raise NotFound(_("There is no such version."))
    return HttpResponse(markdown, content_type="text/markdown; charset=utf-8")


@router.get("/{uuid:document_id}/download", summary="The file as it came")
def download(request: HttpRequest, document_id: UUID, version: int | None = None) -> HttpResponseBase:
    """Always as an attachment, under its own name."""
    document = find(document_id, person(request))
    versions = document.versions.select_related("document").order_by("-number")
    found = (versions.filter(number=version) if version else versions).first()
    if found is None:
        raise NotFound(_("There is no such version."))
    return as_attachment(found)


@router.get("/{uuid:document_id}/versions", response=list[VersionOut], summary="Its versions, newest first")
def versions(request: HttpRequest, document_id: UUID) -> list[dict[str, Any]]:
    """Each with what became of it."""
    document = find(document_id, person(request))
    found = document.versions.defer("markdown", "page_starts", "metadata").prefetch_related("runs")
    runs_of = [next(iter(version.runs.all()), None) for version in found]
    hide_unseen(runs_of, person(request))
    return [version_out(version, run) for version, run in zip(found, runs_of, strict=True)]


@router.post("/{uuid:document_id}/move", response=DocumentOut, summary="Put a document into a folder")
def move(
    request: HttpRequest, document_id: UUID, payload: MoveIn | None = None, folder_id: str = ""
) -> dict[str, Any]:
    """Its skills follow, unless somebody has placed them. The folder comes in the body or the query."""
    user = person(request)
    document = find(document_id, user)
    wanted = payload.folder_id if payload else uuid_or_none(folder_id)
    folders.put(document, folders.find(wanted, user), user)
    return _answer(document_id, user)


@router.post("/{uuid:document_id}/retry", response=DocumentOut, summary="Read a document again")
def retry(request: HttpRequest, document_id: UUID) -> dict[str, Any]:
    """From the start, with fresh attempts. One that is queued or running is left alone."""
    user = person(request)
    require(user, "edit")
    runs.retry(runs.of(find(document_id, user)))
    return _answer(document_id, user)


@router.post(
    "/{uuid:document_id}/decide", response=DocumentOut, summary="Decide about a file that is here already"
)
def decide_about(request: HttpRequest, document_id: UUID, payload: DecideIn) -> dict[str, Any]:
    """Answers with the document that goes on: for ``version`` that is the one that was here."""
    user = person(request)
    require(user, "edit")
    run = decide(runs.of(find(document_id, user)), payload.choice, user)
    return _answer(run.version.document_id, user)


@router.post("/{uuid:document_id}/unlock", response=DocumentOut, summary="Give a locked file its password")
def unlock_document(request: HttpRequest, document_id: UUID, payload: UnlockIn) -> dict[str, Any]:
    """Used once, not kept."""
    user = person(request)
    require(user, "edit")
    unlock(runs.of(find(document_id, user)), payload.password)
    return _answer(document_id, user)
