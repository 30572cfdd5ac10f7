"""Keeping conversations: named, pinned, put away, exported, deleted and brought back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.models import Conversation, Message
from chat.places import checked
from chat.saving import citation_of
from chat.seen import hide_unseen
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotAllowed
from kbsite.text import storable

KEPT_AFTER_DELETE = timedelta(hours=1)


def begin(user: User, title: str = "", scope: Mapping[str, Any] | None = None) -> Conversation:
    """A conversation without questions yet. Raises InvalidInput for a scope that is not there."""
    return Conversation.objects.create(
        user=user,
        title=" ".join(storable(title).split())[:200],
        scope=checked(scope, user) if scope else {},
        narrowed_to=user.narrowed_to,
    )


def change(
    user: User,
    conversation: Conversation,
    *,
    title: str | None = None,
    pinned: bool | None = None,
    archived: bool | None = None,
    scope: Mapping[str, Any] | None = None,
) -> Conversation:
    """Rename, pin, archive, or look elsewhere from now on; None leaves things as they are.

    Raises InvalidInput for an empty name or a scope that is not there.
    """
    _must_write(user)
    if scope is not None:
        conversation.scope = checked(scope, user)
    if title is not None:
        name = " ".join(storable(title).split())[:200]
        if not name:
            raise InvalidInput(_("A conversation needs a name."), code="empty_title")
        conversation.title = name
    if pinned is not None:
        conversation.pinned = pinned
    if archived is not None:
        conversation.archived = archived
    conversation.save(update_fields=["title", "pinned", "archived", "scope"])
    return conversation


def delete(user: User, conversation: Conversation) -> None:
    """Take a conversation out of sight; for an hour it can be brought back."""
    _must_write(user)
    Conversation.objects.filter(pk=conversation.pk, deleted_at=None).update(deleted_at=timezone.now())
    conversation.messages.filter(status=Message.Status.STREAMING).update(stop_requested=True)


def restore(user: User, conversation: Conversation) -> None:
    """Bring a deleted conversation back."""
    _must_write(user)
    Conversation.objects.filter(pk=conversation.pk).update(deleted_at=None)


def purge() -> int:
    """Remove for good what was deleted more than an hour ago; how many conversations that were."""
    gone = Conversation.objects.filter(deleted_at__lt=timezone.now() - KEPT_AFTER_DELETE)
    count = gone.count()
    gone.delete()
    return count


def _must_write(user: User) -> None:
    if user.read_only:
        raise NotAllowed(_("This key can only read."), code="read_only_key")


def exported(conversation: Conversation, user: User, format: Literal["md", "json"]) -> str | dict[str, Any]:
    """The whole conversation: Markdown with its sources as footnotes, or plain JSON values.

    Of sources that ``user`` may not see any more only the numbers are left.
    """
    messages = list(conversation.messages.current().order_by("pk"))
    hide_unseen(messages, user)
    if format == "md":
        return _as_markdown(conversation, messages)
    return {
        "id": str(conversation.pk),
        "title": conversation.title,
        "scope": conversation.scope,
        "created_at": conversation.created_at.isoformat(),
        "messages": [
            {
                "id": str(m.pk),
                "role": m.role,
                "content": m.content,
                "status": m.status,
                "created_at": m.created_at.isoformat(),
                "citations": [citation_of(row) for row in m.citations.all()],
            }
            for m in messages
        ],
    }


def _as_markdown(conversation: Conversation, messages: list[Message]) -> str:
    parts = [f"# {conversation.title}"]
    for message in messages:
        if message.role == Message.Role.USER:
            parts.append(f"## {' '.join(message.content.split())}")
            continue
        parts.append(message.content)
        if sources := message.citations.all():
            parts.append("\n".join(_footnote(row.n, row.title, row.heading, row.page) for row in sources))
    return "\n\n".join(parts) + "\n"


def _footnote(n: int, title: str, heading: str, page: int | None) -> str:
    place = [title or _("A source you may not see"), *([heading] if heading else [])]
    if page:
        place.append(_("page %(page)s") % {"page": page})
    return f"- [{n}] {', '.join(place)}"
