"""Which skills a list shows."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Q, Value
from django.db.models.functions import Upper
from django.utils import timezone
from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills.models import ListText, Skill
from skills.querysets import SkillQuerySet

MOST_WORDS = 20
# Named spans of days up to now, as addresses carry them: a link stays "the last week" tomorrow.
SPANS = {"today": 0, "7d": 6, "30d": 29}
NOT_READY = "not_ready"
INDEX = ("ready", NOT_READY, "failed")
UNREADY = (Skill.Index.QUEUED, Skill.Index.RUNNING, Skill.Index.FAILED)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a list is narrowed to; None, () and "" narrow nothing. ``unfiled``: those in no folder.

    A skill has all of ``tags``. ``since`` and ``until`` are days of its last change, both included:
    ``2026-11-30``, or one of :data:`SPANS`. ``index`` is one of :data:`INDEX`.
    """

    folder_id: uuid.UUID | None = None
    unfiled: bool = False
    recursive: bool = True
    type: str = ""
    category: str = ""
    status: str = ""
    tags: tuple[str, ...] = ()
    author: uuid.UUID | None = None
    since: str = ""
    until: str = ""
    index: str = ""
    is_active: bool | None = None
    q: str = ""


def known(value: str, choices: list[str], what: str) -> str:
    """``value``, which is one of ``choices``. Raises InvalidInput."""
    if value not in choices:
        message = _("There is no %(what)s “%(value)s”. Known: %(known)s.")
        raise InvalidInput(message % {"what": what, "value": value[:100], "known": ", ".join(choices)})
    return value


def day_of(value: str) -> date:
    """The day that ``2026-11-30`` or one of :data:`SPANS` names. Raises InvalidInput."""
    if value in SPANS:
        return timezone.localdate() - timedelta(days=SPANS[value])
    try:
        day = date.fromisoformat(value)
    except ValueError as error:
        message = _("“%(value)s” is no date. Write it like 2026-11-30, or: %(known)s.")
        raise InvalidInput(message % {"value": value[:100], "known": ", ".join(SPANS)}) from error
    if not 1 < day.year < 9999:  # A day more or another time zone must not leave the calendar.
        raise InvalidInput(_("This date is out of range."))
    return day


def listed(user: User, filters: Filters) -> SkillQuerySet:
    """The skills ``user`` may see that pass ``filters``, in no order. Raises InvalidInput.

    Words in ``q`` are taken literally: each must be in the name, the description, the abstract
    or a tag.
    """
    skills = Skill.objects.visible_to(user)
    if filters.unfiled:
        skills = skills.filter(folder=None).of_the_team()
    elif filters.folder_id:
        inside = filters.recursive
        skills = skills.under(filters.folder_id) if inside else skills.filter(folder_id=filters.folder_id)
    return skills.filter(_kinds(filters), _facts(filters), _words(filters.q))


def _kinds(filters: Filters) -> Q:
    condition = Q()
    if filters.type:
        condition &= Q(type=known(filters.type, Skill.Type.values, _("type")))
    if filters.category:
        condition &= Q(category=known(filters.category, Skill.Category.values, _("category")))
    if filters.status:
        condition &= Q(status=known(filters.status, Skill.Status.values, _("status")))
    if filters.index:
        known(filters.index, list(INDEX), _("index state"))
        states = UNREADY if filters.index == NOT_READY else (filters.index,)
        condition &= Q(index_state__in=states)
    return condition


def _facts(filters: Filters) -> Q:
    condition = Q()
    if filters.tags:
        condition &= Q(tags__contains=list(filters.tags))
    if filters.author:
        condition &= Q(author_id=filters.author)
    if filters.since:
        condition &= Q(updated_at__gte=_midnight(day_of(filters.since)))
    if filters.until:
        condition &= Q(updated_at__lt=_midnight(day_of(filters.until), days=1))
    if filters.is_active is not None:
        condition &= Q(is_active=filters.is_active)
    return condition


def _midnight(day: date, days: int = 0) -> datetime:
    return timezone.make_aware(datetime.combine(day + timedelta(days=days), time.min))


def _words(q: str) -> Q:
    words = q.split()[:MOST_WORDS]
    if not words:
        return Q()
    texts = ListText.objects.all()
    for word in words:
        texts = texts.filter(text__contains=Upper(Value(word)))
    return Q(pk__in=texts.values("skill"))
