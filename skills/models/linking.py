"""How skills name each other in their texts."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.models import Document
from skills.models.skill import Skill


class Link(models.Model):
    """A ``[[name]]`` or ``sk://`` address in a skill's full text, and what it was found to mean.

    ``label`` is the name or address as written, ``key`` the same folded for comparing. A link whose
    ``target`` and ``document`` are null is broken; it mends itself when a skill of that name is made.
    """

    source = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="links")
    label = models.CharField(max_length=300)
    key = models.CharField(max_length=300)
    target = models.ForeignKey(
        Skill, null=True, blank=True, on_delete=models.SET_NULL, related_name="linked_from"
    )
    document = models.ForeignKey(
        Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="linked_from"
    )

    class Meta:
        verbose_name = _("link")
        verbose_name_plural = _("links")
        constraints = [models.UniqueConstraint(fields=["source", "key"], name="one_link_each")]
        indexes = [
            models.Index(fields=["key"], condition=models.Q(target=None, document=None), name="link_broken")
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.label}"


class FormerName(models.Model):
    """A name a skill had before it was renamed: links that use it still find the skill."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="former_names")
    name = models.CharField(_("name"), max_length=100)
    key = models.CharField(max_length=300, db_index=True)
    until = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("former name")
        verbose_name_plural = _("former names")
        constraints = [models.UniqueConstraint(fields=["skill", "key"], name="one_former_name_each")]

    def __str__(self) -> str:
        return self.name
