"""What requests carry, made sense of: ids, numbers, versions, the way back."""

from __future__ import annotations

import uuid

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from kbsite.exceptions import InvalidInput

MOST_DIGITS = 9  # What fits into a column of whole numbers.


def as_id(text: str | None) -> uuid.UUID | None:
    """The id that ``text`` is; None for nothing and for nonsense."""
    try:
        return uuid.UUID(text or "")
    except ValueError:
        return None


def as_number(text: str | None, default: int = 0) -> int:
    """The number that ``text`` is, digits only, nine at most; ``default`` for nothing and for nonsense."""
    return int(text) if text and text.isdecimal() and len(text) <= MOST_DIGITS else default


def version_in(if_match: str | None) -> int | None:
    """The version in ``If-Match: "7"`` (quotes and W/ may be left out); None for ``*`` and nothing.

    Raises InvalidInput for anything else.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    digits = if_match.strip().removeprefix("W/").strip('"')
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        raise InvalidInput(_("If-Match holds the version of the skill, a number."))
    return int(digits)


def way_back(request: HttpRequest, otherwise: str) -> str:
    """Where ``next`` wants to go on, if that is a page of ours; else ``otherwise``."""
    there = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(there, {request.get_host()}, request.is_secure())
    return there if ours and there.startswith("/") else otherwise
