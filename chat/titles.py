"""A name for a conversation: the question's first words at once, better ones when a model has time."""

from __future__ import annotations

import logging
import re
from uuid import UUID

from chat import citations
from chat.models import Conversation, Message
from kbsite.exceptions import ModelUnavailable
from kbsite.llm.chat_models import chat_model
from kbsite.llm.complete import complete
from kbsite.llm.models import Purpose
from kbsite.prompts.store import render
from kbsite.text import storable

log = logging.getLogger(__name__)

LONGEST = 60
_ENDS = re.compile(r"[\s,，;；:：、.。!！?？—–-]+$")


def trimmed(question: str) -> str:
    """The first words of a question, at most :data:`LONGEST` characters, cut between words."""
    line = " ".join(question.split())
    if len(line) <= LONGEST:
        return line
    cut = line[:LONGEST]
    between = cut.rfind(" ", LONGEST // 2)
    return _ENDS.sub("", cut[:between] if between > 0 else cut) + "…"


def improve(conversation_id: UUID) -> None:
    """Let the model name a conversation after its first answer; a name a person gave stays.

    Nothing happens without a language model, or when it can't answer.
    """
    conversation = Conversation.objects.filter(pk=conversation_id).first()
    first = Message.objects.filter(conversation_id=conversation_id, role=Message.Role.USER).first()
    if conversation is None or first is None or conversation.title != trimmed(first.content):
        return
    answer = first.answers.filter(superseded=False).first()
    if answer is None or chat_model(Purpose.CHAT).is_offline:
        return
    said = citations.without(answer.content)[:1000]
    try:
        title = complete(Purpose.CHAT, render("conversation_title"), f"{first.content[:1000]}\n\n{said}")
    except ModelUnavailable as error:
        log.info("No title from the model: %s", error)
        return
    lines = storable(title).strip().splitlines()
    name = _ENDS.sub("", lines[0].strip(" \"'“”「」《》#*")) if lines else ""
    if name:
        Conversation.objects.filter(pk=conversation_id, title=conversation.title).update(title=trimmed(name))
