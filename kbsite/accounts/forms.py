"""What a person can change about themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.models import User


class ProfileForm(forms.ModelForm[User]):
    """Name, language and theme."""

    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("The browser's")), ("en", "English"), ("zh-hans", "简体中文")],
    )
    theme = forms.ChoiceField(
        label=_("Theme"),
        required=False,
        choices=[("", _("The system's")), ("light", _("Light")), ("dark", _("Dark"))],
    )

    class Meta:
        model = User
        fields = ("name", "language", "theme")


class KeyForm(forms.Form):
    """A new API key."""

    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("What will use it, so that you know later.")
    )
    read_only = forms.BooleanField(label=_("May only read, search and ask"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # The page has another field called name.
        super().__init__(*args, **{"auto_id": "key_%s"} | kwargs)


class PasswordForm(forms.Form):
    """The old password and a new one."""

    old = forms.CharField(
        label=_("Password now"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    new = forms.CharField(
        label=_("New password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 8 characters."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_old(self) -> str:
        """The password the person has now."""
        if not self.user.check_password(self.cleaned_data["old"]):
            raise ValidationError(_("This is not your password."))
        return str(self.cleaned_data["old"])

    def clean_new(self) -> str:
        """A password strong enough."""
        validate_password(self.cleaned_data["new"], self.user)
        return str(self.cleaned_data["new"])
