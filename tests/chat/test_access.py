"""What is one's own is nobody else's, with a session and with a key."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from chat import answer as answers
from chat.models import Conversation, Message
from documents.models import Folder, FolderGrant
from kbsite.exceptions import Conflict
from tests.chat.conftest import Api, Library, last, ready_skill
from tests.model_double import ModelDouble, Reply


@pytest.fixture
def bobs(bob: Api, library: Library) -> Message:
    """An answer to Bob."""
    frames = bob.ask("Can I carry over annual leave?")
    return Message.objects.get(pk=frames.seen[0]["message_id"])


def test_api_of_another_person_is_404(bobs: Message, dave: Api) -> None:
    """Every address of Bob's conversation is unknown to Dave."""
    talk, answer = bobs.conversation_id, bobs.pk
    for method, path, body in (
        ("GET", f"/conversations/{talk}", None),
        ("PUT", f"/conversations/{talk}", {"title": "Mine"}),
        ("DELETE", f"/conversations/{talk}", None),
        ("GET", f"/conversations/{talk}/messages", None),
        ("GET", f"/conversations/{talk}/export", None),
        ("GET", f"/chat/messages/{answer}/stream", None),
        ("POST", f"/chat/messages/{answer}/stop", None),
        ("POST", f"/chat/messages/{answer}/regenerate", None),
        ("POST", f"/chat/messages/{answer}/feedback", {"rating": "helpful"}),
        ("POST", "/chat", {"message": "Hm?", "conversation_id": str(talk)}),
        ("POST", "/chat/stream", {"message": "Hm?", "conversation_id": str(talk)}),
    ):
        assert dave.http.request(method, path, json=body).status_code == 404, path
    assert dave.get("/conversations")["total"] == 0
    assert Conversation.objects.get(pk=talk).title == "Can I carry over annual leave?"


def test_pages_of_another_person_are_404(bobs: Message, library: Library) -> None:
    """Nor does Dave's browser find them."""
    browser = Client()
    browser.force_login(library.dave)
    talk, answer = bobs.conversation_id, bobs.pk
    for path in (f"/c/{talk}/", f"/c/{talk}/export/", f"/answers/{answer}/stream/"):
        assert browser.get(path).status_code == 404, path
    for path in (
        *(f"/c/{talk}/{verb}/" for verb in ("rename", "pin", "delete", "restore")),
        *(f"/answers/{answer}/{verb}/" for verb in ("stop", "again", "feedback")),
    ):
        assert browser.post(path, {"title": "Mine", "rating": "helpful"}).status_code == 404, path


def test_signed_out_people_are_sent_to_sign_in(bobs: Message, site: str) -> None:
    """Pages lead to the login, the API says 401."""
    assert Client().get("/").status_code == 302
    assert Client().get(f"/c/{bobs.conversation_id}/").status_code == 302
    assert Client().get("/api/conversations").status_code == 401
    assert Client().post("/api/chat/stream", {}).status_code == 401


def test_answers_use_only_what_the_asker_may_see(bob: Api, dave: Api, library: Library) -> None:
    """A closed folder's passage reaches no answer of those outside, by search or by address."""
    folder = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=folder, user=library.bob)
    secret = ready_skill(library.bob, "Salary bands", "Band seven earns 91,000 a year.", folder_id=folder.pk)
    assert last(bob.ask("What does band seven earn?"))["citations"][0]["skill_id"] == str(secret.pk)
    assert "91,000" not in str(dave.ask("What does band seven earn?").seen)
    folder.delete()


def test_reading_by_address_respects_rights(dave: Api, double: ModelDouble, library: Library) -> None:
    """The model can't read for Dave what Dave may not."""
    folder = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=folder, user=library.bob)
    secret = ready_skill(library.bob, "Salary bands", "Band seven earns 91,000 a year.", folder_id=folder.pk)
    double.queue(Reply(tool_calls=[("read", {"uri": secret.uri})]), "No.")
    frames = dave.ask("Read it to me")
    assert frames.of("tool.end")[0]["status"] == "not_found"
    folder.delete()


def test_narrow_key_sees_its_folder_and_its_own_conversations(
    bobs: Message, site: str, library: Library
) -> None:
    """A key limited to a folder asks only that folder and doesn't see what was asked without it."""
    folder = Folder.objects.create(name="Public")
    ready_skill(library.bob, "Opening hours", "The canteen opens at noon.", folder_id=folder.pk)
    narrow = Api(site, library.bob, folder_id=folder.pk)
    assert narrow.get("/conversations")["total"] == 0
    assert narrow.http.get(f"/conversations/{bobs.conversation_id}").status_code == 404
    assert "noon" in last(narrow.ask("When does the canteen open?"))["content"]
    assert last(narrow.ask("Can I carry over annual leave?"))["citations"] == []
    assert narrow.get("/conversations")["total"] == 2
    folder.delete()


def test_read_only_key_asks_and_changes_nothing(bobs: Message, site: str, library: Library) -> None:
    """It may ask; renaming and deleting are refused."""
    reader = Api(site, library.bob, read_only=True)
    assert last(reader.ask("Can I carry over annual leave?"))["citations"]
    path = f"/conversations/{bobs.conversation_id}"
    assert reader.http.put(path, json={"title": "x"}).status_code == 403
    assert reader.http.delete(path).status_code == 403


def test_a_source_that_is_closed_later_is_closed_in_old_answers_too(
    bobs: Message, bob: Api, library: Library
) -> None:
    """Over the API and in exports its number stays, its title and text are gone."""
    skill = bobs.citations.get().skill
    assert skill is not None
    before, folder = skill.folder_id, Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=folder, user=library.alice)
    type(skill).objects.filter(pk=skill.pk).update(folder=folder)
    try:
        path = f"/conversations/{bobs.conversation_id}"
        (cited,) = bob.get(f"{path}/messages")["items"][-1]["citations"]
        assert (cited["n"], cited["title"], cited["uri"], cited["passage"]["text"]) == (1, "", "", "")
        for kind in ("md", "json"):
            told = bob.http.get(f"{path}/export", params={"format": kind}).text
            assert skill.name not in told.replace("Can I carry over annual leave?", "")
    finally:
        type(skill).objects.filter(pk=skill.pk).update(folder=before)
        folder.delete()


def test_nobody_keeps_more_than_a_few_answers_running(library: Library) -> None:
    """The eleventh question waits for one of the ten that run; other people are not held up."""
    for n in range(answers.MOST_RUNNING):
        talk = Conversation.objects.create(user=library.bob, title=str(n))
        question = Message.objects.create(conversation=talk, role="user", content="?")
        running = {"role": "assistant", "status": "streaming", "heartbeat_at": timezone.now()}
        Message.objects.create(conversation=talk, question=question, **running)
    with pytest.raises(Conflict, match="Ten"):
        answers.ask(library.bob, "One more?")
    Conversation.objects.filter(user=library.bob).delete()
