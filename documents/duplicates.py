"""Whether a file is here already: by its bytes, or by its name in the same folder."""

from __future__ import annotations

from dataclasses import dataclass

from documents.models import Document, DocumentVersion, Folder, IngestRun, UploadBatch
from documents.querysets import DocumentQuerySet
from kbsite.accounts.models import User


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
