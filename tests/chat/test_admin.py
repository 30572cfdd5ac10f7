"""Curators see how conversations go, never what was said."""

from __future__ import annotations

from django.test import Client

from chat.models import Conversation, Event, Message
from tests.chat.conftest import Api, Library


def test_admin_shows_no_text(bob: Api, library: Library) -> None:
    """Lists and details open for a curator without a word of question, answer or title."""
    frames = bob.ask("Can I carry over annual leave?")
    answer = Message.objects.get(pk=frames.seen[0]["message_id"])
    bob.http.post(
        f"/chat/messages/{answer.pk}/feedback", json={"rating": "incomplete", "comment": "And abroad?"}
    )
    event = Event.objects.filter(message=answer).first()
    assert event is not None
    citation = answer.citations.get(n=1)
    browser = Client()
    browser.force_login(library.alice)
    for path in (
        *(f"/admin/chat/{name}/" for name in ("conversation", "message", "citation", "event", "feedback")),
        f"/admin/chat/conversation/{answer.conversation_id}/change/",
        f"/admin/chat/message/{answer.pk}/change/",
        f"/admin/chat/message/{answer.question_id}/change/",
        f"/admin/chat/event/{event.pk}/change/",
        f"/admin/chat/citation/{citation.pk}/change/",
    ):
        response = browser.get(path)
        assert response.status_code == 200, path
        text = response.content.decode()
        assert "carry over" not in text, path
        assert "end of March" not in text, path
    assert "And abroad?" in browser.get("/admin/chat/feedback/").content.decode()


def test_readers_have_no_admin(library: Library) -> None:
    """A reader is turned away."""
    browser = Client()
    browser.force_login(library.dave)
    assert browser.get("/admin/chat/message/").status_code in (302, 403)


def test_stop_from_the_admin(bob: Api, library: Library) -> None:
    """A curator can end an answer that runs on."""
    talk = Conversation.objects.create(user=library.bob, title="Runs")
    row = Message.objects.create(conversation=talk, role="assistant", status="streaming")
    browser = Client()
    browser.force_login(library.alice)
    browser.post("/admin/chat/message/", {"action": "stop_answers", "_selected_action": [str(row.pk)]})
    row.refresh_from_db()
    assert row.stop_requested
    Message.objects.filter(pk=row.pk).update(status="stopped")
