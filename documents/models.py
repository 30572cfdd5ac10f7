"""What the team gave us: folders, documents, their versions, and the runs that read them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Cast, Right
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from tree_queries.models import TreeNode

from documents.faults import sentence
from documents.names import shown_name
from documents.querysets import DocumentQuerySet, FolderQuerySet, IngestRunQuerySet
from kbsite.ids import new_id


class Folder(TreeNode):  # type: ignore[misc]
    """A place in the tree (文件夹协议). ``parent`` null is the top; smaller ``sort_order`` first.

    ``place`` is its number in a walk of the whole tree, a folder before what is under it, and
    ``reach`` the place of the last one under it: what is inside has a place between the two. A
    trigger keeps both, whoever writes, and refuses a tree with a ring in it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    sort_order = models.IntegerField(_("order"), default=0)
    is_system = models.BooleanField(_("system folder"), default=False)
    place = models.IntegerField(default=0, editable=False, db_index=True)
    reach = models.IntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = FolderQuerySet.as_manager()

    class Meta:
        verbose_name = _("folder")
        verbose_name_plural = _("folders")
        ordering = ["sort_order", "name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["parent", "name"], name="one_name_each", nulls_distinct=False)
        ]
        indexes = [models.Index(Right(Cast("id", models.TextField()), 12), name="folder_key")]

    def __str__(self) -> str:
        return self.name

    @property
    def shown(self) -> str:
        """Its name as people see it."""
        return shown_name(self.name, self.is_system)


class FolderDeletion(models.Model):
    """A folder in the trash, with those that were under it: enough to put everything back.

    ``folders`` are their rows, the topmost first; ``contents`` maps a kind ("documents", "skills")
    to a folder's id to the ids of what lay in it. ``was_open``: no grant narrowed any of them.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(_("name"), max_length=200)
    path = ArrayField(models.CharField(max_length=200), default=list)
    folders = models.JSONField(default=list)
    contents = models.JSONField(default=dict)
    was_open = models.BooleanField(default=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("deleted folder")
        verbose_name_plural = _("deleted folders")
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.name


class FolderGrant(models.Model):
    """Narrows a folder and what is under it to the people and groups that are named."""

    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    group = models.ForeignKey(Group, null=True, blank=True, on_delete=models.CASCADE)

    class Meta:
        verbose_name = _("folder grant")
        verbose_name_plural = _("folder grants")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False) ^ models.Q(group__isnull=False),
                name="grant_to_a_person_or_a_group",
            ),
            models.UniqueConstraint(
                fields=["folder", "user", "group"], name="one_grant_each", nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.folder}: {self.user or self.group}"


class Document(models.Model):
    """A file as received. ``filename`` is display text only, never a path.

    ``run`` is the run that speaks for the document now: its newest one.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    title = models.CharField(_("title"), max_length=300)
    filename = models.CharField(_("file name"), max_length=1000)
    folder = models.ForeignKey(
        Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="documents"
    )
    category = models.CharField(_("category"), max_length=60, blank=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    run = models.ForeignKey(
        "IngestRun", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        editable=False,
    )

    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="document_newest"),
            models.Index(
                fields=["-deleted_at", "-id"],
                condition=models.Q(deleted_at__isnull=False),
                name="document_in_trash",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def uri(self) -> str:
        """``sk://documents/{id}``."""
        return f"sk://documents/{self.id}"


def storage_key(version: DocumentVersion, filename: str) -> str:
    """Where a version's bytes are kept: our own key, so that no file name is ever a path."""
    return f"documents/{version.id.hex[-2:]}/{version.id.hex}"


class DocumentVersion(models.Model):
    """A document's bytes at one time, and the Markdown read from them.

    ``page_starts`` are character offsets into ``markdown``, one per page; empty when the format
    has no pages. ``sha256`` is of the bytes, in hex.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(_("version"), default=1)
    file = models.FileField(upload_to=storage_key, max_length=200)
    size = models.PositiveBigIntegerField(_("size in bytes"))
    sha256 = models.CharField(max_length=64, db_index=True)
    mime = models.CharField(max_length=120, blank=True)
    encoding = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=10, blank=True)
    pages = models.PositiveIntegerField(null=True, blank=True)
    page_starts = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    markdown = models.TextField(blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("document version")
        verbose_name_plural = _("document versions")
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="one_of_each_version")]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"


class UploadBatch(models.Model):
    """Files that came together; ``id`` is the API's ``task_id``.

    ``key`` is the sender's name for this one sending, so that a form sent twice makes one batch.
    ``turned_away`` are the files that made no run: too large, or here already.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001 - null never clashes
    turned_away = models.JSONField(default=list, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("upload batch")
        verbose_name_plural = _("upload batches")
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_batch_per_sending")]

    def __str__(self) -> str:
        return str(self.id)


class IngestRun(models.Model):
    """One reading of one version: the queue's truth. The task carries only this row's id.

    ``code`` tells programs what kind of fault it was, ``reason`` people (in English); ``fault``
    says it again in the reader's language. ``unlock`` is a password on its way to the worker,
    encrypted, gone once it was tried.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        DONE = "done", _("Ready")
        SKIPPED = "skipped", _("Skipped")
        MERGED = "merged", _("Merged")
        HELD = "held", _("Held")
        FAILED = "failed", _("Failed")

    class Step(models.TextChoices):
        QUEUED = "queued", _("Queued")
        PARSING = "parsing", _("Parsing")
        ANALYZING = "analyzing", _("Analyzing")
        DEDUPING = "deduping", _("Deduping")
        STORING = "storing", _("Storing")
        INDEXING = "indexing", _("Indexing")
        COMPLETED = "completed", _("Completed")

    class Needs(models.TextChoices):
        PASSWORD = "password", _("a password")
        DECISION = "decision", _("a decision")

    class OnDuplicate(models.TextChoices):
        ASK = "ask", pgettext_lazy("a person", "Ask")
        SKIP = "skip", _("Skip")
        VERSION = "version", _("New version")
        KEEP = "keep", _("Keep both")

    FINAL = (Status.DONE, Status.SKIPPED, Status.MERGED, Status.HELD, Status.FAILED)

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="runs")
    batch = models.ForeignKey(
        UploadBatch, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.QUEUED)
    step = models.CharField(_("step"), max_length=10, choices=Step, default=Step.QUEUED)
    needs = models.CharField(max_length=8, choices=Needs, blank=True)
    on_duplicate = models.CharField(max_length=8, choices=OnDuplicate, default=OnDuplicate.ASK)
    duplicate_of = models.ForeignKey(
        Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    code = models.CharField(max_length=40, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    fault = models.JSONField(default=dict, blank=True, editable=False)
    unlock = models.BinaryField(null=True, blank=True, editable=False)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = IngestRunQuerySet.as_manager()

    class Meta:
        verbose_name = _("ingest run")
        verbose_name_plural = _("ingest runs")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(
                fields=["heartbeat_at"],
                condition=models.Q(status__in=["queued", "running"]),
                name="ingest_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.status}"

    @property
    def is_final(self) -> bool:
        """Whether nothing more happens unless a person acts."""
        return self.status in self.FINAL

    @property
    def why(self) -> str:
        """The reason, in the reader's language."""
        said = sentence(self.fault.get("code", ""), self.fault.get("params"))
        return said or (gettext(self.reason) if self.reason else "")

    @property
    def task_id(self) -> uuid.UUID | None:
        """The API's name for the batch."""
        return self.batch_id
