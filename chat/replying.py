"""One reply of the model, told token by token while it comes."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, SystemMessage, ToolCall
from langgraph.runtime import Runtime
from pydantic import BaseModel

from chat.frames import DELTA, REASONING, REMARK
from chat.rows import in_rows
from chat.turn import Turn
from kbsite.exceptions import ModelUnavailable
from kbsite.llm import usage
from kbsite.llm.errors import bad_reply
from kbsite.llm.reasoning import Splitter

type Tell = Callable[[dict[str, Any]], None]


async def reply(
    runtime: Runtime[Turn], messages: Sequence[AnyMessage], tools: Sequence[type[BaseModel]]
) -> AIMessage:
    """The model's next message: its answer, or the calls of ``tools`` it wants.

    Its text and reasoning are streamed as they come. Raises ModelUnavailable.
    """
    model, tell = runtime.context.model, runtime.stream_writer
    began = time.monotonic()
    tell({"type": "llm.call.start", "payload": {"model": model.name}})
    try:
        made = await _stream(runtime, [SystemMessage(runtime.context.system), *messages], tools)
    except ModelUnavailable as fault:
        await in_rows(usage.record, model, usage.Used(), time.monotonic() - began, fault.code)
        raise
    seconds, used = time.monotonic() - began, usage.used(made)
    tokens = {"prompt_tokens": used.prompt_tokens, "completion_tokens": used.completion_tokens}
    payload = {"model": model.name, "ms": round(seconds * 1000), "usage": tokens}
    tell({"type": "llm.call.end", "payload": payload})
    await in_rows(usage.record, model, used, seconds)
    return made


async def _stream(
    runtime: Runtime[Turn], messages: Sequence[AnyMessage], tools: Sequence[type[BaseModel]]
) -> AIMessage:
    model = runtime.context.model.model
    asked = cast("BaseChatModel", model.bind_tools(list(tools)) if tools else model)
    told = _Told(runtime.stream_writer)
    rest: AIMessageChunk | None = None
    stream = cast("AsyncGenerator[AIMessageChunk]", asked.astream(list(messages)))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            told.add(str(chunk.text), chunk.additional_kwargs.get("reasoning_content") or "")
            if chunk.tool_call_chunks or chunk.usage_metadata:
                bare = chunk.model_copy(update={"content": ""})
                rest = bare if rest is None else rest + bare
    told.end()
    calls = _calls(rest) if rest else []
    if not calls and not told.answer.strip():
        raise bad_reply()
    if calls and told.answer:
        runtime.stream_writer({"type": REMARK, "payload": {}})
    return AIMessage(told.answer, tool_calls=calls, usage_metadata=rest.usage_metadata if rest else None)


class _Told:
    """Text as it comes, its thoughts apart from its answer, told as frames."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._splitter = Splitter()

    @property
    def answer(self) -> str:
        return self._splitter.answer

    def add(self, text: str, thought: str) -> None:
        if thought:
            self._tell({"type": REASONING, "payload": {"text": thought}})
        if text:
            shown = len(self.answer)
            self._show(self._splitter.feed(text), shown)

    def end(self) -> None:
        shown = len(self.answer)
        self._show(self._splitter.close(), shown)

    def _show(self, pieces: Sequence[tuple[str, str]], shown: int) -> None:
        for kind, text in pieces:
            self._tell({"type": DELTA if kind == "answer" else REASONING, "payload": {"text": text}})
            shown += len(text) if kind == "answer" else 0
        if shown != len(self.answer):  # a stray end of thought: all that was shown is one
            self._tell({"type": REMARK, "payload": {}})
            if self.answer:
                self._tell({"type": DELTA, "payload": {"text": self.answer}})


def _calls(chunk: AIMessageChunk) -> list[ToolCall]:
    """The tools asked for. Arguments that are not JSON become none, which the tool will complain of."""
    broken = [ToolCall(name=c["name"] or "", args={}, id=c["id"]) for c in chunk.invalid_tool_calls]
    return [*chunk.tool_calls, *broken]
