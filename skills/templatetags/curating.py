"""What curators see on the admin site's first page."""

from __future__ import annotations

from typing import Any

from django import template

from kbsite.accounts.models import User
from skills.curating.queue import Counts, counts

register = template.Library()


@register.simple_tag(takes_context=True)
def review_queue(context: dict[str, Any]) -> Counts | None:
    """How much waits for the curator; None for somebody who is none."""
    user = getattr(context.get("request"), "user", None)
    return counts(user) if isinstance(user, User) and user.can_curate else None
