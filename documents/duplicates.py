"""Whether a file is here already: by its bytes, or by its name in the same folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from documents.models import Document, DocumentVersion, Folder, IngestRun, UploadBatch
from documents.querysets import DocumentQuerySet, visible_folders
from kbsite.accounts.models import User

UNSEEN = "…"


def hide_unseen(runs: Iterable[IngestRun | None], user: User) -> None:
    """Take from ``runs``, as they are shown, what they say of documents ``user`` may not see."""
    alike = [run for run in runs if run is not None and run.duplicate_of_id]
    if not alike:
        return
    ids = {run.duplicate_of_id for run in alike if run.duplicate_of_id}
    seen = set(Document.objects.filter(visible_folders(user), pk__in=ids).values_list("pk", flat=True))
    for run in alike:
        if run.duplicate_of_id not in seen:
            run.duplicate_of = None
            run.fault = {**run.fault, "params": without_title(run.fault.get("params", {}))}


def without_title(params: Mapping[str, Any]) -> dict[str, Any]:
    """``params`` of a fault, where a title stands for one that may not be seen."""
    return {name: UNSEEN if name == "title" else value for name, value in params.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """A document like the file that came in. ``fault`` names the sentence that says how."""

    document: Document
    same_bytes: bool
    same_place: bool

    @property
    def fault(self) -> str:
        """The code of the sentence for people."""
        return "same_bytes" if self.same_bytes else "same_name"


def look_for(
    version: DocumentVersion, name: str, folder: Folder | None, batch: UploadBatch, user: User
) -> Found | None:
    """What ``user`` may see that is the same file, else what has its name in its folder.

    Only newest versions count. Empty files are not each other's duplicates, and files of one
    sending are never each other's versions.
    """
    here = _settled(user)
    twins = here.filter(run__version__sha256=version.sha256) if version.size else here.none()
    twin = twins.order_by("created_at", "id").first()
    if twin is not None:
        same_place = twin.filename.casefold() == name.casefold() and twin.folder_id == (
            folder.pk if folder else None
        )
        return Found(twin, same_bytes=True, same_place=same_place)
    namesakes = here.filter(folder=folder, filename__iexact=name).exclude(run__batch=batch)
    namesake = namesakes.order_by("-created_at", "-id").first()
    return Found(namesake, same_bytes=False, same_place=True) if namesake else None


def _settled(user: User) -> DocumentQuerySet:
    """Documents that are not themselves waiting for a decision, skipped or cancelled."""
    unsettled = IngestRun.objects.filter(status="skipped") | IngestRun.objects.filter(
        status="held", needs=IngestRun.Needs.DECISION
    )
    return (
        Document.objects.visible_to(user).select_related("run").exclude(run__in=unsettled).exclude(run=None)
    )
