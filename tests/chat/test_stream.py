"""A stream outlives its reader: it can be stopped, resumed and swept."""

from __future__ import annotations

import time
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from chat import answer as answers
from chat.frames import Frame
from chat.journal import write
from chat.models import Conversation, Event, Message
from chat.runner import runner
from chat.tasks import sweep_chat
from tests.chat.conftest import Api, Library, last
from tests.model_double import ModelDouble, Reply


def slowly(words: int = 60, rate: float = 20) -> Reply:
    """An answer of some seconds."""
    return Reply(pieces=[f"w{n} " for n in range(words)], rate=rate)


def wait_for(status: str, message_id: str, seconds: float = 3) -> Message:
    """The message once it has that status."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        message = Message.objects.get(pk=message_id)
        if message.status == status:
            return message
        time.sleep(0.02)
    raise AssertionError(f"still {Message.objects.get(pk=message_id).status}")


def test_stop_ends_the_upstream_call_and_keeps_what_came(bob: Api, double: ModelDouble) -> None:
    """Stop from another connection: the model is left within a second, the part is saved as stopped."""
    double.queue(slowly())
    with bob.asking("Go on") as frames:
        for frame in frames:
            if frame["type"] == "assistant.delta" and len(frames.text()) > 20:
                break
        began = time.monotonic()
        assert bob.http.post(f"/chat/messages/{frame['message_id']}/stop").json() == {"success": True}
        frames.all()
    assert time.monotonic() - began < 1.5
    assert double.wait_until_left(1)
    assert double.sent[0] < 40
    assert last(frames)["status"] == "stopped"
    message = Message.objects.get(pk=frame["message_id"])
    assert message.status == "stopped"
    assert message.content == frames.text().strip()
    after = bob.ask("And now?", conversation_id=str(message.conversation_id))
    assert after.seen[-1]["type"] == "assistant.final"


def test_stop_pressed_in_another_process(bob: Api, double: ModelDouble) -> None:
    """The row alone is enough: the process that runs the answer looks at it."""
    double.queue(slowly())
    with bob.asking("Go on") as frames:
        message_id = next(iter(frames))["message_id"]
        Message.objects.filter(pk=message_id).update(stop_requested=True)
        frames.all()
    assert last(frames)["status"] == "stopped"
    assert double.wait_until_left(2)


def test_reader_who_leaves_does_not_stop_the_answer(bob: Api, double: ModelDouble) -> None:
    """Closing the tab only closes the tab."""
    double.queue(slowly(20))
    with bob.asking("Go on") as frames:
        message_id = next(iter(frames))["message_id"]
    message = wait_for("done", message_id)
    assert message.content.endswith("w19")
    assert double.left_early == 0


def test_resume_in_the_middle_loses_and_doubles_nothing(bob: Api, double: ModelDouble) -> None:
    """The frames before and after a dropped line are all frames, once."""
    double.queue(slowly(40))
    with bob.asking("Go on") as first:
        for _ in first:
            if len(first.of("assistant.delta")) == 4:
                break
    rest = bob.resume(first.seen[0]["message_id"], after=first.ids[-1])
    assert first.ids + rest.ids == list(range(1, rest.ids[-1] + 1))
    assert first.text() + rest.text() == "".join(f"w{n} " for n in range(40))
    assert rest.seen[-1]["type"] == "assistant.final"


def test_resume_from_another_process(bob: Api, double: ModelDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the answer in memory the table gives the same frames, in time."""
    double.queue(slowly(40))
    with bob.asking("Go on") as first:
        message_id = next(iter(first))["message_id"]
        monkeypatch.setattr(type(runner), "feed", lambda self, message_id: None)
        late = bob.resume(message_id)
        first.all()
    assert late.ids == first.ids
    assert late.text() == first.text()


