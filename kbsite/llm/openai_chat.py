"""Any chat endpoint that speaks the OpenAI wire format, with the manners that such endpoints lack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, Self
from weakref import WeakKeyDictionary

import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from kbsite.llm import errors
from kbsite.llm.capabilities import off_the_loop
from kbsite.llm.line import Line
from kbsite.text import storable

CONNECT_SECONDS = 5.0
_FAULTS = (openai.OpenAIError, TimeoutError, ValueError, KeyError, TypeError)

_Clients = dict[str, openai.DefaultAsyncHttpxClient]
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Clients] = WeakKeyDictionary()


class CompatibleChat(ChatOpenAI):
    """:class:`ChatOpenAI`, and also:

    - every failure is a :class:`~kbsite.exceptions.ModelUnavailable` that names the fault;
    - nothing is retried behind the caller's back;
    - a stream that ends without a finish reason was cut off, and says so;
    - ``reasoning_content`` is kept in ``additional_kwargs["reasoning_content"]``;
    - text is storable: no NUL, no lone surrogate;
    - a model that takes no system message gets its text in the first question instead;
    - what the provider says the model can't do is reported to ``learned``.
    """

    _line: Line = PrivateAttr(default_factory=Line)
    _takes_system: bool = PrivateAttr(default=True)

    @classmethod
    def over(cls, line: Line) -> Self:
        """The model at the end of ``line``."""
        chat = cls(
            model=line.model,
            base_url=line.base_url,
            api_key=line.usable_key,
            timeout=(CONNECT_SECONDS, line.seconds),
            max_retries=0,
            stream_usage=True,
            stream_chunk_timeout=line.seconds,
            use_responses_api=False,
        )
        chat._line, chat._takes_system = line, line.takes_system
        return chat

    # ── What is sent ─────────────────────────────────────────────────────────────────────────

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if not self._takes_system:
            payload["messages"] = without_system(payload["messages"])
        return payload

    def _once_more(self, error: openai.APIStatusError, options: dict[str, Any]) -> bool:
        """Learn from a refusal; whether the same call is worth sending again now."""
        if options.get("tools") and errors.refuses_tools(error):
            self._line.learned("tools")
            raise errors.no_tools() from None
        if self._takes_system and errors.refuses_system(error):
            self._takes_system = False
            self._line.learned("system")
            return True
        if self.stream_usage and errors.refuses_usage(error):
            self.stream_usage = False
            return True
        return False

    # ── What comes back ──────────────────────────────────────────────────────────────────────

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or []
        if made is not None and choices:
            _keep(made.message, choices[0].get("delta") or {})
        return made

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        if not result.generations:
            raise errors.bad_reply()
        said = response if isinstance(response, dict) else response.model_dump()
        for generation, choice in zip(result.generations, said["choices"], strict=True):
            _keep(generation.message, choice["message"])
        return result

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        received = finished = False
        try:
            for chunk in super()._stream(messages, *args, **kwargs):
                received, finished = True, finished or _finishes(chunk)
                yield chunk
        except openai.APIStatusError as error:
            if received or not self._once_more(error, kwargs):
                raise errors.explain(error, received=received) from None
        except _FAULTS as error:
            raise errors.explain(error, received=received) from None
        else:
            _all_there(received, finished)
            return
        yield from self._stream(messages, *args, **kwargs)

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        self._use_this_loop()
        received = finished = False
        try:
            async for chunk in super()._astream(messages, *args, **kwargs):
                received, finished = True, finished or _finishes(chunk)
                yield chunk
        except openai.APIStatusError as error:
            if received or not await off_the_loop(partial(self._once_more, error, kwargs)):
                raise errors.explain(error, received=received) from None
        except _FAULTS as error:
            raise errors.explain(error, received=received) from None
        else:
            _all_there(received, finished)
            return
        async for chunk in self._astream(messages, *args, **kwargs):
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        try:
            return super()._generate(messages, stop, run_manager, **kwargs)
        except openai.APIStatusError as error:
            if not self._once_more(error, kwargs):
                raise errors.explain(error) from None
        except _FAULTS as error:
            raise errors.explain(error) from None
        return self._generate(messages, stop, run_manager, **kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._use_this_loop()
        try:
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        except openai.APIStatusError as error:
            if not await off_the_loop(partial(self._once_more, error, kwargs)):
                raise errors.explain(error) from None
        except _FAULTS as error:
            raise errors.explain(error) from None
        return await self._agenerate(messages, stop, run_manager, **kwargs)

    def _use_this_loop(self) -> None:
        """Lines kept open belong to the event loop that opened them."""
        timeout = openai.Timeout(self._line.seconds, connect=CONNECT_SECONDS)
        kept = _clients.setdefault(asyncio.get_running_loop(), {})
        if (http := kept.get(self._line.base_url)) is None:
            http = kept[self._line.base_url] = openai.DefaultAsyncHttpxClient()

        async def key() -> str:
            return self._line.usable_key()

        self.root_async_client = openai.AsyncOpenAI(
            api_key=key, base_url=self.openai_api_base, timeout=timeout, max_retries=0, http_client=http
        )
        self.async_client = self.root_async_client.chat.completions


def without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``messages`` with the system text put before the first question."""
    system = [m["content"] for m in messages if m["role"] in ("system", "developer")]
    rest = [m for m in messages if m["role"] not in ("system", "developer")]
    if not system:
        return rest
    first = next((n for n, m in enumerate(rest) if m["role"] == "user"), None)
    if first is None:
        return [{"role": "user", "content": "\n\n".join(system)}, *rest]
    question = {**rest[first], "content": "\n\n".join([*system, str(rest[first]["content"])])}
    return [*rest[:first], question, *rest[first + 1 :]]


def _keep(message: BaseMessage, said: dict[str, Any]) -> None:
    """Make the text storable and keep the reasoning that LangChain leaves out."""
    if isinstance(message.content, str):
        message.content = storable(message.content)
    thought = said.get("reasoning_content") or said.get("reasoning")
    if isinstance(thought, str) and isinstance(message, AIMessage):
        message.additional_kwargs["reasoning_content"] = storable(thought)


def _finishes(chunk: ChatGenerationChunk) -> bool:
    return bool((chunk.generation_info or {}).get("finish_reason")) or bool(
        isinstance(chunk.message, AIMessage) and chunk.message.usage_metadata
    )


def _all_there(received: bool, finished: bool) -> None:
    if not received:
        raise errors.bad_reply()
    if not finished:
        raise errors.cut_off()
