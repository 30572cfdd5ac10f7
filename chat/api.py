"""``/api/chat`` and ``/api/conversations``."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from chat import answer as answers
from chat import conversations
from chat.feedback import rate
from chat.models import Conversation, Feedback, Message
from chat.rows import hang_up
from chat.schemas import (
    Answer,
    Begun,
    ConversationChange,
    ConversationIn,
    ConversationOut,
    MessageOut,
    Question,
    Rating,
    RatingOut,
    Scope,
    answer_out,
    conversation_out,
    message_out,
)
from chat.seen import hide_unseen
from chat.stream import as_json
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import ModelUnavailable, NotFound
from kbsite.paging import Done, Page, Paging, paginate
from kbsite.sent import as_number
from kbsite.sse import SSEResponse

router = Router(tags=["chat"])
conversations_router = Router(tags=["conversations"])

WAIT_SECONDS = 900.0


# ── Asking ───────────────────────────────────────────────────────────────────────────────────────


def _conversation(user: User, conversation_id: UUID) -> Conversation:
    row = _counted(Conversation.objects.visible_to(user)).filter(pk=conversation_id).first()
    if row is None:
        raise NotFound(_("There is no such conversation."))
    return row


def _answer(user: User, message_id: UUID) -> Message:
    mine = Message.objects.visible_to(user).filter(role=Message.Role.ASSISTANT, pk=message_id)
    row = mine.select_related("conversation", "question").first()
    if row is None:
        raise NotFound(_("There is no such answer."))
    return row


def _asked(request: HttpRequest, body: Question) -> Message:
    user = person(request)
    talk = _conversation(user, body.conversation_id) if body.conversation_id else None
    return answers.ask(user, body.message, talk, _place(body.scope), body.token)


def _place(scope: Scope | None) -> dict[str, Any] | None:
    return None if scope is None else scope.dict()


def _streamed(message: Message, after: int = 0) -> HttpResponseBase:
    response = SSEResponse(as_json(message, after))
    hang_up()  # nothing of the pool is held while it waits
    return response


@router.post("/stream", summary="Ask, and follow the answer as server-sent events")
def ask_and_stream(request: HttpRequest, body: Question) -> HttpResponseBase:
    """The frames of the answer, from the first to ``assistant.final`` or ``error``."""
    return _streamed(_asked(request, body))


@router.post("", response=Answer, summary="Ask, and wait for the whole answer")
def ask(request: HttpRequest, body: Question) -> dict[str, Any]:
    """The finished answer; 503 with the fault when the model failed. The question is kept."""
    message = answers.wait(_asked(request, body), WAIT_SECONDS)
    if message.status == Message.Status.FAILED:
        raise ModelUnavailable(
            message.error["message"],
            code=message.error["code"],
            retryable=message.error["retryable"],
            conversation_id=message.conversation_id,
            message_id=message.pk,
        )
    hide_unseen([message], person(request))
    return answer_out(message)


@router.get("/messages/{message_id}/stream", summary="Follow an answer again, after Last-Event-ID")
def resume(request: HttpRequest, message_id: UUID) -> HttpResponseBase:
    """The frames above ``Last-Event-ID``, also of an answer that is finished."""
    after = as_number(request.headers.get("Last-Event-ID", "").strip())
    return _streamed(_answer(person(request), message_id), after)


@router.post("/messages/{message_id}/stop", response=Done, summary="Stop an answer")
def stop(request: HttpRequest, message_id: UUID) -> dict[str, bool]:
    """What has come is kept."""
    answers.stop(_answer(person(request), message_id))
    return {"success": True}


@router.post("/messages/{message_id}/regenerate", response={202: Begun}, summary="Ask the same again")
def regenerate(request: HttpRequest, message_id: UUID) -> Status[dict[str, Any]]:
    """A new answer to the same question, already running."""
    user = person(request)
    fresh = answers.regenerate(user, _answer(user, message_id))
    url = reverse("api:resume", args=[fresh.pk])
    body = {"conversation_id": fresh.conversation_id, "message_id": fresh.pk, "stream_url": url}
    return Status(202, body)


@router.post("/messages/{message_id}/feedback", response=RatingOut | None, summary="Rate an answer")
def feedback(request: HttpRequest, message_id: UUID, body: Rating) -> Feedback | None:
    """The rating as it is kept; null when it was taken back."""
    return rate(_answer(person(request), message_id), body.rating, body.comment)


# ── Conversations ────────────────────────────────────────────────────────────────────────────────


def _counted(rows: QuerySet[Conversation]) -> QuerySet[Conversation]:
    questions = Q(messages__role=Message.Role.USER)
    given = Q(messages__role=Message.Role.ASSISTANT, messages__superseded=False)
    return rows.annotate(
        questions=Count("messages", filter=questions), answers=Count("messages", filter=given)
    )


@conversations_router.get("", response=Page[ConversationOut], summary="One's own conversations")
def index(
    request: HttpRequest,
    paging: Query[Paging],
    q: str = "",
    archived: bool = False,
    pinned: bool | None = None,
) -> dict[str, Any]:
    """Newest first; ``q`` finds in titles."""
    rows = _counted(Conversation.objects.visible_to(person(request)).filter(archived=archived))
    if q:
        rows = rows.filter(title__icontains=q)
    if pinned is not None:
        rows = rows.filter(pinned=pinned)
    page = paginate(rows, paging, ("-updated_at", "-id"))
    return page | {"items": [conversation_out(row) for row in page["items"]]}


@conversations_router.post("", response={201: ConversationOut}, summary="Begin a conversation")
def begin(request: HttpRequest, body: ConversationIn) -> Status[dict[str, Any]]:
    """Without a title it is named after its first question."""
    row = conversations.begin(person(request), body.title, _place(body.scope))
    return Status(201, conversation_out(row))


@conversations_router.get("/{conversation_id}", response=ConversationOut, summary="A conversation")
def get(request: HttpRequest, conversation_id: UUID) -> dict[str, Any]:
    """Without its messages."""
    return conversation_out(_conversation(person(request), conversation_id))


@conversations_router.put("/{conversation_id}", response=ConversationOut, summary="Rename, pin, archive")
def change(request: HttpRequest, conversation_id: UUID, body: ConversationChange) -> dict[str, Any]:
    """What is left out stays as it is."""
    user = person(request)
    row = _conversation(user, conversation_id)
    fields = body.dict(exclude_unset=True, exclude={"scope"})
    return conversation_out(conversations.change(user, row, scope=_place(body.scope), **fields))


@conversations_router.delete("/{conversation_id}", response=Done, summary="Delete a conversation")
def delete(request: HttpRequest, conversation_id: UUID) -> dict[str, bool]:
    """It is gone from every list at once, and for good after an hour."""
    user = person(request)
    conversations.delete(user, _conversation(user, conversation_id))
    return {"success": True}


@conversations_router.get("/{conversation_id}/messages", response=Page[MessageOut], summary="Messages")
def messages(request: HttpRequest, conversation_id: UUID, paging: Query[Paging]) -> dict[str, Any]:
    """Questions and their current answers, oldest first."""
    user = person(request)
    talk = _conversation(user, conversation_id)
    page = paginate(talk.messages.current().select_related("feedback"), paging, ("id",))
    hide_unseen(page["items"], user)
    return page | {"items": [message_out(row) for row in page["items"]]}


@conversations_router.get("/{conversation_id}/export", summary="The conversation as a file")
def export(request: HttpRequest, conversation_id: UUID, format: Literal["md", "json"] = "md") -> HttpResponse:
    """Markdown with its sources, or JSON."""
    user = person(request)
    talk = _conversation(user, conversation_id)
    if format == "json":
        exported = conversations.exported(talk, user, "json")
        return JsonResponse(exported, json_dumps_params={"ensure_ascii": False})
    text = conversations.exported(talk, user, "md")
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")
