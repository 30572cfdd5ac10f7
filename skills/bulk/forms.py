"""What the list's form sends, made sense of: which skills, and where to go on."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from kbsite import sent
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from kbsite.sent import as_id
from skills.bulk.selection import MOST, Selection, matching, picked
from skills.forms import SEPARATOR
from skills.narrowing import asked


def given(request: HttpRequest) -> QueryDict:
    """What the form sends, and what the address carries along (rows that are dragged use that)."""
    both = request.GET.copy()
    both.update(request.POST)
    return both


def selection(user: User, sent: QueryDict, *, most: int = MOST) -> Selection:
    """The skills that ``sent`` names: ``skill`` ids, or with ``all`` those that ``filters`` leave,
    ``count`` of them. Raises as :mod:`skills.bulk.selection`.
    """
    if sent.get("all"):
        filters = asked(QueryDict(sent.get("filters", ""))).filters
        return matching(user, filters, expected=number(sent.get("count", "")), most=most)
    return picked(user, ids_of(sent.getlist("skill")), most=most)


def ids_of(values: Iterable[str]) -> list[uuid.UUID]:
    """The ids among ``values``; nonsense is left out."""
    return [skill_id for value in values if (skill_id := as_id(value))]


def number(value: str) -> int:
    """A whole number of at most nine digits. Raises InvalidInput."""
    value = value.strip()
    if not value.removeprefix("-").isdecimal() or len(value) > 10:
        raise InvalidInput(_("Give a whole number."))
    return int(value)


def words(value: str) -> list[str]:
    """Words divided by commas."""
    return [word.strip() for word in SEPARATOR.split(value) if word.strip()]


def way_back(request: HttpRequest) -> str:
    """Where the form wants to go on: a page of ours, else the list."""
    return sent.way_back(request, otherwise=reverse("skills:list"))
