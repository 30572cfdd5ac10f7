"""Drafts: what a person has typed and not saved. Nobody else sees them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotAllowed, NotFound
from kbsite.text import storable
from skills.fields import LONGEST_CONTENT
from skills.forms import FIELDS, edit_values, print_of
from skills.models import Draft, Skill

WRITTEN = ("name", "description", "abstract", "overview", "content")
KEPT_FOR = timedelta(days=90)
MOST_EACH = 200  # drafts of one person


def keep(user: User, skill_id: uuid.UUID, values: Mapping[str, Any], base_version: int = 0) -> Draft | None:
    """Keep what was typed; None where there is nothing to keep: it is empty, or what is saved already.

    ``values`` are the form's fields and what it ``started`` with. ``base_version`` is the version the
    person started from, 0 for a new skill. Raises NotAllowed, NotFound (a skill that ``user`` may not
    see), InvalidInput (too long, too many).
    """
    require(user, "edit")
    typed = {name: storable(str(values[name])) for name in FIELDS if name in values}
    begun = values.get("started")
    prints = (
        {name: str(begun[name])[:12] for name in FIELDS if name in begun} if isinstance(begun, dict) else {}
    )
    if sum(map(len, typed.values())) > LONGEST_CONTENT:
        raise InvalidInput(_("This is too long for one skill. Upload it as a document."), field="content")
    saved = _saved(user, skill_id)
    kept = typed | {"started": prints}
    if nothing_new(kept, saved):
        discard(user, skill_id)
        return None
    if user.drafts.exclude(skill_id=skill_id).count() >= MOST_EACH:
        raise InvalidInput(_("You have too many drafts. Save or discard some."))
    draft, _made = Draft.objects.update_or_create(
        user=user,
        skill_id=skill_id,
        defaults={
            "values": kept,
            "base_version": max(min(base_version, 2_147_483_647), 0),
        },
    )
    return draft


def _saved(user: User, skill_id: uuid.UUID) -> Skill | None:
    """The skill the draft is of, None for a new one, or for one that went while it was being edited."""
    saved = Skill.objects.visible_to(user).filter(pk=skill_id).first()
    if (
        saved is None
        and Skill.objects.filter(pk=skill_id).exists()
        and not drafts_of(user, skill_id).exists()
    ):
        raise NotFound(_("There is no such skill, or you may not see it."))
    if saved is not None and not saved.is_editable:
        raise NotAllowed(_("System skills can be read, not changed."), code="system_skill")
    return saved


def nothing_new(kept: Mapping[str, Any], saved: Skill | None) -> bool:
    """Whether what was typed says nothing that ``saved`` does not; of a new skill, whether it is empty."""
    if saved is None:
        return not any(kept.get(name, "").strip() for name in WRITTEN)
    return not changed(kept, saved)


def touched(kept: Mapping[str, Any]) -> dict[str, str]:
    """The fields that the person changed, by the prints of what they ``started`` with.

    Layers that the model wrote meanwhile are not in it, and so never taken back by an older draft. A
    new skill's form starts empty.
    """
    begun = kept.get("started") or {}
    empty = print_of("")
    return {
        name: kept[name] for name in FIELDS if name in kept and begun.get(name, empty) != print_of(kept[name])
    }


def changed(kept: Mapping[str, Any], saved: Skill) -> list[str]:
    """The fields in which what was typed differs from what is saved, in the form's order."""
    now = edit_values(saved)
    return [name for name, text in touched(kept).items() if print_of(text) != print_of(now[name])]


def drafts_of(user: User, skill_id: uuid.UUID) -> QuerySet[Draft]:
    """The draft that ``user`` has of that skill, or none; never anybody else's."""
    return Draft.objects.filter(user=user, skill_id=skill_id)


def find(user: User, skill_id: uuid.UUID) -> Draft:
    """That draft. Raises NotFound."""
    draft = drafts_of(user, skill_id).first()
    if draft is None:
        raise NotFound(_("There is no such draft. It may have been saved or discarded."))
    return draft


def waiting(user: User) -> list[tuple[Draft, Skill | None]]:
    """All drafts of ``user``, newest first, each with its skill where that can be opened. Two queries."""
    found = list(user.drafts.all())
    ids = [draft.skill_id for draft in found]
    skills = Skill.objects.visible_to(user).only("id", "slug", "name", "version").in_bulk(ids)
    return [(draft, skills.get(draft.skill_id)) for draft in found]


def discard(user: User, skill_id: uuid.UUID) -> None:
    """Forget it."""
    drafts_of(user, skill_id).delete()


def put_away(now: datetime | None = None) -> int:
    """Delete drafts that nobody has touched for 90 days; returns how many."""
    count, _each = Draft.objects.filter(updated_at__lt=(now or timezone.now()) - KEPT_FOR).delete()
    return count
