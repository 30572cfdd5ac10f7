"""The forms for writing, editing and moving skills, and for narrowing the list."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, cast

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from documents.tree import Node, visible_tree
from kbsite.accounts.models import User
from kbsite.ids import new_id
from kbsite.sent import as_id
from skills.fields import LONGEST_NAME
from skills.models import Skill

UNFILED = "unfiled"
TEXTAREA = forms.Textarea(attrs={"rows": 4})
LAYERS = ("abstract", "overview")
FIELDS = ("name", "description", "folder", "category", "priority", "tags", *LAYERS, "content")
SEPARATOR = re.compile(r"[,，、;；\n]+")


def folder_choices(user: User) -> list[tuple[str, str]]:
    """Every folder ``user`` may see, in the tree's order, indented; and "unfiled". Two queries."""
    choices = list(_walk(visible_tree(user, None)))
    return choices if user.narrowed_to else [(UNFILED, str(_("Unfiled"))), *choices]


def _walk(nodes: list[Node]) -> Iterator[tuple[str, str]]:
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if node.id:
            yield str(node.id), "\u2003" * node.depth + node.name
        waiting.extend(reversed(node.children))


class Editor(forms.Textarea):
    """A text area for Markdown: htmx asks for the preview, editor.js does the rest."""

    def build_attrs(
        self, base_attrs: dict[str, Any], extra_attrs: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """With what the preview and the list of names need."""
        ours = {
            "class": "mono",
            "spellcheck": "true",
            "dir": "auto",
            "aria-autocomplete": "list",
            "aria-haspopup": "listbox",
            "hx-post": reverse("skills:preview"),
            "hx-trigger": "load, input changed delay:300ms, preview",
            "hx-target": "#shown",
            "hx-select": "unset",
            "hx-swap": "innerHTML",
            "hx-params": "content,caret,part,skill",
            "hx-sync": "this:replace",
        }
        return super().build_attrs(ours | base_attrs, extra_attrs)


class WordsField(forms.CharField):
    """Words divided by commas, as a list."""

    def to_python(self, value: Any) -> Any:
        """The words; an empty list for nothing."""
        return [word.strip() for word in SEPARATOR.split(value or "") if word.strip()]

    def prepare_value(self, value: Any) -> Any:
        """The words on one line."""
        return ", ".join(value) if isinstance(value, list) else value


class PrintsField(forms.JSONField):
    """JSON from a hidden input; what is no JSON, or goes too deep, is refused."""

    def to_python(self, value: Any) -> Any:
        """The value. Raises ValidationError."""
        try:
            return super().to_python(value)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(self.error_messages["invalid"], params={"value": ""}) from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was sent, to be shown again: nothing of what is refused."""
        try:
            return super().bound_data(data, initial)
        except (ValueError, RecursionError):
            return None


class FolderForm(forms.Form):
    """Where something goes."""

    folder = forms.ChoiceField(label=_("Folder"), required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["folder"]).choices = folder_choices(user)

    @property
    def folder_id(self) -> uuid.UUID | None:
        """The chosen folder; None is unfiled."""
        return as_id(self.cleaned_data["folder"])


class SkillForm(FolderForm):
    """Everything of a skill that a person writes.

    ``started`` holds a print of each field as the form was given, so that what a person never touched
    is neither taken as written by hand nor put in the place of what another wrote meanwhile.
    """

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
    abstract = forms.CharField(
        label=_("Abstract"),
        required=False,
        widget=TEXTAREA,
        help_text=_("Empty: it is written from the full text."),
    )
    overview = forms.CharField(
        label=_("Overview"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono"}),
        help_text=_("Empty: it is written from the full text."),
    )
    content = forms.CharField(
        label=_("Full text"),
        strip=False,
        widget=Editor(attrs={"rows": 18}),
        help_text=_("Markdown: # heading, **bold**, - list, | table |, ``` code, $formula$, [[link]]."),
    )
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=200,
        help_text=_("For the history, if you like: what changes and why."),
    )
    started = PrintsField(required=False, widget=forms.HiddenInput)

    field_order: tuple[str, ...] = ("name", "description", *FIELDS[2:], "reason")

    @property
    def values(self) -> dict[str, str]:
        """What is typed now, as strings: for drafts and for setting two versions side by side."""
        return {name: _typed(self[name].value()) for name in FIELDS}

    @property
    def changes(self) -> dict[str, Any]:
        """What :mod:`skills.edit` takes: the cleaned values of what was touched.

        Of a form that does not say what it began with, everything counts as touched.
        """
        started = self.cleaned_data.get("started")
        started = started if isinstance(started, dict) else {}
        touched = [name for name in FIELDS if started.get(name) != print_of(_typed(self[name].value()))]
        values = {name: self.cleaned_data[name] for name in touched if name != "folder"}
        return values | ({"folder_id": self.folder_id} if "folder" in touched else {})


class NewSkillForm(SkillForm):
    """A new skill. ``id`` is the one it will have, so that a form sent twice makes one."""

    id = forms.UUIDField(widget=forms.HiddenInput, initial=new_id)

    @property
    def changes(self) -> dict[str, Any]:
        """Every value; layers only where somebody wrote them."""
        values = {name: self.cleaned_data[name] for name in FIELDS if name != "folder"}
        for name in LAYERS:
            values[name] = values[name] or None
        return values | {"folder_id": self.folder_id}


class EditSkillForm(SkillForm):
    """Changes to a skill. ``version`` is the one the person started from."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    again_abstract = forms.BooleanField(label=_("Have the model write it again"), required=False)
    again_overview = forms.BooleanField(label=_("Have the model write it again"), required=False)

    @property
    def again(self) -> list[str]:
        """The layers that are to be made again by the model."""
        return [name for name in LAYERS if self.cleaned_data[f"again_{name}"]]


def print_of(text: str) -> str:
    """A short print of ``text``; line ends and outer blanks, which browsers change, make no difference."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return sha256(lines.encode(errors="replace")).hexdigest()[:12]


def _typed(value: Any) -> str:
    return "" if value is None else str(value)


def edit_values(skill: Skill) -> dict[str, str]:
    """What a form starts with: the fields of ``skill`` as strings."""
    values = {name: getattr(skill, name) for name in FIELDS if name not in ("folder", "tags")}
    return {name: _typed(value) for name, value in values.items()} | {
        "folder": str(skill.folder_id or UNFILED),
        "tags": ", ".join(skill.tags),
    }


def started(values: dict[str, str]) -> dict[str, str]:
    """A print of each of ``values``, for :attr:`SkillForm.started`."""
    return {name: print_of(value) for name, value in values.items()}


class AppendForm(forms.Form):
    """What is added below the full text."""

    content = forms.CharField(
        label=_("Add below the full text"),
        strip=False,
        widget=Editor(attrs={"rows": 8}),
    )
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=200,
        help_text=_("For the history, if you like: what changes and why."),
    )
