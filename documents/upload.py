"""Files come in: stored, checksummed, compared with what is here, and queued for reading."""

from __future__ import annotations

import errno
import hashlib
import logging
import mimetypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import connection, transaction
from django.utils.translation import gettext as _

from documents import folders, runs
from documents.duplicates import Found, hide_unseen, look_for, without_title
from documents.faults import CODES, sentence
from documents.models import Document, DocumentVersion, Folder, IngestRun, UploadBatch
from documents.names import display_name, title_from
from documents.versions import add_version
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotFound
from kbsite.ids import new_id

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000
LONGEST_KEY = 64
OPEN = ("queued", "running")
GOOD = ("done", "skipped", "merged")
OnDuplicate = IngestRun.OnDuplicate


@dataclass(slots=True)
class FileReceipt:
    """What became of one file. ``document`` is the one that was here when nothing new was made."""

    id: UUID
    filename: str
    status: str
    document: Document | None = None
    run: IngestRun | None = None
    reason: str = ""
    code: str = ""


@dataclass(slots=True)
class Receipt:
    """What became of a batch."""

    batch: UploadBatch
    files: list[FileReceipt] = field(default_factory=list)

    @property
    def open(self) -> int:
        """How many files are still queued or being read."""
        return sum(file.status in OPEN for file in self.files)

    @property
    def completed(self) -> int:
        """How many have come to a good end."""
        return sum(file.status in GOOD for file in self.files)

    @property
    def status(self) -> str:
        """running, completed, failed (all of them) or partial."""
        if self.open:
            return "running"
        if all(file.status == "failed" for file in self.files):
            return "failed"
        return "completed" if self.completed == len(self.files) else "partial"


class TurnedAway(Exception):
    """A file that makes no run; ``fault`` and ``params`` say why."""

    def __init__(self, fault: str, document: Document | None = None, **params: Any) -> None:
        super().__init__(fault)
        self.fault, self.document, self.params = fault, document, params


def receive(
    files: Iterable[File[bytes]],
    user: User,
    *,
    folder_id: UUID | None = None,
    on_duplicate: str = OnDuplicate.ASK,
    title: str | None = None,
    key: str | None = None,
    batch_id: UUID | None = None,
) -> Receipt:
    """Take in ``files``, each on its own: one that fails never touches its neighbours.

    ``on_duplicate`` says what to do with a file that is here already (same bytes), or whose name
    is (in the same folder): ask, skip, make a new version, keep both. ``title`` is for a single
    file. The same ``key`` again answers with what the first sending made; ``batch_id`` is a batch
    of one's own that these files belong to as well. Raises NotAllowed, NotFound, InvalidInput.
    """
    require(user, "edit")
    folder = folders.find(folder_id or user.narrowed_to, user)
    if on_duplicate not in OnDuplicate.values:
        raise InvalidInput(_("on_duplicate is one of ask, skip, version and keep."))
    named = [(display_name(file.name or ""), file) for file in files]
    if not named:
        raise InvalidInput(_("Choose at least one file."), code="no_files")
    batch, is_new = _batch(user, key, batch_id)
    if not is_new:
        return receipt_of(batch, user)
    own_title = title.strip()[:300] if title and len(named) == 1 else ""
    take = _Taking(user, batch, folder, on_duplicate, own_title)
    return Receipt(batch, [take.one(name, file) for name, file in named])


def receipt_of(batch: UploadBatch, user: User) -> Receipt:
    """What became of ``batch`` by now, as far as ``user`` may see it."""
    visible = batch.runs.visible_to(user).select_related("version__document").order_by("created_at", "id")
    hide_unseen(visible, user)
    files = [
        FileReceipt(
            run.pk, run.version.document.filename, run.status, run.version.document, run, run.why, run.code
        )
        for run in visible
    ]
    turned_away = batch.turned_away if batch.user_id == user.pk else []
    return Receipt(batch, files + [_turned_away(entry, user) for entry in turned_away])


def _turned_away(entry: dict[str, Any], user: User) -> FileReceipt:
    document = Document.objects.visible_to(user).filter(pk=entry["document"]).first()
    params = entry["params"] if document else without_title(entry["params"])
    reason = sentence(entry["fault"], params)
    status = "skipped" if entry["document"] else "failed"
    return FileReceipt(
        UUID(entry["id"]), entry["filename"], status, document, None, reason, _code(entry["fault"])
    )


def _code(fault: str) -> str:
    return CODES.get(fault, fault)


def _batch(user: User, key: str | None, batch_id: UUID | None) -> tuple[UploadBatch, bool]:
    """The batch to put files into, and whether they are still to be put."""
    if batch_id is not None:
        batch = UploadBatch.objects.filter(pk=batch_id, user=user).first()
        if batch is None:
            raise NotFound(_("This upload is not yours, or it is gone. Send the files anew."))
        return batch, True
    if not key:
        return UploadBatch.objects.create(user=user), True
    return UploadBatch.objects.get_or_create(user=user, key=key[:LONGEST_KEY])


