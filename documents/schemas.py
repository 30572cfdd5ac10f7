"""Documents, folders and uploads as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Field, Schema

from documents.faults import sentence
from documents.listing import Row
from documents.models import DocumentVersion, Folder, IngestRun
from documents.tree import Node
from documents.upload import FileReceipt, Receipt

Choice = Literal["keep", "skip", "version"]


class DocumentOut(Schema):
    """A document. ``needs`` says what it waits for: a password or a decision."""

    id: UUID
    uri: str
    title: str
    filename: str
    mime: str
    size: int
    sha256: str
    version: int
    folder_id: UUID | None
    category: str
    tags: list[str]
    status: str
    step: str
    reason: str
    code: str
    needs: Literal["password", "decision"] | None
    duplicate_of: UUID | None
    pages: int | None
    language: str
    encoding: str
    warnings: list[str]
    skill_ids: list[UUID]
    created_at: datetime
    updated_at: datetime


class FoundOut(DocumentOut):
    """A document that a search found, with a little of the text around the match."""

    snippet: str


class Found(Schema):
    """What a search found."""

    items: list[FoundOut]
    total: int


class VersionOut(Schema):
    """One version of a document."""

    number: int
    size: int
    sha256: str
    mime: str
    encoding: str
    language: str
    pages: int | None
    status: str
    reason: str
    warnings: list[str]
    created_at: datetime


class FileOut(Schema):
    """One file of an upload. ``document_id`` is the one that was here when the file made none."""

    file_id: UUID
    filename: str
    status: str
    step: str
    document_id: UUID | None
    needs: str | None
    code: str
    reason: str


class UploadOut(Schema):
    """An upload that was taken in."""

    task_id: UUID
    stream_url: str
    files: list[FileOut]


class TaskOut(Schema):
    """How far an upload is. ``status``: running, completed, partial, failed."""

    task_id: UUID
    status: str
    total: int
    completed: int
    failed: int
    held: int
    files: list[FileOut]
    created_at: datetime


class MoveIn(Schema):
    """Where to; null is unfiled."""

    folder_id: UUID | None = None


class DecideIn(Schema):
    """What to do with a file that is here already."""

    choice: Choice


class UnlockIn(Schema):
    """The password of a locked file. Used once, not kept."""

    password: str = Field(min_length=1, max_length=1000)


class FolderIn(Schema):
    """A new folder."""

    name: str
    description: str = ""
    parent_id: UUID | None = None
    sort_order: int | None = Field(None, ge=-2_000_000_000, le=2_000_000_000)


class FolderChange(Schema):
    """What is to change; what is left out stays."""

    name: str | None = None
    description: str | None = None
    parent_id: UUID | None = None
    sort_order: int | None = Field(None, ge=-2_000_000_000, le=2_000_000_000)


class FolderMove(Schema):
    """Where to; null is the top. ``before`` and ``after`` are ids of folders that are there."""

    parent_id: UUID | None = None
    before: UUID | None = None
    after: UUID | None = None
    sort_order: int | None = Field(None, ge=-2_000_000_000, le=2_000_000_000)


class FolderCounts(Schema):
    """What is in a folder itself, and with all the folders in it."""

    documents: int = 0
    skills: int = 0
    folders: int = 0
    documents_below: int = 0
    skills_below: int = 0


class FolderOut(Schema):
    """A folder. ``path`` are the names from the top down, its own last; ``children`` in a tree only."""

    id: UUID
    name: str
    description: str
    parent_id: UUID | None
    sort_order: int
    is_system: bool
    path: list[str]
    counts: FolderCounts
    abstract: str = ""
    children: list[FolderOut] = []


class FolderGone(Schema):
    """What a deletion did: documents and skills in the folders are unfiled now.

    ``deletion_id`` restores it: ``POST /api/trash/restore`` with kind ``folder``.
    """

    success: bool = True
    deletion_id: UUID
    folders: int
    documents_unfiled: int
    skills_unfiled: int


class Moved(Schema):
    """How many things were moved."""

    success: bool = True
    moved: int
    move_id: UUID | None = None


def said(warnings: Iterable[dict[str, Any]]) -> list[str]:
    """Stored warnings as sentences in the reader's language."""
    return [
        sentence(warning.get("code", ""), {key: value for key, value in warning.items() if key != "code"})
        for warning in warnings
    ]


def document_out(row: Row) -> dict[str, Any]:
    """What :class:`DocumentOut` holds."""
    document, run, version = row.document, row.run, row.version
    return {
        "id": document.pk,
        "uri": document.uri,
        "title": document.title,
        "filename": document.filename,
        "mime": version.mime if version else "",
        "size": version.size if version else 0,
        "sha256": version.sha256 if version else "",
        "version": version.number if version else 0,
        "folder_id": document.folder_id,
        "category": document.category,
        "tags": document.tags,
        "status": run.status if run else "queued",
        "step": run.step if run else "queued",
        "reason": run.why if run else "",
        "code": run.code if run else "",
        "needs": (run.needs or None) if run else None,
        "duplicate_of": run.duplicate_of_id if run else None,
        "pages": version.pages if version else None,
        "language": version.language if version else "",
        "encoding": version.encoding if version else "",
        "warnings": said(version.warnings) if version else [],
        "skill_ids": [skill.id for skill in row.skills],
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }


def version_out(version: DocumentVersion, run: IngestRun | None) -> dict[str, Any]:
    """What :class:`VersionOut` holds; ``run`` is the version's newest."""
    return {
        "number": version.number,
        "size": version.size,
        "sha256": version.sha256,
        "mime": version.mime,
        "encoding": version.encoding,
        "language": version.language,
        "pages": version.pages,
        "status": run.status if run else "queued",
        "reason": run.why if run else "",
        "warnings": said(version.warnings),
        "created_at": version.created_at,
    }


def file_out(file: FileReceipt) -> dict[str, Any]:
    """What :class:`FileOut` holds."""
    run = file.run
    return {
        "file_id": file.id,
        "filename": file.filename,
        "status": file.status,
        "step": run.step if run else file.status,
        "document_id": file.document.pk if file.document else None,
        "needs": (run.needs or None) if run else None,
        "code": file.code,
        "reason": file.reason,
    }


def task_out(receipt: Receipt) -> dict[str, Any]:
    """What :class:`TaskOut` holds."""
    statuses = [file.status for file in receipt.files]
    return {
        "task_id": receipt.batch.pk,
        "status": receipt.status,
        "total": len(statuses),
        "completed": receipt.completed,
        "failed": statuses.count("failed"),
        "held": statuses.count("held"),
        "files": [file_out(file) for file in receipt.files],
        "created_at": receipt.batch.created_at,
    }


def folder_out(
    folder: Folder,
    path: list[str],
    node: Node | None,
    children: list[Any] | None = None,
    *,
    abstract: str = "",
) -> dict[str, Any]:
    """What :class:`FolderOut` holds; ``node`` is its place in the tree, for counts."""
    own, below = (node.own, node.counts) if node else ({}, {})
    return {
        "id": folder.pk,
        "name": folder.name,
        "description": folder.description,
        "parent_id": folder.parent_id,
        "sort_order": folder.sort_order,
        "is_system": folder.is_system,
        "abstract": abstract,
        "path": path,
        "counts": {
            "documents": own.get("documents", 0),
            "skills": own.get("skills", 0),
            "folders": node.folders if node else 0,
            "documents_below": below.get("documents", 0),
            "skills_below": below.get("skills", 0),
        },
        "children": children or [],
    }
