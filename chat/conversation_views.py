"""The list of conversations and what can be done with one."""

from __future__ import annotations

import uuid
from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from chat import conversations
from chat.models import Conversation
from chat.page import conversation_list, room_of
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.middleware import is_htmx
from kbsite.sent import as_number
from kbsite.toasts import say


def _mine(user: User, conversation_id: uuid.UUID) -> Conversation:
    return get_object_or_404(Conversation.objects.visible_to(user), pk=conversation_id)


@login_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """The list, a page of it at a time; ``q`` finds by title."""
    user = person(request)
    page = max(1, as_number(request.GET.get("page")))
    listed = conversation_list(user, None, page=page, query=request.GET.get("q", ""))
    if is_htmx(request):
        return render(request, "chat/conversations.html#rows", {"listed": listed})
    room = room_of(user)
    room.listed = listed
    return render(request, "chat/ask.html", {"room": room})


def _listed(request: HttpRequest, talk: Conversation) -> HttpResponse:
    """The row of one conversation, or its page without JavaScript."""
    if is_htmx(request):
        listed = conversation_list(person(request), talk)
        return render(request, "chat/conversations.html", {"listed": listed})
    return redirect("chat:conversation", talk.pk)


@login_required
@require_POST
def rename(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Give a conversation another name."""
    user = person(request)
    talk = conversations.change(user, _mine(user, conversation_id), title=request.POST.get("title", ""))
    return _listed(request, talk)


@login_required
@require_POST
def pin(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Keep a conversation at the top, or no longer."""
    user = person(request)
    talk = _mine(user, conversation_id)
    return _listed(request, conversations.change(user, talk, pinned=not talk.pinned))


@login_required
@require_POST
def delete(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Delete a conversation; it can be undone for a while."""
    user = person(request)
    talk = _mine(user, conversation_id)
    conversations.delete(user, talk)
    text = _("“%(title)s” is deleted.") % {"title": talk.title}
    say(request, text, undo=reverse("chat:restore", args=[talk.pk]))
    if not is_htmx(request):
        return redirect("chat:ask")
    response = render(request, "chat/ask.html#room", {"room": room_of(user)})
    response["HX-Push-Url"] = reverse("chat:ask")
    return response


@login_required
@require_POST
def restore(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Undo the deletion."""
    user = person(request)
    talk = get_object_or_404(Conversation, user=user, pk=conversation_id)
    conversations.restore(user, talk)
    return redirect("chat:conversation", talk.pk)


@login_required
@require_GET
def export(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """The conversation as a file."""
    user = person(request)
    talk = _mine(user, conversation_id)
    if request.GET.get("format") == "json":
        response: HttpResponse = JsonResponse(
            conversations.exported(talk, user, "json"), json_dumps_params={"ensure_ascii": False}
        )
        ending = "json"
    else:
        text = conversations.exported(talk, user, "md")
        response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
        ending = "md"
    name = quote(f"{talk.title[:80] or 'conversation'}.{ending}")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return response
