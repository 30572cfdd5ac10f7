"""The one-time token that lets the person at the console make the first admin."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from kbsite.accounts.keys import digest
from kbsite.accounts.models import Role, User
from kbsite.exceptions import NotAllowed
from kbsite.quick_setup.models import Setup


def admin_exists() -> bool:
    """Whether an active admin can already sign in."""
    return User.objects.filter(role=Role.ADMIN, is_active=True).exists()


def announce(address: str = "") -> str | None:
    """Make a fresh token and return the sentence to print; None once there is an admin.

    Each start makes a new token and the one before it no longer works.
    """
    if admin_exists():
        return None
    token = secrets.token_urlsafe(16)
    setup = Setup.load()
    setup.token_digest = digest(token)
    setup.save(update_fields=["token_digest"])
    base = address or settings.KB_URL or f"http://{settings.KB_BIND}:{settings.KB_PORT}"
    return f"First run: open {base}/setup/?token={token} to make the admin. The link works once."


def check(token: str) -> None:
    """Raise NotAllowed unless ``token`` is the one the console printed last."""
    expected = Setup.load().token_digest
    if not expected or not constant_time_compare(digest(token.strip()), expected):
        raise NotAllowed(
            _(
                "This is not the token the console printed last. "
                "Copy it from there, or start again for a new one."
            ),
            code="bad_token",
        )
