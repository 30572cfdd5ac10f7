"""Conversations in the admin site: that they are and how they went, never what was said.

What people ask is theirs. Curators see counts, states, times and ratings, and the comments that
readers write for them.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.answer import stop
from chat.models import Citation, Conversation, Event, Feedback, Message
from kbsite.look_only import LookOnly


class _CuratorsLook[M: (Conversation, Message, Citation, Event, Feedback)](LookOnly, admin.ModelAdmin[M]):
    """Seen by curators, changed by nobody here."""

    list_per_page = 50
    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "can_curate", False))

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return self.has_module_permission(request)


@admin.register(Conversation)
class ConversationAdmin(_CuratorsLook[Conversation]):
    """Whose, when and how long; not what it is called, which is what was asked."""

    list_display = ["id", "user", "questions", "helpful", "not_helpful", "created_at", "updated_at"]
    list_filter = ["updated_at", "archived"]
    list_select_related = ["user"]
    search_fields = ["user__email", "user__name"]
    fields = ["id", "user", "pinned", "archived", "created_at", "updated_at", "deleted_at"]
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        """With what is counted, in the same query."""
        helpful = Q(messages__feedback__rating=Feedback.Rating.HELPFUL)
        rated = Q(messages__feedback__isnull=False)
        return (
            super()
            .get_queryset(request)
            .annotate(
                n_questions=Count("messages", filter=Q(messages__role=Message.Role.USER)),
                n_helpful=Count("messages", filter=helpful),
                n_not_helpful=Count("messages", filter=rated & ~helpful),
            )
        )

    @admin.display(description=_("questions"), ordering="n_questions")
    def questions(self, row: Any) -> int:
        """How many questions were asked in it."""
        return int(row.n_questions)

    @admin.display(description=_("helpful"), ordering="n_helpful")
    def helpful(self, row: Any) -> int:
        """How many of its answers were rated helpful."""
        return int(row.n_helpful)

    @admin.display(description=_("not helpful"), ordering="n_not_helpful")
    def not_helpful(self, row: Any) -> int:
        """How many were rated inaccurate or incomplete."""
        return int(row.n_not_helpful)


@admin.register(Message)
class MessageAdmin(_CuratorsLook[Message]):
    """How answers went: state, fault, time and tokens; not what they say."""

    list_display = ["id", "role", "status", "fault", "answered_by", "tokens", "latency_ms", "created_at"]
    list_filter = ["status", "role", "created_at", "feedback__rating"]
    search_fields = ["id", "conversation__user__email"]
    fields = [
        "id",
        "role",
        "status",
        "fault",
        "usage",
        "latency_ms",
        "superseded",
        "heartbeat_at",
        "created_at",
    ]
    actions = ["stop_answers"]

    @admin.display(description=_("fault"))
    def fault(self, row: Message) -> str:
        """The code of what went wrong."""
        return str(row.error.get("code", ""))

    @admin.display(description=_("model"))
    def answered_by(self, row: Message) -> str:
        """Which model answered."""
        return str(row.usage.get("model", ""))

    @admin.display(description=_("tokens"))
    def tokens(self, row: Message) -> int:
        """Tokens read and written."""
        return int(row.usage.get("prompt_tokens", 0)) + int(row.usage.get("completion_tokens", 0))

    @admin.action(description=_("Stop the chosen answers"))
    def stop_answers(self, request: HttpRequest, queryset: QuerySet[Message]) -> None:
        """End those that still run."""
        for row in queryset.filter(status=Message.Status.STREAMING):
            stop(row)


@admin.display(description=_("message"))
def message_id(row: Citation | Event | Feedback) -> str:
    """Which message it belongs to."""
    return str(row.message_id)


@admin.register(Citation)
class CitationAdmin(_CuratorsLook[Citation]):
    """Which skills are cited, and how often."""

    list_display = [message_id, "n", "skill", "page"]
    list_select_related = ["skill"]
    search_fields = ["skill__name"]
    fields = ["message_id", "n", "skill", "uri", "page", "start", "end"]


@admin.register(Event)
class EventAdmin(_CuratorsLook[Event]):
    """Frames of the last hour, for finding out where a stream stood still."""

    list_display = [message_id, "seq", "type", "at"]
    list_filter = ["type"]
    search_fields = ["message__id"]
    fields = ["message_id", "seq", "type", "at"]


@admin.register(Feedback)
class FeedbackAdmin(_CuratorsLook[Feedback]):
    """What readers thought of answers."""

    list_display = ["rating", "comment", message_id, "at"]
    list_filter = ["rating", "at"]
    search_fields = ["comment"]
    fields = ["rating", "comment", "message_id", "at"]
