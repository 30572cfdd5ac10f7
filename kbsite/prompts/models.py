"""Prompts that a curator has changed. What ships is in files beside this one."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PromptOverride(models.Model):
    """A curator's text for a shipped prompt; deleting the row brings the shipped one back."""

    key = models.CharField(_("key"), primary_key=True, max_length=60)
    content = models.TextField(_("content"))
    version = models.PositiveIntegerField(_("version"), default=1)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("changed prompt")
        verbose_name_plural = _("changed prompts")
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
