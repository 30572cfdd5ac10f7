"""What a text will look like, while it is being written."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.utils.safestring import SafeString

from kbsite.accounts.models import User
from kbsite.markdown import render
from skills.links.show import links_in
from skills.models import Skill
from skills.parts import part_at, parts

ALL_AT_ONCE = 200_000  # characters that are shown whole


@dataclass(frozen=True)
class Preview:
    """The text as it will be shown; ``is_part``: only what is around the caret."""

    html: SafeString
    is_part: bool = False


def preview(text: str, user: User, *, caret: int = 0, skill_id: uuid.UUID | None = None) -> Preview:
    """``text`` as the skill's page would show it to ``user``; of a long one the part with the caret.

    ``caret`` counts characters. ``skill_id`` is the skill that is edited, if there is one yet.
    """
    text = text.replace("\r\n", "\n")
    is_part = len(text) > ALL_AT_ONCE
    if is_part:
        text = part_at(parts(text), min(max(caret, 0), len(text) - 1)).text(text)
    skill = Skill.objects.visible_to(user).filter(pk=skill_id).first() if skill_id else None
    return Preview(render(text, links=links_in(text, skill, user), prefix="preview-"), is_part)
