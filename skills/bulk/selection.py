"""Which skills something is to be done to: those that were picked, or all that a list shows."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput
from skills.listing import Filters, listed
from skills.models import Skill

MOST = 10_000
MOST_REWRITTEN = 2_000  # Where each skill gets a revision of its own.


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids to act on. ``system`` skills among those asked for are left out, as are ``missing``
    ones: gone meanwhile, or not open to the person.
    """

    ids: list[uuid.UUID]
    system: int = 0
    missing: int = 0


def picked(user: User, ids: Iterable[uuid.UUID], *, most: int = MOST) -> Selection:
    """Those of ``ids`` that ``user`` may see. Raises InvalidInput for none, and for more than ``most``."""
    wanted = set(ids)
    _limit(len(wanted), most)
    if not wanted:
        raise InvalidInput(_("Nothing is selected."), code="nothing_selected")
    rows = Skill.objects.visible_to(user).filter(pk__in=wanted).order_by("pk").values_list("pk", "type")
    seen = list(rows)
    mine = [skill_id for skill_id, kind in seen if kind != Skill.Type.SYSTEM]
    return Selection(mine, system=len(seen) - len(mine), missing=len(wanted) - len(seen))


def matching(user: User, filters: Filters, *, expected: int | None, most: int = MOST) -> Selection:
    """All that ``filters`` leave, but for system skills.

    ``expected`` is how many the person was told of: when it is another number now, nothing is
    chosen. Raises Conflict for that, InvalidInput for none, more than ``most``, or a bad filter.
    """
    rows = listed(user, filters).exclude(type=Skill.Type.SYSTEM).order_by("pk")
    ids = list(rows.values_list("pk", flat=True)[: most + 1])
    _limit(len(ids), most)
    if expected is not None and len(ids) != expected:
        message = _(
            "The list has changed: %(now)d skills match now, not %(then)d. Look again, then repeat it."
        )
        raise Conflict(message % {"now": len(ids), "then": expected}, code="list_changed", count=len(ids))
    if not ids:
        raise InvalidInput(_("Nothing is selected."), code="nothing_selected")
    return Selection(ids)


def _limit(count: int, most: int) -> None:
    if count > most:
        message = _("At most %(most)d skills at once. Narrow the list and do it in parts.")
        raise InvalidInput(message % {"most": most}, code="too_many", most=most)
