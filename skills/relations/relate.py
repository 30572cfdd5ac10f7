"""Relating two skills and undoing it: one statement each for both directions."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotFound
from kbsite.text import folded, storable
from skills.models import RELATION_WORDS, Relation, Skill

INVERSE = {"subset": "superset", "superset": "subset"}
KNOWN = tuple(RELATION_WORDS)
LONGEST_REASON = 1_000
_TYPE = re.compile(r"[^\W\d_]\w{0,39}")


@dataclass(frozen=True, slots=True)
class Related:
    """A relation as its source sees it; ``made`` is false when it was there already."""

    relation: Relation
    made: bool


def seen(skill_id: uuid.UUID | None, user: User) -> Skill:
    """The skill. Raises NotFound when ``user`` may not see it."""
    found = Skill.objects.visible_to(user).filter(pk=skill_id).first() if skill_id else None
    if found is None:
        raise NotFound(_("There is no such skill, or you may not see it."))
    return found


def type_of(word: str) -> str:
    """``word`` as a relation's type: ``Depends on`` gives ``depends_on``. Raises InvalidInput."""
    found = folded(storable(word)).replace(" ", "_").replace("-", "_")
    if found == "none" or not _TYPE.fullmatch(found):
        raise InvalidInput(
            _("A kind of relation is one or a few words: letters, digits and _, at most 40 characters."),
            field="type",
        )
    return found


@transaction.atomic
def relate(
    skill_id: uuid.UUID, target_id: uuid.UUID | None, type: str, user: User, *, reason: str = ""
) -> Related:
    """Relate two skills, both ways: subset and superset are each other's inverse, others their own.

    Again changes nothing but the reason, if another is given. System skills may be related: it does not
    change them. Raises NotAllowed, NotFound, InvalidInput (``field``: type or target).
    """
    require(user, "edit")
    kind = type_of(type)
    source, target = seen(skill_id, user), seen(target_id, user)
    if source.pk == target.pk:
        raise InvalidInput(_("A skill has no relation to itself."), field="target")
    why = " ".join(storable(reason).split())[:LONGEST_REASON]
    rows = [
        Relation(source=source, target=target, type=kind, reason=why),
        Relation(source=target, target=source, type=INVERSE.get(kind, kind), reason=why),
    ]
    both = _both(source.pk, target.pk, kind)
    before = both.count()
    # Two people at once relate in the same order, so that neither waits for the other's second row.
    Relation.objects.bulk_create(sorted(rows, key=lambda row: row.source_id), ignore_conflicts=True)
    if why:
        both.exclude(reason=why).update(reason=why)
    made = before < len(rows)
    if made:
        audit.record(user, "skill.related", source.uri, type=kind, to=target.uri, reason=why)
    one = Relation.objects.select_related("target").get(source=source, target=target, type=kind)
    return Related(one, made)


@transaction.atomic
def unrelate(skill_id: uuid.UUID, target_id: uuid.UUID | None, type: str, user: User) -> Relation:
    """Take a relation away, both ways; returns it as it was. Raises NotAllowed, NotFound."""
    require(user, "edit")
    source, target = seen(skill_id, user), seen(target_id, user)
    relation = Relation.objects.filter(source=source, target=target, type=type).first()
    if relation is None:
        raise NotFound(_("There is no such relation."))
    _both(source.pk, target.pk, type).delete()
    audit.record(user, "skill.unrelated", source.uri, type=type, to=target.uri, reason=relation.reason)
    return relation


def relations_of(skill: Skill, user: User) -> QuerySet[Relation]:
    """The relations of ``skill`` to those ``user`` may see, by type and name."""
    rows = Relation.objects.filter(source=skill, target__in=Skill.objects.visible_to(user))
    lean = rows.select_related("target").defer("target__content", "target__overview", "target__config")
    return lean.order_by("type", "target__name", "id")


def _both(source_id: uuid.UUID, target_id: uuid.UUID, type: str) -> QuerySet[Relation]:
    there = Q(source=source_id, target=target_id, type=type)
    return Relation.objects.filter(
        there | Q(source=target_id, target=source_id, type=INVERSE.get(type, type))
    )
