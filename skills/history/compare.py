"""How two states of a skill differ, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kbsite.difference import Difference, difference
from kbsite.exceptions import NotFound
from skills.models import Revision, Skill
from skills.revisions import whole

LINES = ("description", "abstract", "overview", "content")
NAMES: Mapping[str, str | Promise] = {
    "name": gettext_lazy("Name"),
    "tags": gettext_lazy("Tags"),
    "category": gettext_lazy("Category"),
    "priority": gettext_lazy("Priority"),
    "trigger_keywords": gettext_lazy("Trigger words"),
    "trigger_intents": gettext_lazy("Trigger intents"),
    "always_apply": gettext_lazy("Always applied"),
    "is_active": gettext_lazy("Active"),
    "config": gettext_lazy("Configuration"),
    "description": gettext_lazy("Description"),
    "abstract": gettext_lazy("Abstract"),
    "overview": gettext_lazy("Overview"),
    "content": gettext_lazy("Full text"),
}


@dataclass(frozen=True)
class Changed:
    """A field that differs: ``text`` for long ones, else ``before`` and ``after`` in words."""

    field: str
    name: str
    before: str = ""
    after: str = ""
    text: Difference | None = None


@dataclass(frozen=True)
class Compared:
    """Two revisions of a skill and what differs, in the page's order; nothing when they are alike."""

    before: Revision
    after: Revision
    changes: list[Changed]


def revision(skill: Skill, number: int) -> Revision:
    """That revision of ``skill``, with its author. Raises NotFound."""
    found = skill.revisions.select_related("author").filter(number=number).first()
    if found is None:
        raise NotFound(_("There is no such revision."))
    return found


def compare(skill: Skill, before: int, after: int) -> Compared:
    """How revision ``after`` differs from revision ``before``. At most four queries. Raises NotFound."""
    old, new = revision(skill, before), revision(skill, after)
    return Compared(old, new, differences(whole(old), whole(new)))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Changed]:
    """The fields in which two snapshots differ (see ``revisions.snapshot``)."""
    return [
        _changed(field, str(name), before.get(field), after.get(field))
        for field, name in NAMES.items()
        if before.get(field) != after.get(field)
    ]


def _changed(field: str, name: str, before: Any, after: Any) -> Changed:
    if field in LINES:
        return Changed(field, name, text=difference(before or "", after or ""))
    return Changed(field, name, _in_words(field, before), _in_words(field, after))


def _in_words(field: str, value: Any) -> str:
    if value is None or value == []:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if field == "category":
        return str(dict(Skill.Category.choices).get(value, value))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
