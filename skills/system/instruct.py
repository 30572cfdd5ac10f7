"""What system skills tell the agent."""

from __future__ import annotations

import re

from kbsite.text import folded
from skills.models import Skill

MOST_OF_ONE = 2_500  # characters
MOST = 8_000  # characters
HEADING = "The following instructions ship with the product. Follow them where they apply."


def instructions(question: str) -> str:
    """What joins the agent's system prompt for ``question``; empty when there is nothing. One query.

    System skills that always apply, then those with a trigger keyword or intent that occurs in the
    question; each cut to 2,500 characters, 8,000 in all. What people wrote never instructs.
    """
    rows = Skill.objects.findable().filter(type=Skill.Type.SYSTEM).order_by("-always_apply", "priority", "pk")
    lean = rows.only("name", "content", "always_apply", "trigger_keywords", "trigger_intents")
    told, left = [], MOST
    for skill in lean:
        if not (skill.always_apply or is_meant(question, [*skill.trigger_keywords, *skill.trigger_intents])):
            continue
        text = _fenced(skill)
        if len(text) > left:
            break
        told.append(text)
        left -= len(text)
    return "\n\n".join([HEADING, *told]) if told else ""


def is_meant(question: str, triggers: list[str]) -> bool:
    """Whether one of ``triggers`` occurs in ``question``: whole words, or anywhere in Chinese. Pure."""
    said = folded(question)
    return any(re.search(_pattern(word), said) for trigger in triggers if (word := folded(trigger)))


def _pattern(word: str) -> str:
    """Latin letters and digits must not go on around a word; Chinese is written without blanks."""
    exactly = re.escape(word)
    return rf"(?<![a-z0-9]){exactly}(?![a-z0-9])" if word.isascii() else exactly


def _fenced(skill: Skill) -> str:
    return f'<instructions name="{skill.name}">\n{skill.content.strip()[:MOST_OF_ONE]}\n</instructions>'
