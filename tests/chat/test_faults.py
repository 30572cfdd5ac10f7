"""Models that fail, think aloud, or send what can't be stored."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from chat import run
from chat.models import Conversation, Message
from tests.chat.conftest import Api, last
from tests.model_double import ModelDouble, Reply, rate_limited


@pytest.mark.parametrize(
    ("reply", "code", "retryable"),
    [
        (Reply(status=401, error="Incorrect API key provided: sk-double-7f3a9c51e2"), "bad_key", False),
        (Reply(status=404, error="no such model"), "not_found", False),
        (rate_limited(7), "rate_limited", True),
        (Reply(status=500, error="boom"), "server_error", True),
        (Reply(text="Half of the answer is here", cut_after=3), "cut_off", True),
        (Reply(raw=b'{"error": {"message": "overloaded"}}'), "bad_reply", True),
        (Reply(text=""), "bad_reply", True),
    ],
)
def test_fault_is_explained_and_the_question_kept(
    bob: Api, double: ModelDouble, reply: Reply, code: str, retryable: bool
) -> None:
    """The last frame says which fault and what to do; asking again works."""
    double.queue(reply)
    frames = bob.ask("Can I carry over annual leave?")
    assert frames.seen[-1]["type"] == "error"
    assert last(frames)["code"] == code
    assert last(frames)["retryable"] is retryable
    assert last(frames)["message"]
    assert "sk-double" not in str(frames.seen)
    failed = Message.objects.get(role="assistant")
    assert failed.status == "failed"
    assert failed.error["code"] == code
    assert failed.question is not None
    assert failed.question.content == "Can I carry over annual leave?"
    again = bob.http.post(f"/chat/messages/{failed.pk}/regenerate")
    assert again.status_code == 202
    fresh = bob.resume(again.json()["message_id"])
    assert "Unused annual leave" in last(fresh)["content"]
    items = bob.get(f"/conversations/{failed.conversation_id}/messages")["items"]
    assert [m["status"] for m in items] == ["done", "done"]


def test_silence_is_a_time_out(bob: Api, double: ModelDouble, settings: Settings) -> None:
    """A model that never begins, or falls silent, is given up after the time-out."""
    settings.KB_MODEL_TIMEOUT_SECONDS = 0.4
    for reply in (Reply(hang=True), Reply(text="It begins and then", stall_after=2)):
        double.queue(reply)
        frames = bob.ask("Leave?")
        assert last(frames)["code"] == "timeout"


def test_what_came_before_the_cut_is_kept(bob: Api, double: ModelDouble) -> None:
    """A stream cut in the middle leaves its beginning with the message."""
    double.queue(Reply(text="One two three four five", cut_after=3))
    frames = bob.ask("Count")
    assert Message.objects.get(pk=frames.seen[0]["message_id"]).content == "One two three"


def test_whole_answer_of_a_failed_model_is_a_problem(bob: Api, double: ModelDouble) -> None:
    """Without a stream the fault is the response: 503 with its code and the message's id."""
    double.queue(Reply(status=500, error="boom"))
    response = bob.http.post("/chat", json={"message": "Leave?"})
    assert response.status_code == 503
    assert response.json()["code"] == "server_error"
    assert Message.objects.filter(pk=response.json()["message_id"]).exists()


def test_nul_and_lone_surrogates_are_dropped(bob: Api, double: ModelDouble) -> None:
    """What PostgreSQL refuses is left out; the rest of the answer is kept."""
    double.queue(Reply(pieces=["a\u0000b", "c\ud800d"]))
    frames = bob.ask("A question with \u0000 in it")
    assert last(frames)["content"] == "abcd"
    assert Message.objects.get(role="user").content == "A question with  in it"


@pytest.mark.parametrize(
    ("reply", "answer", "thought"),
    [
        (Reply(pieces=["<th", "ink>plan", " it</thi", "nk>Ans", "wer"]), "Answer", "plan it"),
        (Reply(text="Answer", reasoning="plan it"), "Answer", "plan it"),
        (
            Reply(pieces=["<think>", "never closed, so it is the answer"]),
            "never closed, so it is the answer",
            "",
        ),
        (Reply(pieces=["plan it", "</think>", "Answer"]), "Answer", "plan it"),
        (Reply(pieces=["Use `<think>` tags"]), "Use `<think>` tags", ""),
    ],
)
def test_thoughts_are_kept_apart(
    bob: Api, double: ModelDouble, reply: Reply, answer: str, thought: str
) -> None:
    """Reasoning is streamed as such, folded in the message, and no part of answer, history or title."""
    double.queue(reply)
    frames = bob.ask("Why?")
    assert last(frames)["content"] == answer
    saved = Message.objects.get(pk=frames.seen[0]["message_id"])
    assert saved.content == answer
    assert saved.reasoning == thought
    double.queue("Fine.")
    bob.ask("And then?", conversation_id=str(saved.conversation_id))
    asked = [b for b in double.chats() if b.get("stream")][-1]["messages"]
    assert asked[2]["content"] == answer
    assert "<think" not in Conversation.objects.get().title


@pytest.mark.parametrize(
    ("said", "kept", "numbers"),
    [
        ("Yes [1][88], no [99].", "Yes [1], no.", [1]),
        ("是【1】，不是［77］。", "是[1]，不是。", [1]),
        ("Both [1, 88] and [80-99].", "Both [1] and.", [1]),
        ("Code `a[1]` and [1](/x) stay.", "Code `a[1]` and [1](/x) stay.", []),
        ("```\na[1]\n```\n\nIn [2024] there was one [77]", "```\na[1]\n```\n\nIn [2024] there was one", []),
    ],
)
def test_citations_in_every_form(
    bob: Api, double: ModelDouble, said: str, kept: str, numbers: list[int]
) -> None:
    """All forms become [n]; numbers without a source are removed, with the space before them."""
    double.queue(Reply(tool_calls=[("search", {"query": "sickness doctor's note"})]), said)
    frames = bob.ask("Sick?")
    assert last(frames)["content"] == kept
    assert [c["n"] for c in last(frames)["citations"]] == numbers


def test_endless_answer_is_ended(bob: Api, double: ModelDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that does not stop is stopped; what came is kept."""
    monkeypatch.setattr(run, "LONGEST_ANSWER", 300)
    double.queue(Reply(pieces=["more "] * 2000, rate=400))
    frames = bob.ask("Go on")
    assert last(frames)["code"] == "cut_off"
    assert double.wait_until_left()
    assert len(Message.objects.get(role="assistant").content) >= 300
