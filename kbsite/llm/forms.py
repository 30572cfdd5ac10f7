"""What admins type about models."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from kbsite.exceptions import InvalidInput
from kbsite.llm.connection import normalise_base_url
from kbsite.llm.models import Provider


class ProviderForm(forms.Form):
    """An address and its key; the key field is never filled in."""

    name = forms.CharField(label=_("Name"), max_length=100, required=False)
    base_url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.TextInput(attrs={"placeholder": "https://api.example.com/v1", "inputmode": "url"}),
    )
    api_key = forms.CharField(
        label=_("Key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    chat_model = forms.CharField(
        label=_("Model"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"list": "models-offered", "autocomplete": "off"}),
    )

    def clean_base_url(self) -> str:
        """The address, if it can be one."""
        typed: str = self.cleaned_data["base_url"]
        try:
            normalise_base_url(typed)
        except InvalidInput as fault:
            raise forms.ValidationError(str(fault)) from None
        return typed


class PurposeForm(forms.Form):
    """Which model serves a purpose; no provider means the fall-back."""

    provider = forms.ModelChoiceField(queryset=Provider.objects.all(), required=False)
    model = forms.CharField(max_length=200, required=False)

    def clean_model(self) -> str:
        """The name without blanks."""
        return str(self.cleaned_data["model"]).strip()
