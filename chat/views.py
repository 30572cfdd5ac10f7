"""The page where people ask, and its answers."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chat import answer as answers
from chat import feedback as ratings
from chat.live import as_html
from chat.models import Conversation, Feedback, Message
from chat.page import Room, room_of
from chat.rows import hang_up
from chat.thread import turn_of
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError
from kbsite.middleware import is_htmx
from kbsite.sent import as_id
from kbsite.sse import SSEResponse

WAIT_SECONDS = 300.0
# What is answered to htmx in place of the whole page, by the id of what it will replace.
PARTS = {
    "sources": "chat/sources.html",
    "conversations": "chat/conversations.html",
    "earlier": "chat/ask.html#turns",
}


def _conversation(user: User, conversation_id: uuid.UUID) -> Conversation:
    return get_object_or_404(Conversation.objects.visible_to(user), pk=conversation_id)


def _answer(user: User, message_id: uuid.UUID) -> Message:
    mine = Message.objects.visible_to(user).filter(role=Message.Role.ASSISTANT)
    return get_object_or_404(mine.select_related("conversation", "question", "feedback"), pk=message_id)


@login_required
@require_http_methods(["GET", "POST"])
def ask_page(request: HttpRequest) -> HttpResponse:
    """Ask something new."""
    user = person(request)
    if request.method == "POST":
        return _asked(request, user, None)
    scope: dict[str, Any] = {}
    if folder := as_id(request.GET.get("folder")):
        scope["folder_id"] = str(folder)
    if document := as_id(request.GET.get("document")):
        scope["document_ids"] = [str(document)]
    room = room_of(user, scope=scope, question=request.GET.get("q", ""))
    return render(request, "chat/ask.html", {"room": room})


@login_required
@require_http_methods(["GET", "POST"])
def conversation(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """A conversation, with one source open when the address names it."""
    user = person(request)
    talk = _conversation(user, conversation_id)
    if request.method == "POST":
        return _asked(request, user, talk)
    room = room_of(
        user,
        talk,
        before=as_id(request.GET.get("before")),
        answer_id=as_id(request.GET.get("answer")),
        source=request.GET.get("source", ""),
    )
    part = PARTS.get(request.headers.get("HX-Target", ""), "chat/ask.html")
    return render(request, part, {"room": room, "listed": room.listed})


def _asked(request: HttpRequest, user: User, talk: Conversation | None) -> HttpResponse:
    try:
        reply = answers.ask(
            user,
            request.POST.get("question", ""),
            talk,
            _scope(request),
            as_id(request.POST.get("token")),
        )
    except KnowledgeError as error:
        room = room_of(user, talk, question=request.POST.get("question", ""), problem=str(error))
        part = "chat/composer.html" if is_htmx(request) else "chat/ask.html"
        response = render(request, part, {"room": room}, status=422)
        response["HX-Retarget"] = "#composer"
        return response
    page = reverse("chat:conversation", args=[reply.conversation_id])
    if not is_htmx(request):
        answers.wait(reply, WAIT_SECONDS)
        return redirect(f"{page}#turn-{reply.question_id}")
    if talk is None:
        response = render(request, "chat/ask.html#room", {"room": room_of(user, reply.conversation)})
        response["HX-Push-Url"] = page
        return response
    room = Room(user, reply.conversation, turns=[turn_of(reply)])
    response = render(request, "chat/ask.html#asked", {"room": room})
    response["HX-Retarget"], response["HX-Reswap"] = "#turns", "beforeend"
    return response


def _scope(request: HttpRequest) -> dict[str, Any] | None:
    if "folder_id" not in request.POST:
        return None
    scope: dict[str, Any] = {}
    if folder := as_id(request.POST["folder_id"]):
        scope["folder_id"] = str(folder)
    if documents := [str(d) for d in map(as_id, request.POST.getlist("document_ids")) if d]:
        scope["document_ids"] = documents
    return scope


@login_required
@require_GET
def stream(request: HttpRequest, message_id: uuid.UUID) -> HttpResponseBase:
    """A running answer as pieces of the page."""
    message = _answer(person(request), message_id)
    response = SSEResponse(as_html(message, get_language() or "en"))
    hang_up()  # nothing of the pool is held while it waits
    return response


@login_required
@require_POST
def stop(request: HttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Stop an answer; what has come stays."""
    message = _answer(person(request), message_id)
    answers.stop(message)
    if is_htmx(request):
        return HttpResponse(status=204)
    answers.wait(message, 3)
    return redirect("chat:conversation", message.conversation_id)


@login_required
@require_POST
def again(request: HttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Ask the same question again."""
    user = person(request)
    fresh = answers.regenerate(user, _answer(user, message_id))
    if is_htmx(request):
        room = Room(user, fresh.conversation, turns=[turn_of(fresh)])
        return render(request, "chat/ask.html#again", {"room": room})
    answers.wait(fresh, WAIT_SECONDS)
    return redirect("chat:conversation", fresh.conversation_id)


@login_required
@require_POST
def feedback(request: HttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Say what an answer was worth."""
    message = _answer(person(request), message_id)
    rating = request.POST.get("rating", "")
    row: Feedback | None = ratings.rate(message, rating, request.POST.get("comment", ""))
    if is_htmx(request):
        turn = turn_of(Message.objects.get(pk=message.pk))
        return render(request, "chat/answer.html#after", {"answer": turn.answer, "thanks": row is not None})
    return redirect("chat:conversation", message.conversation_id)
