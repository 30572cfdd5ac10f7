"""How far the first run has come."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Setup(models.Model):
    """The one row that remembers the first run. ``token_digest``: SHA-256 of the console token."""

    class Model(models.TextChoices):
        NONE = "", "not chosen"
        OFFLINE = "offline", "offline"
        CONNECTED = "connected", "connected"

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    token_digest = models.CharField(max_length=64, blank=True)
    model_choice = models.CharField(max_length=10, choices=Model, default=Model.NONE, blank=True)
    samples_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_setup")]

    def __str__(self) -> str:
        return "finished" if self.finished_at else "open"

    @classmethod
    def load(cls) -> Setup:
        """The row, made on first use."""
        return cls.objects.get_or_create(pk=1)[0]

    def finish(self) -> None:
        """Close the first run; doing so twice keeps the first date."""
        self.finished_at = self.finished_at or timezone.now()
        self.save(update_fields=["finished_at"])