def test_resume_after_the_end(bob: Api, double: ModelDouble) -> None:
    """A finished answer gives its remaining frames, or a last one when they are gone."""
    whole = bob.ask("Can I carry over annual leave?")
    message_id = whole.seen[0]["message_id"]
    rest = bob.resume(message_id, after=3)
    assert rest.ids == whole.ids[3:]
    assert bob.resume(message_id, after=whole.ids[-1]).seen[-1]["type"] == "assistant.final"
    Event.objects.filter(message_id=message_id).delete()
    made_up = bob.resume(message_id)
    assert [f["type"] for f in made_up.seen] == ["assistant.final"]
    assert last(made_up)["content"] == last(whole)["content"]
    assert last(made_up)["citations"] == last(whole)["citations"]


def test_answer_of_a_dead_process_is_interrupted(bob: Api, library: Library) -> None:
    """Its frames stay, it says so, and it can be asked again."""
    talk = Conversation.objects.create(user=library.bob, title="Old")
    question = Message.objects.create(conversation=talk, role="user", content="Annual leave?")
    died = Message.objects.create(
        conversation=talk,
        question=question,
        role="assistant",
        status="streaming",
        heartbeat_at=timezone.now() - timedelta(minutes=2),
    )
    write([(died.pk, Frame(1, "assistant.delta", {"text": "Half"}, timezone.now()))])
    rest = bob.resume(str(died.pk))
    assert last(rest)["code"] == "interrupted"
    died.refresh_from_db()
    assert (died.status, died.content) == ("interrupted", "Half")
    fresh = bob.http.post(f"/chat/messages/{died.pk}/regenerate").json()
    assert "annual leave" in last(bob.resume(fresh["message_id"]))["content"].lower()


def test_sweep(library: Library) -> None:
    """Beat closes stale answers, and drops old frames and conversations deleted an hour ago."""
    talk = Conversation.objects.create(user=library.bob, title="Old")
    fresh = Message.objects.create(
        conversation=talk, role="assistant", status="streaming", heartbeat_at=timezone.now()
    )
    stale = Message.objects.create(
        conversation=talk,
        role="assistant",
        status="streaming",
        heartbeat_at=timezone.now() - timedelta(minutes=1),
    )
    done = Message.objects.create(conversation=talk, role="assistant")
    Event.objects.create(message=done, seq=1, type="x", at=timezone.now() - timedelta(hours=2))
    gone = Conversation.objects.create(
        user=library.bob, title="Gone", deleted_at=timezone.now() - timedelta(hours=2)
    )
    sweep_chat()
    fresh.refresh_from_db()
    stale.refresh_from_db()
    assert (fresh.status, stale.status) == ("streaming", "interrupted")
    assert not Event.objects.filter(message=done).exists()
    assert not Conversation.objects.filter(pk=gone.pk).exists()
    Message.objects.filter(pk=fresh.pk).update(status="done")


def test_deleting_a_conversation_stops_its_answer(bob: Api, double: ModelDouble) -> None:
    """Nothing goes on writing where nobody can read."""
    double.queue(slowly())
    with bob.asking("Go on") as frames:
        talk = next(iter(frames))["conversation_id"]
        assert bob.http.delete(f"/conversations/{talk}").json() == {"success": True}
        frames.all()
    assert double.wait_until_left(2)


def test_headers_for_proxies_and_comments(bob: Api, double: ModelDouble) -> None:
    """Not cached, not buffered, not compressed."""
    with bob.http.stream("POST", "/chat/stream", json={"message": "Leave?"}) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache, no-transform"
        assert response.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in response.headers
        response.read()


def test_slow_models_freeze_nobody(bob: Api, dave: Api, double: ModelDouble, site: str) -> None:
    """While more readers wait than the pool has connections, other requests answer at once."""
    double.default = lambda body: Reply(hang=True)
    waiting = [bob.http.build_request("POST", "/chat/stream", json={"message": f"{n}?"}) for n in range(20)]
    open_streams = [bob.http.send(request, stream=True) for request in waiting]
    try:
        for _ in range(3):
            began = time.monotonic()
            assert dave.http.get("/conversations").status_code == 200
            assert time.monotonic() - began < 1
        assert answers.sweep() == 0
    finally:
        for message in Message.objects.filter(status="streaming"):
            answers.stop(message)
        for stream in open_streams:
            stream.close()
    assert isinstance(open_streams[0], httpx.Response)
