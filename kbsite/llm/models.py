"""Which models there are, which serves what, and what they used."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from kbsite.ids import new_id


class Purpose(models.TextChoices):
    """What a chat model is used for; one model may serve all."""

    CHAT = "chat", _("Chat")
    ANALYZE = "analyze", _("Analyze")
    REVIEW = "review", _("Review")


class Provider(models.Model):
    """A place that answers the OpenAI wire format. The key is encrypted, never shown again."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(_("name"), max_length=100)
    base_url = models.CharField(_("address"), max_length=500)
    key_encrypted = models.TextField(blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("provider")
        verbose_name_plural = _("providers")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class PurposeModel(models.Model):
    """The model that serves a purpose. No row: the CHAT row's, or else the offline model."""

    purpose = models.CharField(_("purpose"), primary_key=True, max_length=10, choices=Purpose)
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="purposes")
    model = models.CharField(_("model"), max_length=200)
    calls_tools = models.BooleanField(_("calls tools"), default=True)
    takes_system = models.BooleanField(_("takes a system message"), default=True)

    class Meta:
        verbose_name = _("model for a purpose")
        verbose_name_plural = _("models by purpose")
        ordering = ["purpose"]

    def __str__(self) -> str:
        return f"{self.purpose}: {self.model}"


class EmbeddingSpace(models.Model):
    """Where vectors can be compared: one embedder, one model, one dimension.

    ``provider`` null means the built-in multilingual-e5-small. ``cohort`` holds the embedded
    calibration texts as little-endian float32, shape (texts, dimension), rows of unit length.
    """

    class State(models.TextChoices):
        BUILDING = "building", _("building")
        ACTIVE = "active", _("active")
        RETIRED = "retired", _("retired")

    provider = models.ForeignKey(Provider, null=True, blank=True, on_delete=models.PROTECT)
    model = models.CharField(_("model"), max_length=200)
    dimension = models.PositiveIntegerField(_("dimension"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.BUILDING)
    cohort = models.BinaryField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("embedding space")
        verbose_name_plural = _("embedding spaces")
        constraints = [
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(state="active"), name="one_active_space"
            )
        ]

    def __str__(self) -> str:
        return f"{self.model} ({self.dimension})"


class ModelCall(models.Model):
    """One call of a model: who was asked, for what, how long, how much, and how it ended."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    at = models.DateTimeField(default=timezone.now, db_index=True)
    purpose = models.CharField(max_length=10)
    provider_name = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    latency_ms = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.purpose} {self.model}"
