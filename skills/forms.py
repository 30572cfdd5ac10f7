"""The forms for writing, editing and moving skills, and for narrowing the list."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from documents.tree import Node, visible_tree
from kbsite.accounts.models import User
from kbsite.ids import new_id
from skills.fields import LONGEST_NAME
from skills.models import Skill

UNFILED = "unfiled"
TEXTAREA = forms.Textarea(attrs={"rows": 4})
SEPARATOR = re.compile(r"[,，、;；\n]+")


def folder_choices(user: User) -> list[tuple[str, str]]:
    """Every folder ``user`` may see, in the tree's order, indented; and "unfiled". Two queries."""
    choices = list(_walk(visible_tree(user, "skills")))
    return choices if user.narrowed_to else [(UNFILED, str(_("Unfiled"))), *choices]


def _walk(nodes: list[Node]) -> Iterator[tuple[str, str]]:
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if node.id:
            yield str(node.id), "\u2003" * node.depth + node.name
        waiting.extend(reversed(node.children))


def folder_id_of(value: str) -> uuid.UUID | None:
    """The id in a form's or address's ``folder``; None for "unfiled", nothing, or anything else."""
    try:
        return uuid.UUID(value)
    except ValueError:
        return None


class WordsField(forms.CharField):
    """Words divided by commas, as a list."""

    def to_python(self, value: Any) -> Any:
        """The words; an empty list for nothing."""
        return [word.strip() for word in SEPARATOR.split(value or "") if word.strip()]

    def prepare_value(self, value: Any) -> Any:
        """The words on one line."""
        return ", ".join(value) if isinstance(value, list) else value


class FolderForm(forms.Form):
    """Where something goes."""

    folder = forms.ChoiceField(label=_("Folder"), required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["folder"]).choices = folder_choices(user)

    @property
    def folder_id(self) -> uuid.UUID | None:
        """The chosen folder; None is unfiled."""
        return folder_id_of(self.cleaned_data["folder"])


class SkillForm(FolderForm):
    """Everything of a skill that a person writes."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("When this is useful, in a sentence or two."),
    )
    category = forms.ChoiceField(label=_("Category"), choices=Skill.Category.choices)
    priority = forms.IntegerField(
        label=_("Priority"), initial=100, help_text=_("Smaller comes first in its folder.")
    )
    tags = WordsField(label=_("Tags"), required=False, help_text=_("Divided by commas."))
    content = forms.CharField(
        label=_("Full text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "class": "mono", "spellcheck": "true"}),
        help_text=_("Markdown: # heading, **bold**, - list, | table |, ``` code."),
    )

    field_order: tuple[str, ...] = (
        "name",
        "description",
        "folder",
        "category",
        "priority",
        "tags",
        "content",
    )

    @property
    def changes(self) -> dict[str, Any]:
        """What :mod:`skills.edit` takes: the cleaned values but the form's own ones."""
        own = ("folder", "id", "version", "started_abstract", "started_overview")
        values = {name: value for name, value in self.cleaned_data.items() if name not in own}
        return values | {"folder_id": self.folder_id}


class NewSkillForm(SkillForm):
    """A new skill. ``id`` is the one it will have, so that a form sent twice makes one."""

    id = forms.UUIDField(widget=forms.HiddenInput, initial=new_id)


class EditSkillForm(SkillForm):
    """Changes to a skill. ``version`` is the one the person started from.

    The layers a person started from come along, so that layers written by the model meanwhile are
    not taken back by somebody who never touched them.
    """

    abstract = forms.CharField(label=_("Abstract"), required=False, widget=TEXTAREA)
    overview = forms.CharField(
        label=_("Overview"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)
    started_abstract = forms.CharField(required=False, widget=forms.HiddenInput)
    started_overview = forms.CharField(required=False, widget=forms.HiddenInput)

    field_order = (*SkillForm.field_order[:-1], "abstract", "overview", "content")

    @property
    def changes(self) -> dict[str, Any]:
        """See :class:`SkillForm`; layers only where they were touched."""
        values = super().changes
        for name in ("abstract", "overview"):
            if _same(values[name], self.cleaned_data[f"started_{name}"]):
                del values[name]
        return values


def _same(one: str, other: str) -> bool:
    """Whether two texts differ in line ends and outer blanks only, which browsers change."""
    return one.split() == other.split() and one.strip().splitlines() == other.strip().splitlines()


def edit_values(skill: Skill) -> dict[str, Any]:
    """What :class:`EditSkillForm` starts with."""
    names = (
        "name",
        "description",
        "category",
        "priority",
        "tags",
        "content",
        "abstract",
        "overview",
        "version",
    )
    values = {name: getattr(skill, name) for name in names}
    return values | {
        "folder": str(skill.folder_id or UNFILED),
        "started_abstract": skill.abstract,
        "started_overview": skill.overview,
    }


class AppendForm(forms.Form):
    """What is added below the full text."""

    content = forms.CharField(
        label=_("Add below the full text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono"}),
    )
