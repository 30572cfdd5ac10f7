"""One reply of the model, told token by token while it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, SystemMessage, ToolCall
from langgraph.runtime import Runtime
from pydantic import BaseModel

from chat.frames import DELTA, REASONING
from chat.turn import Turn
from kbsite.llm.errors import bad_reply
from kbsite.llm.reasoning import ReasoningSplitter


async def reply(
    runtime: Runtime[Turn], messages: Sequence[AnyMessage], tools: Sequence[type[BaseModel]]
) -> AIMessage:
    """The model's next message: its answer, or the calls of ``tools`` it wants.

    Its text and reasoning are streamed as they come. Raises ModelUnavailable.
    """
    turn, tell = runtime.context, runtime.stream_writer
    model = turn.model.model.bind_tools(list(tools)) if tools else turn.model.model
    began = time.monotonic()
    tell({"type": "llm.call.start", "payload": {"model": turn.model.name}})
    splitter = ReasoningSplitter()
    text: list[str] = []
    rest: AIMessageChunk | None = None
    async with aclosing(model.astream([SystemMessage(turn.system), *messages])) as chunks:
        async for chunk in chunks:
            thought = chunk.additional_kwargs.get("reasoning_content") or ""
            more_thought, said = splitter.feed(chunk.text)
            _tell_text(tell, thought + more_thought, said)
            text.append(said)
            if chunk.tool_call_chunks or chunk.usage_metadata:
                bare = chunk.model_copy(update={"content": ""})
                rest = bare if rest is None else rest + bare
    thought, said = splitter.end()
    _tell_text(tell, thought, said)
    text.append(said)
    made = AIMessage(
        "".join(text),
        tool_calls=_calls(rest) if rest else [],
        usage_metadata=rest.usage_metadata if rest else None,
    )
    _tell_end(tell, turn.model.name, made, round((time.monotonic() - began) * 1000))
    if not made.tool_calls and not made.text.strip():
        raise bad_reply()
    return made


type Tell = Callable[[dict[str, Any]], None]


def _tell_text(tell: Tell, thought: str, said: str) -> None:
    if thought:
        tell({"type": REASONING, "payload": {"text": thought}})
    if said:
        tell({"type": DELTA, "payload": {"text": said}})


def _tell_end(tell: Tell, model: str, made: AIMessage, ms: int) -> None:
    used = made.usage_metadata
    tokens = {
        "prompt_tokens": used["input_tokens"] if used else 0,
        "completion_tokens": used["output_tokens"] if used else 0,
    }
    tell({"type": "llm.call.end", "payload": {"model": model, "ms": ms, "usage": tokens}})


def _calls(chunk: AIMessageChunk) -> list[ToolCall]:
    """The tools asked for. Arguments that are not JSON become none, which the tool will complain of."""
    broken = [ToolCall(name=c["name"] or "", args={}, id=c["id"]) for c in chunk.invalid_tool_calls]
    return [*chunk.tool_calls, *broken]
