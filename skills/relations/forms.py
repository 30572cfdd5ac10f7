"""The form for a new relation."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kbsite.accounts.models import User
from kbsite.markdown.links import key_of
from skills.links.resolve import resolve
from skills.models import RELATION_WORDS, Skill

OWN = "own"


class RelationForm(forms.Form):
    """The other skill by name, slug or address; how this one relates to it; why."""

    type = forms.ChoiceField(label=gettext_lazy("This skill"), required=False)
    own_type = forms.CharField(
        label=gettext_lazy("In other words"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("depends on"), "autocomplete": "off"}),
    )
    target = forms.CharField(
        label=gettext_lazy("Other skill"),
        max_length=300,
        widget=forms.TextInput(attrs={"list": "relation-names", "autocomplete": "off"}),
    )
    reason = forms.CharField(label=gettext_lazy("Why"), required=False, max_length=1_000)

    def __init__(self, *args: Any, skill: Skill, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "relation-%s", **kwargs})
        self.skill, self.user = skill, user
        kinds = [(kind, str(word)) for kind, word in RELATION_WORDS.items()]
        cast(forms.ChoiceField, self.fields["type"]).choices = [*kinds, (OWN, _("in other words…"))]

    def clean_target(self) -> Skill:
        """The skill that was named."""
        key = key_of(self.cleaned_data["target"].strip())
        found = resolve([key], self.skill.folder_id, self.user).skills.get(key)
        if found is None:
            raise forms.ValidationError(_("There is no skill of that name, or you may not see it."))
        return found

    def clean(self) -> dict[str, Any]:
        """``type`` holds one's own word where one was chosen."""
        values = super().clean() or self.cleaned_data
        if values.get("type") in (OWN, ""):
            values["type"] = values.get("own_type", "")
        return values
