"""What the nodes of the agent share while one answer is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.messages import AnyMessage, HumanMessage

from chat.history import before
from chat.models import Message
from chat.tools import Desk
from kbsite.accounts.models import User
from kbsite.llm.chat_models import ChatModel, chat_model
from kbsite.llm.models import Purpose
from kbsite.llm.offline.follow_up import search_words
from kbsite.prompts.store import render
from skills.system.instruct import instructions


@dataclass
class Turn:
    """One question about to be answered: who asks, with which model, and what may be read."""

    message_id: UUID
    question_id: UUID
    conversation_id: UUID
    question: str
    history: list[AnyMessage]
    system: str
    model: ChatModel
    desk: Desk
    language: str

    def start(self) -> list[AnyMessage]:
        """The messages the agent starts from."""
        return [*self.history, HumanMessage(self.question)]

    def ids(self) -> dict[str, Any]:
        """The payload of ``meta.start``."""
        return {"user_message_id": str(self.question_id), "assistant_message_id": str(self.message_id)}

    def search_words(self) -> str:
        """What to look for when the model can't say: the question, with the one before if it leans on it."""
        earlier = [str(m.text) for m in self.history if isinstance(m, HumanMessage)]
        return search_words(self.question, earlier)


def prepare(message_id: UUID, user: User, language: str) -> Turn:
    """Everything needed to answer the running message as ``user``; a few queries.

    ``user`` comes from the request, so that what a narrower key may not see stays unseen.
    Raises ModelUnavailable.
    """
    message = Message.objects.select_related("conversation", "question").get(pk=message_id)
    question = message.question
    if question is None:
        raise ValueError(f"answer {message_id} has no question")
    conversation = message.conversation
    return Turn(
        message_id=message.pk,
        question_id=question.pk,
        conversation_id=conversation.pk,
        question=question.content,
        history=before(question),
        system="\n\n".join(filter(None, [render("answer"), instructions(question.content)])),
        model=chat_model(Purpose.CHAT),
        desk=Desk(user, conversation.scope),
        language=language,
    )
