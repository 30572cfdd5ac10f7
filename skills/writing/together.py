"""Two people wrote at once: both versions side by side, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise

from kbsite.difference import Difference, difference
from skills.forms import FIELDS, SkillForm, edit_values, print_of
from skills.models import Skill


@dataclass(frozen=True)
class Both:
    """A field that differs: what they saved, what is typed here, and the difference word by word.

    ``shown`` are the two as people read them (a folder's name, not its id).
    """

    name: str
    label: str | Promise
    theirs: str
    mine: str
    difference: Difference
    shown: tuple[str, str]


@dataclass(frozen=True)
class Compared:
    """``fields``: those both wrote differently. ``taken``: labels of those only they wrote."""

    fields: list[Both]
    taken: list[str]
    merged: dict[str, str]


def compare(form: SkillForm, theirs: Skill, begun: Mapping[str, str]) -> Compared:
    """What to decide between the form and what was saved meanwhile.

    ``begun`` are the prints of what the form began with: a field that only they changed is theirs in
    ``merged``, one that only the form changed is the form's. Without prints every difference is one
    to decide.
    """
    now, mine = edit_values(theirs), form.values
    fields, taken, merged = [], [], dict(mine)
    for name in FIELDS:
        if print_of(now[name]) == print_of(mine[name]):
            continue
        if begun.get(name) == print_of(mine[name]):
            merged[name] = now[name]
            taken.append(str(form.fields[name].label))
        elif begun.get(name) != print_of(now[name]):
            fields.append(_both(form, name, now[name], mine[name]))
    return Compared(fields, taken, merged)


def _both(form: SkillForm, name: str, theirs: str, mine: str) -> Both:
    words = dict(getattr(form.fields[name], "choices", ()))
    shown = (str(words.get(theirs, theirs)).strip(), str(words.get(mine, mine)).strip())
    label = form.fields[name].label or name
    return Both(name, label, theirs, mine, difference(*shown), shown)
