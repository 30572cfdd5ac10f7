"""What the model is told of the conversation so far: the newest turns that fit."""

from __future__ import annotations

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from chat import citations
from chat.models import Message
from kbsite.llm.tokens import count

HISTORY_TOKENS = 4000


def before(question: Message, limit: int = HISTORY_TOKENS) -> list[AnyMessage]:
    """The turns before ``question``, oldest first, at most ``limit`` tokens of them.

    Whole turns only. Answers come without citation numbers, reasoning or tool output; a
    question whose answer failed is left out.
    """
    answers = (
        Message.objects.filter(
            conversation_id=question.conversation_id,
            role=Message.Role.ASSISTANT,
            superseded=False,
            question_id__lt=question.pk,
            status__in=(Message.Status.DONE, Message.Status.STOPPED),
        )
        .exclude(content="")
        .select_related("question")
        .order_by("-question_id")
    )
    turns: list[AnyMessage] = []
    left = limit
    for answer in answers[:50]:
        asked = answer.question.content if answer.question else ""
        said = citations.without(answer.content)
        left -= count(asked) + count(said)
        if left < 0:
            break
        turns[:0] = [HumanMessage(asked), AIMessage(said)]
    return turns
