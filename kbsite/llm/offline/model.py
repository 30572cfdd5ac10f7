"""The offline model: asks the search tool, then answers in the words of what was found."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCall,
    ToolCallChunk,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from kbsite.llm.offline.follow_up import keywords, search_words
from kbsite.llm.offline.nearness import nearness
from kbsite.llm.offline.quoting import Unit, best_quotes, passages
from kbsite.llm.offline.sentences import is_chinese

NAME = "offline"

# In the language of the question, whatever the language of the page: so not in the catalogue.
_SENTENCES = {
    "zh": {
        "found": "知识库中是这样写的：",
        "nothing": "知识库中没有找到与这个问题有关的内容。可以换个说法，或者添加相关文档后再问。",
        "thanks": "不客气。",
        "hello": "你好。请就知识库里的文档提问，我会引用原文来回答。",
        "empty": "目前没有连接语言模型，我只能引用知识库中的原文。请就文档内容提问。",
    },
    "en": {
        "found": "This is what the knowledge base says:",
        "nothing": "Nothing about this was found in the knowledge base. "
        "Try other words, or add a document about it and ask again.",
        "thanks": "You're welcome.",
        "hello": "Hello. Ask about something in the documents, and I will answer by quoting them.",
        "empty": "No language model is connected, so I can only quote the knowledge base. "
        "Ask about something in its documents.",
    },
}
_COURTESY = {
    "thanks": re.compile(
        r"^\W*(?:(?:非常|多)?谢谢|感谢|多谢|thanks?|thank you|thx)(?:你|您|了|啦|!|！|so much|a lot|\s)*\W*$",
        re.I,
    ),
    "hello": re.compile(
        r"^\W*(?:你好|您好|嗨|早上好|下午好|晚上好|hello|hi|hey"
        r"|good (?:morning|afternoon|evening))(?:啊|呀|\s)*\W*$",
        re.I,
    ),
}
_PIECE = re.compile(r"\s*[^\s\u2e80-\u9fff\uf900-\uffef]+|\s*[\u2e80-\u9fff\uf900-\uffef]{1,2}|\s+")


class OfflineModel(BaseChatModel):
    """A chat model without a network: deterministic, honest about being no more than a reader.

    With a search tool bound it first calls it with the question (and the words of the question
    before, when the question leans on it; once more with its keywords when nothing was found), then
    quotes the sentences that answer, each with the number of its passage.
    """

    @property
    def _llm_type(self) -> str:
        return NAME

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": NAME}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools; it only ever calls the one that searches."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = reply(messages, kwargs.get("tools") or [])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(reply(messages, kwargs.get("tools") or [])):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            yield chunk


def reply(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> AIMessage:
    """The next message of the conversation: a call of the search tool, or the answer."""
    asked = [n for n, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if not asked:
        return AIMessage(content=_SENTENCES["en"]["empty"])
    question = str(messages[asked[-1]].text)
    said = _SENTENCES["zh" if is_chinese(question) else "en"]
    if courtesy := next((kind for kind, words in _COURTESY.items() if words.match(question)), None):
        return AIMessage(content=said[courtesy])
    answers = [m for m in messages[asked[-1] + 1 :] if isinstance(m, ToolMessage)]
    tool = _search_tool(tools)
    words = search_words(question, [str(messages[n].text) for n in asked[:-1]])
    if not answers:
        return _call(tool, words, len(messages)) if tool else AIMessage(content=said["empty"])
    quotes = best_quotes(question, passages(answers), nearness)
    if not quotes:
        fewer = keywords(words)
        again = tool is not None and len(answers) == 1 and fewer and fewer != words
        return _call(tool, fewer, len(messages)) if tool and again else AIMessage(content=said["nothing"])
    return AIMessage(content=f"{said['found']}\n\n{_laid_out(quotes)}")


def _search_tool(tools: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    functions = [tool["function"] for tool in tools]
    searching = [f for f in functions if "search" in f["name"].lower()]
    return next(iter(searching or functions), None)


def _call(tool: dict[str, Any], words: str, place: int) -> AIMessage:
    """A call with ``words`` for the parameter that takes the query, as text or as a list."""
    parameters: dict[str, dict[str, Any]] = tool.get("parameters", {}).get("properties", {})
    usual = [p for p in ("query", "queries", "question", "q") if p in parameters]
    name = next(iter([*usual, *parameters, "query"]))
    value: Any = [words] if parameters.get(name, {}).get("type") == "array" else words
    identity = hashlib.sha256(f"{place} {words}".encode()).hexdigest()[:16]
    call = ToolCall(name=tool["name"], args={name: value}, id=f"call_{identity}")
    return AIMessage(content="", tool_calls=[call])


def _laid_out(quotes: Sequence[Unit]) -> str:
    """The quotes as Markdown, each followed by the number of its passage."""
    parts: list[str] = []
    for quote in quotes:
        found = _blocks(quote)
        cited = f"[{quote.passage.n}]"
        if len(found) > 1 or quote.kind in ("code", "table"):
            parts.append("\n\n".join([*found, cited]))
        else:
            glue = "" if is_chinese(found[0]) else " "
            parts.append(f"{'- ' if len(quotes) > 1 else ''}{found[0]}{glue}{cited}")
    return "\n\n".join(parts)


def _blocks(quote: Unit) -> list[str]:
    """The quote as Markdown blocks: neighbouring list items are one list, sentences one paragraph."""
    found: list[str] = []
    for text in quote.group:
        block = text.startswith(("```", "~~~", "|"))
        if text.startswith("- ") and found and found[-1].startswith("- "):
            found[-1] += f"\n{text}"
        elif found and not block and not text.startswith("- ") and quote.kind == "prose":
            found[-1] += ("" if is_chinese(text) else " ") + text
        else:
            found.append(text)
    return found


def _chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    for n, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        part = ToolCallChunk(name=call["name"], args=arguments, id=call["id"], index=n)
        yield AIMessageChunk(content="", tool_call_chunks=[part])
    for piece in _PIECE.findall(str(message.text)):
        yield AIMessageChunk(content=piece)
