"""The prompts in use: shipped ones, and the texts that curators have put in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.db import transaction
from django.utils.translation import gettext as _

from kbsite.accounts.audit import record
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, LostUpdate, NotFound
from kbsite.prompts import template
from kbsite.prompts.models import PromptOverride
from kbsite.prompts.shipped import Shipped, Words, shipped
from kbsite.text import storable

LONGEST = 20_000


@dataclass(frozen=True)
class Prompt:
    """A prompt in use. ``version`` counts a curator's saves; 0 for the shipped text.

    ``fault`` says why a curator's text no longer fits what ships now; "" when it does.
    """

    key: str
    name: Words
    description: Words
    category: str
    content: str
    default_content: str
    variables: Mapping[str, Words]
    source: Literal["default", "custom"] = "default"
    version: int = 0
    updated_at: datetime | None = None
    updated_by: User | None = None
    fault: str = field(default="", compare=False)


def prompts(category: str | None = None) -> list[Prompt]:
    """All prompts, or those of one category, in order. One query."""
    rows = {row.key: row for row in PromptOverride.objects.select_related("updated_by")}
    found = [p for p in shipped().values() if category in (None, "", p.category)]
    return [_in_use(p, rows.get(p.key)) for p in found]


def prompt(key: str) -> Prompt:
    """The prompt of that key. Raises NotFound. One query."""
    ours = _shipped(key)
    return _in_use(ours, PromptOverride.objects.select_related("updated_by").filter(key=key).first())


def render(key: str, **values: str) -> str:
    """The prompt with its variables filled in, as it is sent to a model. One query.

    Raises NotFound, and ValueError when ``values`` are not the prompt's variables.
    """
    ours = _shipped(key)
    if set(values) != set(ours.variables):
        raise ValueError(f"prompt {key} takes {sorted(ours.variables)}, not {sorted(values)}")
    changed = PromptOverride.objects.filter(key=key).values_list("content", flat=True).first()
    if changed is not None and not _fault(changed, ours):
        return template.filled(changed, values)
    return template.filled(ours.content, values)


def preview(key: str, values: Mapping[str, str], content: str | None = None) -> str:
    """What would be sent with these values, or with ``content`` in the prompt's place.

    A variable without a value shows as its own name. Raises NotFound, and InvalidInput for a
    broken template.
    """
    ours = prompt(key)
    text = ours.content if content is None else _clean(content)
    template.check(text, ours.variables)
    return template.filled(text, {name: values.get(name) or f"{{{name}}}" for name in ours.variables})


@transaction.atomic
def save_override(key: str, content: str, user: User, *, version: int | None = None) -> Prompt:
    """Put ``content`` in the place of the shipped prompt; the shipped text itself resets it.

    Raises NotFound, InvalidInput, and LostUpdate when ``version`` is not the one in use.
    """
    ours = _shipped(key)
    text = _clean(content)
    template.check(text, ours.variables)
    row = PromptOverride.objects.select_for_update().filter(key=key).first()
    current = row.version if row else 0
    if version is not None and version != current:
        raise LostUpdate(
            _("Somebody else saved this prompt in between. Look at their text, then save again.")
        )
    if text == (row.content if row else ours.content):
        return prompt(key)
    if text == ours.content:
        return reset(key, user)
    PromptOverride.objects.update_or_create(
        key=key, defaults={"content": text, "version": current + 1, "updated_by": user}
    )
    record(user, "prompt.save", key, version=current + 1)
    return prompt(key)


def reset(key: str, user: User) -> Prompt:
    """Bring the shipped text back. Raises NotFound."""
    _shipped(key)
    deleted, _rows = PromptOverride.objects.filter(key=key).delete()
    if deleted:
        record(user, "prompt.reset", key)
    return prompt(key)


def _shipped(key: str) -> Shipped:
    if key not in shipped():
        raise NotFound(_("There is no such prompt."))
    return shipped()[key]


def _clean(content: str) -> str:
    text = storable(content).replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > LONGEST:
        raise InvalidInput(_("A prompt has at most %(n)s characters.") % {"n": LONGEST}, code="too_long")
    return text


def _fault(content: str, ours: Shipped) -> str:
    try:
        template.check(content, ours.variables)
    except InvalidInput as fault:
        return str(fault)
    return ""


def _in_use(ours: Shipped, row: PromptOverride | None) -> Prompt:
    plain = Prompt(
        ours.key, ours.name, ours.description, ours.category, ours.content, ours.content, ours.variables
    )
    if row is None:
        return plain
    return Prompt(
        ours.key,
        ours.name,
        ours.description,
        ours.category,
        row.content,
        ours.content,
        ours.variables,
        "custom",
        row.version,
        row.updated_at,
        row.updated_by,
        _fault(row.content, ours),
    )
