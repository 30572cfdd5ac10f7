"""How we talk about it: conversations, messages, citations, and the events of running answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from kbsite.ids import new_id
from skills.models import Skill

if TYPE_CHECKING:
    from kbsite.accounts.models import User


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Conversations."""

    def visible_to(self, user: User) -> Self:
        """A person's own, nobody else's, without the deleted ones.

        A key that is limited to a folder sees what was asked with such a key only.
        """
        own = self.filter(user=user, deleted_at=None)
        return own.filter(narrowed_to=user.narrowed_to) if user.narrowed_to else own


class Conversation(models.Model):
    """A thread of questions and answers. ``scope``: {folder_id?, document_ids?}.

    ``narrowed_to``: the folder that the key it was begun with was limited to.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(_("title"), max_length=200, blank=True)
    pinned = models.BooleanField(default=False)
    archived = models.BooleanField(default=False)
    scope = models.JSONField(default=dict, blank=True)
    narrowed_to = models.UUIDField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ["-pinned", "-updated_at"]
        indexes = [models.Index(fields=["user", "-updated_at"], name="conversation_newest")]

    def __str__(self) -> str:
        return str(self.id)  # not the title, which is what was asked


class MessageQuerySet(models.QuerySet["Message"]):
    """Messages."""

    def visible_to(self, user: User) -> Self:
        """Those of the conversations that a person may see."""
        own = self.filter(conversation__user=user, conversation__deleted_at=None)
        return own.filter(conversation__narrowed_to=user.narrowed_to) if user.narrowed_to else own

    def current(self) -> Self:
        """Without the answers that were asked again."""
        return self.filter(superseded=False)


class Message(models.Model):
    """A question or an answer. A running answer's heart is ``heartbeat_at``.

    ``question`` is what an answer answers; an answer that was asked again is ``superseded``.
    ``token`` is made by the client, so that a question sent twice is one question.
    ``steps``: what was done to get here, [{kind: "search"|"read", query?, count?, name?, uri?,
    ms, skills: [{skill_id, uri, name}]}]. ``usage``: {prompt_tokens, completion_tokens, model}.
    ``error``: {code, message, retryable}.
    """

    class Role(models.TextChoices):
        USER = "user", _("question")
        ASSISTANT = "assistant", _("answer")

    class Status(models.TextChoices):
        STREAMING = "streaming", _("answering")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        INTERRUPTED = "interrupted", _("interrupted")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    question = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="answers"
    )
    superseded = models.BooleanField(default=False)
    token = models.UUIDField(null=True, blank=True, unique=True, editable=False)
    role = models.CharField(max_length=9, choices=Role)
    status = models.CharField(max_length=11, choices=Status, default=Status.DONE)
    content = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    steps = models.JSONField(default=list, blank=True)
    usage = models.JSONField(default=dict, blank=True)
    error = models.JSONField(default=dict, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    stop_requested = models.BooleanField(default=False)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["id"]
        indexes = [
            models.Index(fields=["conversation", "id"], name="message_in_order"),
            models.Index(
                fields=["heartbeat_at"],
                condition=models.Q(status="streaming"),
                name="message_running",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.id}"


class Citation(models.Model):
    """The passage that a number in an answer opens, kept as it was when it was cited."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="citations")
    n = models.PositiveSmallIntegerField()
    skill = models.ForeignKey(Skill, null=True, on_delete=models.SET_NULL, related_name="citations")
    document_id = models.UUIDField(null=True)
    passage_id = models.UUIDField(null=True)
    uri = models.CharField(max_length=200)
    title = models.CharField(max_length=300)
    text = models.TextField()
    heading = models.TextField(blank=True)
    page = models.PositiveIntegerField(null=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("citation")
        verbose_name_plural = _("citations")
        ordering = ["message", "n"]
        constraints = [models.UniqueConstraint(fields=["message", "n"], name="one_of_each_citation")]

    def __str__(self) -> str:
        return f"[{self.n}] {self.title}"


class Event(models.Model):
    """One frame of a running answer, numbered, so that any process can serve or resume it."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["message", "seq"]
        constraints = [models.UniqueConstraint(fields=["message", "seq"], name="one_of_each_event")]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class Feedback(models.Model):
    """What a reader thought of an answer."""

    class Rating(models.TextChoices):
        HELPFUL = "helpful", _("Helpful")
        INACCURATE = "inaccurate", _("Inaccurate")
        INCOMPLETE = "incomplete", _("Incomplete")

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="feedback")
    rating = models.CharField(max_length=10, choices=Rating)
    comment = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("feedback")
        verbose_name_plural = _("feedback")

    def __str__(self) -> str:
        return self.rating
