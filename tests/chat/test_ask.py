"""Asking: the answer streams in, cites what it rests on, and is kept."""

from __future__ import annotations

import uuid

from chat.models import Message
from documents.models import Folder
from tests.chat.conftest import Api, Library, last
from tests.model_double import ModelDouble, Reply


def test_offline_model_quotes_and_cites(bob: Api, library: Library) -> None:
    """Without a language model the answer quotes the passage, and the number opens it."""
    frames = bob.ask("纸质车票丢了怎么报销？")
    types = [f["type"] for f in frames.seen]
    assert types[0] == "meta.start"
    assert types[-1] == "assistant.final"
    assert "12306" in last(frames)["content"]
    cited = last(frames)["citations"]
    assert cited
    assert cited[0]["skill_id"] == str(library.travel.pk)
    passage = cited[0]["passage"]
    assert library.travel.content[passage["start"] : passage["end"]] == passage["text"]


def test_frames_are_numbered_and_typed(bob: Api, double: ModelDouble) -> None:
    """Each frame carries its number as SSE id and in its envelope, from 1 without gaps."""
    frames = bob.ask("Can I carry over annual leave?")
    assert frames.ids == list(range(1, len(frames.seen) + 1)) == [f["seq"] for f in frames.seen]
    assert {f["v"] for f in frames.seen} == {1}
    assert len({f["message_id"] for f in frames.seen}) == 1
    assert "event" not in frames.seen[0]
    begun = frames.of("tool.start")[0]
    assert begun["name"] == "search"
    assert begun["input"] == {"query": "Can I carry over annual leave?"}
    assert frames.of("search.results.found")[0]["count"] >= 1
    assert frames.of("tool.end")[0]["status"] == "success"


def test_deltas_add_up_to_the_answer(bob: Api, double: ModelDouble) -> None:
    """What streams is what is kept; the tool call and its output are no part of it."""
    frames = bob.ask("Can I carry over annual leave?")
    assert frames.text() == last(frames)["content"]
    assert "Unused annual leave" in frames.text()
    assert [c["n"] for c in last(frames)["citations"]] == [1]
    saved = Message.objects.get(pk=frames.seen[0]["message_id"])
    assert saved.content == frames.text()
    assert saved.status == "done"
    citation = saved.citations.get()
    assert citation.skill is not None
    assert citation.text in citation.skill.content
    assert saved.usage["completion_tokens"] > 0


def test_two_model_calls_for_a_plain_question(bob: Api, double: ModelDouble) -> None:
    """One to search, one to answer; the title comes afterwards and apart."""
    bob.ask("Can I carry over annual leave?")
    assert len([c for c in double.chats() if c.get("stream")]) == 2


def test_whole_answer_without_a_stream(bob: Api, double: ModelDouble) -> None:
    """POST /api/chat waits and gives everything at once."""
    response = bob.http.post("/chat", json={"message": "Can I carry over annual leave?"})
    assert response.status_code == 200
    body = response.json()
    assert "Unused annual leave" in body["content"]
    assert body["citations"][0]["n"] == 1
    assert body["tool_calls"][0]["name"] == "search"
    assert body["latency_ms"] > 0


def test_history_goes_along_without_numbers(bob: Api, double: ModelDouble) -> None:
    """A follow-up question carries the turns before it, without their citation numbers."""
    first = bob.ask("Can I carry over annual leave?")
    bob.ask("And after March?", conversation_id=first.seen[0]["conversation_id"])
    asked = [c for c in double.chats() if c.get("stream")][2]["messages"]
    assert [m["role"] for m in asked] == ["system", "user", "assistant", "user"]
    assert "[1]" not in asked[2]["content"]
    assert "Unused annual leave" in asked[2]["content"]


def test_the_same_token_is_the_same_question(bob: Api, double: ModelDouble) -> None:
    """A form sent twice makes one conversation, one question and one answer."""
    token = str(uuid.uuid4())
    one = bob.ask("Can I carry over annual leave?", token=token)
    two = bob.ask("Can I carry over annual leave?", token=token)
    assert one.seen[0]["message_id"] == two.seen[0]["message_id"]
    assert Message.objects.count() == 2


def test_one_answer_at_a_time(bob: Api, double: ModelDouble) -> None:
    """While an answer runs, its conversation takes no other question: 409."""
    double.queue(Reply(text="Slow and steady", rate=5))
    with bob.asking("First?") as frames:
        talk = next(iter(frames))["conversation_id"]
        second = bob.http.post("/chat", json={"message": "Second?", "conversation_id": talk})
        assert second.status_code == 409
        assert second.json()["code"] == "answering"
        frames.all()


def test_empty_and_huge_questions_are_refused(bob: Api) -> None:
    """422 with a sentence; nothing is kept."""
    for message in ("", "  \n ", "x" * 20_001, "\x00"):
        response = bob.http.post("/chat", json={"message": message})
        assert response.status_code == 422
        assert response.json()["detail"]
    assert not Message.objects.exists()


def test_scope_narrows_and_stays(bob: Api, library: Library) -> None:
    """Only the chosen folder is looked in, also for the next question; a folder that isn't there is 422."""
    nowhere = {"folder_id": str(uuid.uuid4())}
    assert bob.http.post("/chat", json={"message": "Hm?", "scope": nowhere}).status_code == 422
    folder = Folder.objects.create(name="Empty")
    frames = bob.ask("Can I carry over annual leave?", scope={"folder_id": str(folder.pk)})
    assert last(frames)["citations"] == []
    assert frames.of("tool.end")[0]["status"] == "empty"
    again = bob.ask("Annual leave?", conversation_id=frames.seen[0]["conversation_id"])
    assert last(again)["citations"] == []
    folder.delete()
