"""Asking a connected model, and what is said when it can't answer."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.chat_models import ChatModel, chat_model
from kbsite.llm.errors import explain
from kbsite.llm.models import Provider, Purpose
from tests.llm.connecting import connect
from tests.model_double import KEY, ModelDouble, Reply, rate_limited

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}


def ask(model: ChatModel, *messages: Any, **options: Any) -> AIMessageChunk:
    said: AIMessageChunk | None = None
    for chunk in model.model.stream(list(messages) or "Hello?", **options):
        assert isinstance(chunk, AIMessageChunk)
        said = chunk if said is None else said + chunk
    assert said is not None
    return said


@pytest.mark.django_db
class TestWhichModel:
    def test_without_any_row_it_is_the_offline_one(self) -> None:
        model = chat_model(Purpose.ANALYZE)
        assert model.is_offline
        assert model.calls_tools

    def test_a_purpose_without_its_own_uses_the_one_for_chat(self, model_double: ModelDouble) -> None:
        connect(model_double)
        assert chat_model(Purpose.REVIEW).name == "double-chat"
        assert chat_model(Purpose.REVIEW).purpose == "review"

    def test_one_query_finds_it(self, model_double: ModelDouble, django_assert_num_queries: Any) -> None:
        connect(model_double)
        with django_assert_num_queries(1):
            chat_model(Purpose.ANALYZE)


@pytest.mark.django_db
class TestAnswers:
    def test_streams_text_with_usage(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue("Annual leave is 15 days.")
        said = ask(chat_model(Purpose.CHAT))
        assert said.content == "Annual leave is 15 days."
        assert said.usage_metadata
        assert said.usage_metadata["output_tokens"] > 0
        assert model_double.requests[-1].headers["authorization"] == f"Bearer {KEY}"

    def test_streams_tool_calls(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue(Reply(tool_calls=[("search", {"query": "年假有几天"})]))
        assert ask(chat_model(Purpose.CHAT), tools=[SEARCH]).tool_calls[0]["args"] == {"query": "年假有几天"}

    def test_keeps_reasoning_apart(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue(Reply(reasoning="First I think about it.", text="Yes."))
        said = ask(chat_model(Purpose.CHAT))
        assert said.content == "Yes."
        assert said.additional_kwargs["reasoning_content"] == "First I think about it."
        model_double.queue(Reply(reasoning="Whole.", text="Yes."))
        whole = chat_model(Purpose.CHAT).model.invoke("Hello?")
        assert whole.additional_kwargs["reasoning_content"] == "Whole."

    def test_drops_what_cannot_be_stored(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue(Reply(pieces=["a\x00b", "\x00", "c\ud800"]))
        assert ask(chat_model(Purpose.CHAT)).content == "abc"

    def test_leaving_early_ends_the_call_upstream(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue(Reply(text="word " * 400, rate=100))
        model = chat_model(Purpose.CHAT)

        async def stop_soon() -> None:
            async def read() -> None:
                async for _chunk in model.model.astream("Hello?"):
                    pass

            task = asyncio.create_task(read())
            await asyncio.sleep(0.3)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.to_thread(model_double.wait_until_left, 2)

        asyncio.run(stop_soon())
        assert model_double.left_early == 1
        assert model_double.sent[-1] < 100

    def test_a_second_event_loop_does_as_well(self, model_double: ModelDouble) -> None:
        connect(model_double)
        for _ in range(2):
            said = asyncio.run(chat_model(Purpose.CHAT).model.ainvoke("Hello?"))
            assert said.content == "You said: Hello?"


FAULTS = [
    (Reply(status=401, error=f"Incorrect API key provided: {KEY}"), "bad_key", False),
    (Reply(status=403, error="no access"), "bad_key", False),
    (Reply(status=404, error="no such model"), "not_found", False),
    (rate_limited(7), "rate_limited", True),
    (Reply(status=429, error="You exceeded your current quota"), "rate_limited", False),
    (Reply(status=500, error="boom"), "server_error", True),
    (Reply(status=503, error="overloaded"), "server_error", True),
    (Reply(status=400, error="maximum context length is 8192 tokens"), "too_long", False),
    (Reply(text="one two three four", cut_after=2), "cut_off", True),
    (Reply(text="one two", finish=None, usage=False), "cut_off", True),
    (Reply(raw=b"<html>hello</html>"), "bad_reply", True),
]


@pytest.mark.django_db
class TestFaults:
    @pytest.mark.parametrize(("reply", "code", "retryable"), FAULTS, ids=lambda v: str(v)[:40])
    def test_each_fault_is_named(
        self, model_double: ModelDouble, reply: Reply, code: str, retryable: bool
    ) -> None:
        connect(model_double)
        model_double.queue(reply)
        with pytest.raises(ModelUnavailable) as caught:
            ask(chat_model(Purpose.CHAT))
        assert (caught.value.code, caught.value.retryable) == (code, retryable)
        assert len(str(caught.value)) > 20
        assert len(model_double.chats()) == 1, "nothing is retried behind the caller's back"

    @pytest.mark.parametrize(("reply", "code", "retryable"), FAULTS, ids=lambda v: str(v)[:40])
    def test_each_fault_is_named_when_awaited(
        self, model_double: ModelDouble, reply: Reply, code: str, retryable: bool
    ) -> None:
        connect(model_double)
        model_double.queue(reply)

        async def read() -> list[Any]:
            return [c async for c in chat_model_here.model.astream("Hello?")]

        chat_model_here = chat_model(Purpose.CHAT)
        with pytest.raises(ModelUnavailable) as caught:
            asyncio.run(read())
        assert (caught.value.code, caught.value.retryable) == (code, retryable)

    def test_a_reply_that_is_not_json(self, model_double: ModelDouble) -> None:
        connect(model_double)
        for body in (b"not json", b"{}", b'{"error": {"message": "x"}}', b'{"choices": []}'):
            model_double.queue(Reply(raw=body))
            with pytest.raises(ModelUnavailable) as caught:
                chat_model(Purpose.CHAT).model.invoke("Hello?")
            assert caught.value.code == "bad_reply"

    def test_says_how_long_to_wait(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.queue(rate_limited(7))
        with pytest.raises(ModelUnavailable, match="7 seconds") as caught:
            ask(chat_model(Purpose.CHAT))
        assert caught.value.extra["retry_after"] == 7

    @pytest.mark.parametrize("reply", [Reply(hang=True), Reply(text="a b c", stall_after=1)])
    def test_silence(self, model_double: ModelDouble, settings: Any, reply: Reply) -> None:
        settings.KB_MODEL_TIMEOUT_SECONDS = 0.3
        connect(model_double)
        model_double.queue(reply)
        with pytest.raises(ModelUnavailable) as caught:
            ask(chat_model(Purpose.CHAT))
        assert caught.value.code == "timeout"

    def test_nobody_there(self, model_double: ModelDouble) -> None:
        row = connect(model_double)
        Provider.objects.filter(pk=row.provider_id).update(base_url="http://127.0.0.1:9/v1")
        with pytest.raises(ModelUnavailable) as caught:
            ask(chat_model(Purpose.CHAT))
        assert caught.value.code == "unreachable"

    def test_an_unknown_error_still_has_a_sentence(self) -> None:
        assert explain(RuntimeError("?")).code == "server_error"


@pytest.mark.django_db(transaction=True)
class TestWhatAModelCannotDo:
    def test_no_system_message(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.refuses_system = True
        said = ask(chat_model(Purpose.CHAT), SystemMessage("Be brief."), HumanMessage("Hello?"))
        assert said.content == "You said: Be brief.\n\nHello?"
        assert not chat_model(Purpose.CHAT).takes_system
        ask(chat_model(Purpose.CHAT), SystemMessage("Be brief."), HumanMessage("Hello?"))
        assert len(model_double.chats()) == 3, "asked with a system message once, then never again"

    def test_no_system_message_when_awaited(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.refuses_system = True
        said = asyncio.run(
            chat_model(Purpose.CHAT).model.ainvoke([SystemMessage("Be brief."), HumanMessage("Hello?")])
        )
        assert isinstance(said, AIMessage)
        assert not chat_model(Purpose.CHAT).takes_system

    def test_no_tools(self, model_double: ModelDouble) -> None:
        connect(model_double)
        model_double.refuses_tools = True
        with pytest.raises(ModelUnavailable) as caught:
            ask(chat_model(Purpose.CHAT), tools=[SEARCH])
        assert caught.value.code == "no_tools"
        assert not chat_model(Purpose.CHAT).calls_tools
        assert ask(chat_model(Purpose.CHAT)).content == "You said: Hello?"


@pytest.mark.django_db
class TestTheKeyStaysHidden:
    def test_it_is_nowhere_to_be_read(
        self, model_double: ModelDouble, caplog: pytest.LogCaptureFixture
    ) -> None:
        row = connect(model_double)
        model_double.key = "another"
        with caplog.at_level(logging.DEBUG), pytest.raises(ModelUnavailable) as caught:
            ask(chat_model(Purpose.CHAT))
        model = chat_model(Purpose.CHAT)
        trace = "".join(traceback.format_exception(caught.value))
        seen = [
            str(caught.value),
            repr(vars(caught.value)),
            trace,
            caplog.text,
            repr(model),
            repr(model.model),
        ]
        seen += [
            repr(vars(row.provider)),
            str(model.model.to_json() if hasattr(model.model, "to_json") else ""),
        ]
        for text in seen:
            assert KEY not in text
