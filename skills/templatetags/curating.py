"""What became of skills, and what waits for curators."""

from __future__ import annotations

from typing import Any

from django import template

from kbsite.accounts.models import User
from skills.curating.queue import Counts, counts
from skills.models import Skill

register = template.Library()


@register.simple_tag(takes_context=True)
def review_queue(context: dict[str, Any]) -> Counts | None:
    """How much waits for the curator; None for somebody who is none."""
    user = getattr(context.get("request"), "user", None)
    return counts(user) if isinstance(user, User) and user.can_curate else None


@register.simple_tag(takes_context=True)
def merged_into(context: dict[str, Any], skill: Skill) -> Skill | None:
    """The skill that ``skill`` was merged into, if the person may see it."""
    user = getattr(context.get("request"), "user", None)
    if not isinstance(user, User) or skill.merged_into_id is None:
        return None
    return Skill.objects.visible_to(user).only("slug", "name").filter(pk=skill.merged_into_id).first()
