"""What is known of a folder as a whole: its page, what happened in it, and moves that can be undone."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.models import Folder
from kbsite.ids import new_id


class FolderPage(models.Model):
    """A folder's own abstract, key facts and overview, made from what is in it (project.md).

    ``key_facts`` is a Markdown list. ``made_from`` counts the skills and pages it was made from;
    ``made_by`` is the model, empty for the offline one. ``made_at`` null: never made.
    """

    class State(models.TextChoices):
        STALE = "stale", _("waiting")
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")

    folder = models.OneToOneField(Folder, primary_key=True, on_delete=models.CASCADE, related_name="page")
    abstract = models.TextField(_("abstract"), blank=True)
    key_facts = models.TextField(_("key facts"), blank=True)
    overview = models.TextField(_("overview"), blank=True)
    language = models.CharField(max_length=10, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.STALE)
    reason = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    made_from = models.PositiveIntegerField(default=0)
    made_by = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("folder page")
        verbose_name_plural = _("folder pages")

    def __str__(self) -> str:
        return str(self.folder)


class FolderEvent(models.Model):
    """One line of a folder's update log. ``count`` things, of which ``names`` are the first few.

    ``what`` is written, changed, read (from a file), version, moved_in, moved_out, deleted,
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

    class Meta:
        verbose_name = _("folder event")
        verbose_name_plural = _("folder events")
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["folder", "-at"], name="event_of_folder")]

    def __str__(self) -> str:
        return f"{self.folder} {self.what} {self.count}"


class Move(models.Model):
    """Skills that were moved together, so that it can be undone.

    ``before`` maps a folder's id ("" for unfiled) to the ids of the skills that lay there.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    target = models.ForeignKey(Folder, null=True, on_delete=models.SET_NULL, related_name="+")
    before = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} → {self.target}"
