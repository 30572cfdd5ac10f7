"""The forms of the first run."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

ADDRESS = {
    "inputmode": "url",
    "placeholder": "https://api.example.com/v1",
    "autocapitalize": "off",
    "spellcheck": "false",
}


class AccountForm(forms.Form):
    """The first admin."""

    token = forms.CharField(
        label=_("Token"),
        max_length=100,
        help_text=_("Printed in the console where Skill-Know was started."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    name = forms.CharField(
        label=_("Your name"),
        max_length=100,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        help_text=_("At least 8 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class ModelForm(forms.Form):
    """Which language model to use, if any."""

    choice = forms.ChoiceField(
        choices=[("connect", _("OpenAI-compatible address")), ("offline", _("No model yet"))],
        initial="connect",
    )
    base_url = forms.CharField(
        label=_("Address"),
        max_length=500,
        required=False,
        # Not type="url": the browser would refuse "localhost:11434", which is understood here.
        widget=forms.TextInput(attrs=ADDRESS),
    )
    api_key = forms.CharField(
        label=_("Key"),
        max_length=500,
        required=False,
        help_text=_("Kept encrypted, never shown again, not even to admins."),
        widget=forms.PasswordInput(render_value=True, attrs={"autocomplete": "off"}),
    )
    chat_model = forms.CharField(
        label=_("Chat model"),
        max_length=200,
        required=False,
        widget=forms.TextInput(
            attrs={"list": "models-offered", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    embedding_model = forms.CharField(
        label=_("Embedding model"),
        max_length=200,
        required=False,
        help_text=_("Leave empty to use the built-in one, which reads Chinese and English."),
        widget=forms.TextInput(
            attrs={"list": "models-offered", "autocomplete": "off", "spellcheck": "false"}
        ),
    )

    def clean(self) -> dict[str, object]:
        """An address and a model are needed only when one is to be connected."""
        data = super().clean() or {}
        if data.get("choice") == "connect":
            if not data.get("base_url"):
                self.add_error("base_url", _("Give the address of the model, or go on without a model."))
            if not data.get("chat_model"):
                self.add_error("chat_model", _("Name the model. “Test” lists those on offer."))
        return data
