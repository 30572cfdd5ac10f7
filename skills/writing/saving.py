"""Saving from the form: the fields, and layers that are to be made again."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction

from kbsite.accounts.models import User
from skills import edit
from skills.forms import LAYERS
from skills.models import Skill


@transaction.atomic
def save(
    skill_id: uuid.UUID,
    user: User,
    changes: Mapping[str, Any],
    *,
    expected: int,
    reason: str = "",
    again: Collection[str] = (),
) -> Skill:
    """Save ``changes``; the layers named in ``again`` are made again by the model.

    One of them: it is emptied, and written anew while the other stays. Raises as
    :func:`skills.edit.update_skill`.
    """
    values = {name: value for name, value in changes.items() if name not in again}
    if len(again) < len(LAYERS):
        values |= dict.fromkeys(again, "")
    skill = edit.update_skill(skill_id, user, expected=expected, reason=reason, **values)
    return edit.rewrite_layers(skill_id, user) if len(again) == len(LAYERS) else skill
