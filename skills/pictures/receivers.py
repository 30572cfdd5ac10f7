"""Which skills show which pictures: kept from their texts when they are saved."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from kbsite.accounts.models import User
from skills.models import Skill
from skills.pictures.show import seen_by, shown_in
from skills.signals import skill_written


@receiver(skill_written)
def note_pictures(skill: Skill, user: User | None, **kwargs: Any) -> None:
    """Whoever may see the skill may see the pictures in it, as far as its writer may see them.

    A picture that leaves the text stays with the skill: its older revisions show it.
    """
    ids = shown_in((skill.abstract, skill.overview, skill.content))
    if ids and user is not None:
        skill.pictures.add(*seen_by(user).filter(pk__in=ids))
