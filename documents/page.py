"""What the documents page shows to one person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from documents import folders
from documents.listing import ORDER, UNFILED, Filters, Row, listed, rows
from documents.models import Document, Folder, IngestRun, UploadBatch
from documents.upload import FileReceipt, Receipt, receipt_of
from documents.wording import Wording, kind, wording
from kbsite.accounts.models import User
from kbsite.ids import new_id
from kbsite.presence import workers_alive

PER_PAGE = 50
BATCH_SHOWN_FOR = timedelta(minutes=30)
IN_LINE = 1000
STATES: tuple[tuple[str, str | Promise], ...] = (
    ("", _("All states")),
    ("open", _("In progress")),
    ("ready", _("Ready")),
    ("waiting", _("Waiting for you")),
    ("failed", _("Failed")),
    ("skipped", _("Skipped")),
)


@dataclass(frozen=True, slots=True)
class RowView:
    """A row with its words."""

    row: Row
    says: Wording
    kind: str

    @property
    def document(self) -> Document:
        """The document of the row."""
        return self.row.document

    @property
    def is_open(self) -> bool:
        """Whether it still moves by itself."""
        return self.row.run is None or self.row.run.status in ("queued", "running")


def row_views(found: Iterable[Document], user: User) -> list[RowView]:
    """Rows with their words, one query for skills and one for the line where something waits."""
    listed_rows = rows(found, user)
    waiting = any(row.run and row.run.status == "queued" for row in listed_rows)
    line = _line() if waiting else {}
    return [
        RowView(
            row,
            wording(row, line.get(row.run.pk) if row.run else None),
            kind(row.version, row.document.filename),
        )
        for row in listed_rows
    ]


def _line() -> dict[UUID, int]:
    queued = IngestRun.objects.filter(status="queued").order_by("created_at", "id")
    return {id: n for n, id in enumerate(queued.values_list("pk", flat=True)[:IN_LINE])}


@dataclass(slots=True)
class BatchView:
    """The batch bar: how many of its files have come to which end."""

    receipt: Receipt

    @property
    def total(self) -> int:
        """All files, those turned away too."""
        return len(self.receipt.files)

    @property
    def finished(self) -> int:
        """Those that move no more."""
        return self.total - self.receipt.open

    def _count(self, *statuses: str) -> int:
        return sum(file.status in statuses for file in self.receipt.files)

    @property
    def failed(self) -> int:
        """Those that could not be read."""
        return self._count("failed")

    @property
    def parts(self) -> str:
        """How many came to which end, in words: "15 ready, 2 failed, 6 to go"."""
        ready, held, left_out = self._count("done", "merged"), self._count("held"), self._count("skipped")
        to_go = self.receipt.open
        said = (
            (ready, ngettext("%d ready", "%d ready", ready)),
            (self.failed, ngettext("%d failed", "%d failed", self.failed)),
            (held, ngettext("%d needs you", "%d need you", held)),
            (left_out, ngettext("%d left out", "%d left out", left_out)),
            (to_go, ngettext("%d to go", "%d to go", to_go)),
        )
        return pgettext("between numbers", ", ").join(words % count for count, words in said if count)

    @property
    def turned_away(self) -> list[FileReceipt]:
        """Files that made no document of their own."""
        return [file for file in self.receipt.files if file.run is None]


def batch_view(user: User, wanted: UUID | None) -> BatchView | None:
    """The batch to show: the ``wanted`` one of one's own, else the newest one that still moves."""
    own = UploadBatch.objects.filter(user=user)
    if wanted is not None:
        batch = own.filter(pk=wanted).first()
    else:
        recent = own.filter(created_at__gt=timezone.now() - BATCH_SHOWN_FOR)
        batch = recent.filter(runs__status__in=["queued", "running"]).order_by("-created_at").first()
    return BatchView(receipt_of(batch, user)) if batch else None


@dataclass
class DocumentsPage:
    """One page of the list, with what stands above it."""

    user: User
    filters: Filters
    number: str = "1"
    batch_id: UUID | None = None
    states: tuple[tuple[str, str | Promise], ...] = field(default=STATES)

    @cached_property
    def folder(self) -> Folder | None:
        """The folder that is shown, if it is one. Raises NotFound when it may not be seen."""
        is_one = self.filters.folder not in ("", UNFILED)
        return folders.find(UUID(self.filters.folder), self.user) if is_one else None

    @cached_property
    def path(self) -> list[Folder]:
        """The way from the top to that folder."""
        return folders.path(self.folder.pk) if self.folder else []

    @cached_property
    def paged(self) -> Page[Document]:
        """The documents of this page."""
        found = listed(self.user, self.filters).order_by(*ORDER)
        return Paginator(found, PER_PAGE).get_page(self.number)

    @cached_property
    def rows(self) -> list[RowView]:
        """Its rows."""
        return row_views(self.paged.object_list, self.user)

    @cached_property
    def batch(self) -> BatchView | None:
        """The batch bar."""
        return batch_view(self.user, self.batch_id)

    @property
    def open_ids(self) -> str:
        """The rows that still move, for the stream that follows them."""
        return ".".join(row.document.pk.hex for row in self.rows if row.is_open)

    @property
    def is_live(self) -> bool:
        """Whether anything on the page still moves."""
        return bool(self.open_ids) or bool(self.batch and self.batch.receipt.open)

    @cached_property
    def has_no_worker(self) -> bool:
        """Whether things wait and nobody is there to do them."""
        return self.is_live and not workers_alive()

    @property
    def is_narrowed(self) -> bool:
        """Whether filters other than the folder hide something."""
        return bool(self.filters.status or self.filters.q)

    @property
    def max_mb(self) -> int:
        """How large a file may be."""
        return int(settings.KB_MAX_FILE_MB)

    @cached_property
    def key(self) -> str:
        """A name for this one sending of the form, so that sending it twice makes one thing."""
        return new_id().hex

    def context(self) -> dict[str, Any]:
        """What the template calls it."""
        return {"page": self}
