"""How a chat model is reached: one adapter a kind, behind one small protocol."""

from __future__ import annotations

from typing import Protocol

from langchain_core.language_models.chat_models import BaseChatModel

from kbsite.llm.line import Line
from kbsite.llm.offline import OfflineModel
from kbsite.llm.openai_chat import CompatibleChat


class ChatAdapter(Protocol):
    """Makes a LangChain chat model from a line."""

    def __call__(self, line: Line) -> BaseChatModel:
        """The model; nothing is sent yet."""


def _offline(line: Line) -> BaseChatModel:
    return OfflineModel()


def _openai(line: Line) -> BaseChatModel:
    return CompatibleChat.over(line)


ADAPTERS: dict[str, ChatAdapter] = {"offline": _offline, "openai": _openai}
