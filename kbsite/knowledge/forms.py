"""The forms of the quick door."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from kbsite.ids import new_id
from skills.fields import LONGEST_NAME
from skills.forms import WordsField

PASTE = _("Paste or write. A first line “# Title” names the note; “tags: one, two” below it tags it.")


class NoteForm(forms.Form):
    """A new note: one text is enough. ``id`` is the one it will have, so that a form sent twice makes one."""

    text = forms.CharField(
        label=_("New note"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": PASTE}),
        error_messages={"required": _("Write something first.")},
    )
    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"placeholder": _("From the text")}),
    )
    tags = WordsField(
        label=_("Tags"), required=False, widget=forms.TextInput(attrs={"placeholder": _("From the text")})
    )
    id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=new_id)


class ChangeForm(forms.Form):
    """A change of a note: ``added`` below it, or all of it anew. ``version`` is the one it started from."""

    APPEND, REPLACE = "append", "replace"

    mode = forms.ChoiceField(choices=[(APPEND, _("Add below")), (REPLACE, _("Replace"))], initial=APPEND)
    added = forms.CharField(
        label=_("Add below the note"), strip=False, required=False, widget=forms.Textarea(attrs={"rows": 4})
    )
    title = forms.CharField(label=_("Title"), required=False, max_length=LONGEST_NAME)
    tags = WordsField(label=_("Tags"), required=False)
    content = forms.CharField(
        label=_("Text"), strip=False, required=False, widget=forms.Textarea(attrs={"rows": 10})
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    @property
    def changes(self) -> dict[str, Any]:
        """What :func:`skills.knowledge.change` takes."""
        values = self.cleaned_data
        if values["mode"] == self.APPEND:
            return {"text": values["added"], "mode": self.APPEND}
        return {
            "text": values["content"],
            "mode": self.REPLACE,
            "title": values["title"],
            "tags": values["tags"],
            "expected": values["version"],
        }

    @property
    def field_of(self) -> dict[str, str]:
        """Which field a refused value of a skill belongs to."""
        is_added = self.cleaned_data["mode"] == self.APPEND
        return {"content": "added" if is_added else "content", "name": "title", "tags": "tags"}
