"""Signing in with an e-mail address and a password, slowed down for those who guess."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.audit import record
from kbsite.accounts.models import AuditEntry

FAILURES_ALLOWED = 10
FAILURES_ALLOWED_IN_ALL = 100
WITHIN = timedelta(minutes=10)
FAILED = "sign_in.failed"
REMEMBERED = timedelta(days=90)


def may_try(email: str, network_address: str) -> bool:
    """Whether ``email`` has failed fewer than ten times from there in the last ten minutes.

    Guesses from elsewhere keep its owner out only when there are a hundred of them.
    """
    since = timezone.now() - WITHIN
    failures = AuditEntry.objects.filter(action=FAILED, target=email[:300], at__gte=since)
    from_there = failures.filter(detail__network_address=network_address)
    return from_there.count() < FAILURES_ALLOWED and failures.count() < FAILURES_ALLOWED_IN_ALL


def forget_failures() -> int:
    """Delete failures to sign in from the audit trail that are older than 90 days; returns how many."""
    old = AuditEntry.objects.filter(action=FAILED, at__lt=timezone.now() - REMEMBERED)
    return old.delete()[0]


class SignInForm(AuthenticationForm):
    """E-mail address and password."""

    username = forms.EmailField(
        label=_("E-mail address"),
        widget=forms.EmailInput(attrs={"autofocus": True, "autocomplete": "username"}),
    )
    error_messages = {
        "invalid_login": _("This e-mail address and password don't match. Check both and try again."),
        "inactive": _("This account is switched off. Ask an admin to switch it on."),
        "too_many": _("Too many wrong tries for this address. Wait ten minutes, then try again."),
    }

    def clean_username(self) -> str:
        """The address in the form it is stored in."""
        return str(self.cleaned_data["username"]).strip().lower()

    def clean(self) -> dict[str, Any]:
        """Check the pair; a failure is counted against the address."""
        email = self.cleaned_data.get("username", "")
        there = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        if email and not may_try(email, there):
            raise forms.ValidationError(self.error_messages["too_many"], code="too_many")
        try:
            return super().clean()
        except forms.ValidationError:
            record(None, FAILED, email, network_address=there)
            raise
