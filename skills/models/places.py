"""What is known of a folder as a whole: its page, what happened in it, and moves that can be undone."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.models import Folder
from kbsite.ids import new_id
from kbsite.text import said_again


class FolderPage(models.Model):
    """A folder's own abstract, key facts and overview, made from what is in it (project.md).

    ``key_facts`` is a list of ``{"text": …, "skill": id or None, "folder": id or None}``, each with the
    skill or sub-folder that says so. ``from_skills`` and ``from_folders`` are what was read: when one
    of them may not be seen here any more, the text is withdrawn. ``out_of`` counts all skills that
    lay in the folder then, ``made_from`` those that were read and the sub-folders; ``made_by`` is
    the model, empty for the offline one. ``made_at`` is the moment it was read; null: never made.
    """

    class State(models.TextChoices):
        STALE = "stale", _("waiting")
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")

    folder = models.OneToOneField(Folder, primary_key=True, on_delete=models.CASCADE, related_name="page")
    abstract = models.TextField(_("abstract"), blank=True)
    key_facts = models.JSONField(_("key facts"), default=list, blank=True)
    overview = models.TextField(_("overview"), blank=True)
    language = models.CharField(max_length=10, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.STALE)
    reason = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    from_skills = ArrayField(models.UUIDField(), default=list, blank=True, editable=False)
    from_folders = ArrayField(models.UUIDField(), default=list, blank=True, editable=False)
    made_from = models.PositiveIntegerField(default=0)
    out_of = models.PositiveIntegerField(default=0)
    made_by = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("folder page")
        verbose_name_plural = _("folder pages")
        indexes = [
            GinIndex(fields=["from_skills"], name="folder_page_skills"),
            GinIndex(fields=["from_folders"], name="folder_page_folders"),
        ]

    def __str__(self) -> str:
        return str(self.folder)

    @property
    def is_open(self) -> bool:
        """Whether it is being made, or waits for a worker."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def is_withdrawn(self) -> bool:
        """Whether its text was taken away because it rested on something that is not seen here any more."""
        return self.state == self.State.STALE and self.made_at is not None

    @property
    def why(self) -> str:
        """Why it could not be made, in the reader's language."""
        return said_again(self.reason)


class FolderEvent(models.Model):
    """One line of a folder's update log. ``count`` things, of which ``names`` are the first few.

    ``skills`` are the ids of those named, in the same order: a name is shown to whoever may see the
    skill. ``what`` is written, changed, read (from a file), version, moved_in, moved_out, deleted,
    restored or remade (the page).
    """

    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    what = models.CharField(max_length=12)
    count = models.PositiveIntegerField(default=1)
    names = ArrayField(models.CharField(max_length=100), default=list)
    skills = ArrayField(models.UUIDField(), default=list)

    class Meta:
        verbose_name = _("folder event")
        verbose_name_plural = _("folder events")
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["folder", "-at"], name="event_of_folder")]

    def __str__(self) -> str:
        return f"{self.folder} {self.what} {self.count}"


class Move(models.Model):
    """Skills that were moved together, so that it can be undone.

    ``before`` maps a folder's id ("" for unfiled) to the ids of the skills that lay there;
    ``documents`` likewise, for documents that were moved along. ``followed`` are the skills that
    until then went where their document goes.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    target = models.ForeignKey(Folder, null=True, on_delete=models.SET_NULL, related_name="+")
    before = models.JSONField(default=dict)
    documents = models.JSONField(default=dict)
    followed = ArrayField(models.UUIDField(), default=list)
    at = models.DateTimeField(default=timezone.now, db_index=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} → {self.target}"


class BulkAction(models.Model):
    """Something done to many skills at once, other than a move, so that it can be undone.

    ``what`` is "tags", "priority", "status" or "delete"; ``given`` is what was asked for; ``before``
    maps a skill's id to the value it had.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    what = models.CharField(max_length=10)
    given = models.JSONField(default=dict)
    before = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("bulk action")
        verbose_name_plural = _("bulk actions")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.what}"
