"""What belongs to writing: drafts that were not saved yet, and pasted pictures."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from kbsite.ids import new_id
from skills.models.skill import Skill


def picture_key(picture: Picture, filename: str) -> str:
    """Where a picture's bytes are kept: our own key, whatever its name was."""
    return f"pictures/{picture.id.hex[-2:]}/{picture.id.hex}"


class Draft(models.Model):
    """What a person has typed and not saved: one per person and skill.

    ``skill_id`` is the skill's id, or the id that a new one will have. ``base_version`` is the
    version the person started from, 0 for a new skill. ``values`` are the form's fields.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    skill_id = models.UUIDField()
    base_version = models.PositiveIntegerField(default=0)
    values = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        ordering = ["-updated_at"]
        constraints = [models.UniqueConstraint(fields=["user", "skill_id"], name="one_draft_each")]

    def __str__(self) -> str:
        return str(self.values.get("name") or self.skill_id)


class Picture(models.Model):
    """An image pasted into a text. ``skills`` are those whose text shows it or did: who may see one of
    them may see the picture, and who added it; nobody else.

    ``size`` is in bytes, ``width`` and ``height`` in pixels; ``sha256`` is of the bytes, in hex.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    file = models.FileField(upload_to=picture_key, max_length=200)
    mime = models.CharField(max_length=40)
    size = models.PositiveIntegerField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    skills = models.ManyToManyField(Skill, related_name="pictures", blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return str(self.id)
