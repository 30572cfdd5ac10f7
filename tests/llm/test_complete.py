"""One question, one answer: text or JSON."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel

from kbsite.exceptions import ModelUnavailable
from kbsite.llm import complete as module
from kbsite.llm.complete import complete, complete_json, parsed
from kbsite.llm.models import ModelCall, Purpose
from tests.llm.connecting import connect
from tests.model_double import ModelDouble, rate_limited

pytestmark = pytest.mark.django_db


class Decision(BaseModel):
    final_decision: Literal["approved", "rejected"]
    relations: list[str] = []


GOOD = '{"final_decision": "approved", "relations": ["a"]}'


def test_without_a_model_it_says_so() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        complete(Purpose.ANALYZE, "Be brief.", "Hello?")
    assert caught.value.code == "no_model"


def test_thoughts_and_nul_are_taken_out(model_double: ModelDouble) -> None:
    connect(model_double)
    model_double.queue("<think>plan</think>An ans\x00wer.")
    assert complete(Purpose.CHAT, "Be brief.", "Hello?") == "An answer."


def test_each_call_is_a_row(model_double: ModelDouble) -> None:
    connect(model_double)
    complete(Purpose.REVIEW, "Be brief.", "Hello?")
    row = ModelCall.objects.get()
    assert (row.purpose, row.model, row.provider_name, row.error) == ("review", "double-chat", "Double", "")
    assert row.prompt_tokens > 0
    assert row.completion_tokens > 0


def test_a_busy_provider_is_waited_for_once(
    model_double: ModelDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waited.append)
    connect(model_double)
    model_double.queue(rate_limited(3), "There you are.")
    assert complete(Purpose.CHAT, "", "Hello?") == "There you are."
    assert waited == [3.0]
    model_double.queue(rate_limited(3), rate_limited(3), "Never reached.")
    with pytest.raises(ModelUnavailable):
        complete(Purpose.CHAT, "", "Hello?")
    assert list(ModelCall.objects.order_by("at").values_list("error", flat=True)) == [
        "rate_limited",
        "",
        "rate_limited",
        "rate_limited",
    ]


def test_a_long_wait_is_left_to_the_caller(model_double: ModelDouble) -> None:
    connect(model_double)
    model_double.queue(rate_limited(600))
    with pytest.raises(ModelUnavailable) as caught:
        complete(Purpose.CHAT, "", "Hello?")
    assert caught.value.extra["retry_after"] == 600
    assert len(model_double.chats()) == 1


def test_an_empty_answer_is_a_fault(model_double: ModelDouble) -> None:
    connect(model_double)
    model_double.queue("  \n")
    with pytest.raises(ModelUnavailable) as caught:
        complete(Purpose.CHAT, "", "Hello?")
    assert caught.value.code == "bad_reply"


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is:\n\n```\n{GOOD}\n```\nAnything else?",
        f"Sure! {GOOD} Hope that helps.",
        f"<think>{{maybe}}</think>{GOOD}",
        f"{{not json}} but {GOOD}",
    ],
)
def test_json_in_any_wrapping(model_double: ModelDouble, reply: str) -> None:
    connect(model_double)
    model_double.queue(reply)
    found = complete_json(Purpose.REVIEW, "Decide.", "…", Decision)
    assert found == Decision(final_decision="approved", relations=["a"])
    assert len(model_double.chats()) == 1


def test_json_that_does_not_fit_is_sent_back_once(model_double: ModelDouble) -> None:
    connect(model_double)
    model_double.queue('{"final_decision": "maybe"}', GOOD)
    assert complete_json(Purpose.REVIEW, "Decide.", "…", Decision).final_decision == "approved"
    repair = model_double.chats()[-1]["messages"]
    assert [m["role"] for m in repair] == ["system", "user", "assistant", "user"]
    assert "final_decision" in repair[-1]["content"]


@pytest.mark.parametrize("second", ["no", '{"final_decision": ', '{"final_decision": "maybe"}'])
def test_json_that_never_fits_is_a_fault(model_double: ModelDouble, second: str) -> None:
    connect(model_double)
    model_double.queue("I can't.", second)
    with pytest.raises(ModelUnavailable) as caught:
        complete_json(Purpose.REVIEW, "Decide.", "…", Decision)
    assert caught.value.code == "bad_reply"
    assert len(model_double.chats()) == 2


def test_many_braces_are_read_quickly() -> None:
    with pytest.raises(ValueError, match="JSON"):
        parsed("{" * 50_000, Decision)
