"""How much a skill is used."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from skills.models.skill import Skill


class SkillUse(models.Model):
    """How often a skill was opened, cited, or read by the agent on one day (UTC)."""

    class Kind(models.TextChoices):
        OPENED = "opened", _("opened")
        CITED = "cited", _("cited")
        READ = "read", _("read by the agent")

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="uses")
    day = models.DateField()
    kind = models.CharField(max_length=6, choices=Kind)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("use")
        verbose_name_plural = _("uses")
        constraints = [models.UniqueConstraint(fields=["skill", "day", "kind"], name="one_count_a_day")]

    def __str__(self) -> str:
        return f"{self.skill} {self.day} {self.kind} {self.count}"
