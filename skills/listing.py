"""Which skills a list shows."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills.models import Skill
from skills.querysets import SkillQuerySet


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a list is narrowed to; None and "" narrow nothing. ``unfiled``: those in no folder."""

    folder_id: uuid.UUID | None = None
    unfiled: bool = False
    recursive: bool = True
    type: str = ""
    category: str = ""
    status: str = ""
    tag: str = ""
    is_active: bool | None = None
    q: str = ""


def _known(value: str, choices: list[str], what: str) -> str:
    if value not in choices:
        message = _("There is no %(what)s “%(value)s”. Known: %(known)s.")
        raise InvalidInput(message % {"what": what, "value": value, "known": ", ".join(choices)})
    return value


def listed(user: User, filters: Filters) -> SkillQuerySet:
    """The skills ``user`` may see that pass ``filters``, in no order. Raises InvalidInput.

    Words in ``q`` are taken literally: each must be in the name, the description, the abstract
    or a tag.
    """
    skills = Skill.objects.visible_to(user)
    if filters.unfiled:
        skills = skills.filter(folder=None)
    elif filters.folder_id:
        inside = filters.recursive
        skills = skills.under(filters.folder_id) if inside else skills.filter(folder_id=filters.folder_id)
    if filters.type:
        skills = skills.filter(type=_known(filters.type, Skill.Type.values, _("type")))
    if filters.category:
        skills = skills.filter(category=_known(filters.category, Skill.Category.values, _("category")))
    if filters.status:
        skills = skills.filter(status=_known(filters.status, Skill.Status.values, _("status")))
    if filters.tag:
        skills = skills.filter(tags__contains=[filters.tag])
    if filters.is_active is not None:
        skills = skills.filter(is_active=filters.is_active)
    for word in filters.q.split()[:20]:
        skills = skills.filter(
            Q(name__icontains=word)
            | Q(description__icontains=word)
            | Q(abstract__icontains=word)
            | Q(tags__contains=[word])
        )
    return skills