class _Hashing(File):  # type: ignore[type-arg]
    """A file that is counted and checksummed while it is copied, a chunk at a time."""

    def __init__(self, file: File[bytes]) -> None:
        super().__init__(cast(Any, file), name=file.name)
        self.source = file
        self.sha = hashlib.sha256()
        self.copied = 0

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        limit = settings.KB_MAX_FILE_MB
        for chunk in self.source.chunks(chunk_size):
            self.sha.update(chunk)
            self.copied += len(chunk)
            if self.copied > limit * MEGABYTE:
                raise TurnedAway("too_large", limit=limit)
            yield chunk


@dataclass(slots=True)
class _Taking:
    """Everything the files of one batch have in common."""

    user: User
    batch: UploadBatch
    folder: Folder | None
    on_duplicate: str
    title: str

    def one(self, name: str, file: File[bytes]) -> FileReceipt:
        """Take in one file, or say why not."""
        version = DocumentVersion(id=new_id(), mime=mimetypes.guess_type(name)[0] or "")
        try:
            _store(version, file)
            with transaction.atomic():
                _one_at_a_time(version.sha256)
                _one_at_a_time(f"{self.folder.pk if self.folder else ''}/{name.casefold()}")
                self._see_to_the_folder()
                run = self._place(version, name)
            if version.pk != run.version_id:
                _forget(version)
        except TurnedAway as why:
            _forget(version)
            return self._turn_away(name, why)
        except BaseException:
            _forget(version)
            raise
        document = run.version.document
        return FileReceipt(run.pk, name, run.status, document, run, run.why, run.code)

    def _see_to_the_folder(self) -> None:
        """A folder that was deleted while the files came in leaves them unfiled, like those it held."""
        if self.folder is not None and not folders.is_there(self.folder.pk):
            self.folder = None

    def _place(self, version: DocumentVersion, name: str) -> IngestRun:
        found = look_for(version, name, self.folder, self.batch, self.user)
        if found is None or self.on_duplicate == OnDuplicate.KEEP:
            return self._new(version, name)
        if found.same_bytes and found.same_place:
            return self._here_already(found)
        if self.on_duplicate == OnDuplicate.VERSION:
            return add_version(found.document, version, self.batch, filename=name)
        if self.on_duplicate == OnDuplicate.SKIP:
            if found.same_bytes:
                raise TurnedAway("skipped", found.document, title=found.document.title)
            return self._new(version, name)
        return self._ask(version, name, found)

    def _new(self, version: DocumentVersion, name: str) -> IngestRun:
        self._save(version, name)
        return runs.start(version, batch=self.batch, on_duplicate=self.on_duplicate)

    def _ask(self, version: DocumentVersion, name: str, found: Found) -> IngestRun:
        self._save(version, name)
        return runs.start_held(version, found.document, found.fault, batch=self.batch)

    def _here_already(self, found: Found) -> IngestRun:
        """The very same file: nothing to do, except to try again what failed."""
        run = found.document.run
        if run is None or run.status != IngestRun.Status.FAILED:
            raise TurnedAway("already_here", found.document, title=found.document.title)
        runs.requeue(run, batch=self.batch)
        run.version.document = found.document
        return run

    def _save(self, version: DocumentVersion, name: str) -> None:
        title = self.title or title_from(name)
        version.document = Document.objects.create(
            title=title, filename=name, folder=self.folder, added_by=self.user
        )
        version.save()

    def _turn_away(self, name: str, why: TurnedAway) -> FileReceipt:
        entry = {
            "id": str(new_id()),
            "filename": name,
            "fault": why.fault,
            "params": why.params,
            "document": str(why.document.pk) if why.document else None,
        }
        with transaction.atomic():
            batch = UploadBatch.objects.select_for_update().get(pk=self.batch.pk)
            batch.turned_away = [*batch.turned_away, entry]
            batch.save(update_fields=["turned_away"])
        return _turned_away(entry, self.user)


def _store(version: DocumentVersion, file: File[bytes]) -> None:
    """Copy the bytes to storage under the version's own key, checksumming them on the way."""
    if file.size > settings.KB_MAX_FILE_MB * MEGABYTE:
        raise TurnedAway("too_large", limit=settings.KB_MAX_FILE_MB)
    hashing = _Hashing(file)
    try:
        version.file.save("bytes", hashing, save=False)
    except OSError as error:
        log.exception("A file could not be stored")
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise TurnedAway("no_space" if full else "not_stored") from error
    version.sha256 = hashing.sha.hexdigest()
    version.size = hashing.copied


def _forget(version: DocumentVersion) -> None:
    if version.file:
        version.file.delete(save=False)


def _one_at_a_time(what: str) -> None:
    """Hold a lock named ``what`` until the transaction ends, in every process."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"documents:{what}"])
