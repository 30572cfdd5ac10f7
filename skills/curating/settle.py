"""Settling a conflict between two skills."""

from __future__ import annotations

import uuid
from typing import Literal

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotFound
from kbsite.text import storable
from skills import review
from skills.curating.queue import conflicts
from skills.models import Relation, Skill

Outcome = Literal["first", "second", "both"]
LONGEST_REASON = 500  # characters


@transaction.atomic
def settle(relation_id: int, user: User, outcome: Outcome, reason: str = "") -> None:
    """``first`` holds: it is checked and the second rejected; ``second`` the other way; ``both`` hold:
    it was no conflict, the relation goes, and a reason says why.

    Raises NotAllowed, NotFound (the pair is settled already, or closed to ``user``), InvalidInput.
    """
    require(user, "curate")
    relation = conflicts(user).select_for_update(of=("self",)).filter(pk=relation_id).first()
    if relation is None:
        raise NotFound(_("This conflict is settled already, or you may not see it."))
    reason = storable(reason).strip()[:LONGEST_REASON]
    first, second = relation.source_id, relation.target_id
    list(Skill.objects.filter(pk__in=[first, second]).held().values_list("pk"))
    if outcome == "both":
        if not reason:
            raise InvalidInput(_("Say in a few words why both hold."), field="reason")
        pair = Q(source=first, target=second) | Q(source=second, target=first)
        Relation.objects.filter(pair, type="conflict").delete()
    elif outcome in ("first", "second"):
        holds, falls = (first, second) if outcome == "first" else (second, first)
        _refuse_unready([first, second])
        review.set_status([holds], user, Skill.Status.CHECKED)
        review.set_status([falls], user, Skill.Status.REJECTED)
    else:
        raise InvalidInput(_("Say which of the two holds, or that both do."))
    ids = [str(first), str(second)]
    audit.record(user, "skill.conflict_settled", ids=ids, outcome=outcome, reason=reason)


def _refuse_unready(ids: list[uuid.UUID]) -> None:
    never = (Skill.Status.PENDING, Skill.Status.PROCESSING)
    if Skill.objects.filter(Q(status__in=never) | Q(type=Skill.Type.SYSTEM), pk__in=ids).exists():
        raise InvalidInput(
            _("One of the two can’t be decided on yet: it is not indexed, or ships with the system.")
        )
