"""The first admin: from the browser with the console's token, or from the environment."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import connection, transaction
from django.utils.translation import gettext as _

from kbsite.accounts.audit import record
from kbsite.accounts.models import Role, User
from kbsite.exceptions import Conflict, InvalidInput
from kbsite.quick_setup import token as console_token
from kbsite.quick_setup.models import Setup

log = logging.getLogger(__name__)

# One first admin, however many forms are sent at once.
_LOCK = 0x6B62_0001


def make_first_admin(token: str, email: str, password: str, name: str = "") -> User:
    """The first admin. The token is used up.

    Raises NotAllowed for a wrong token, Conflict when there is an admin already, InvalidInput
    for an address or password that can't be used.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        if console_token.admin_exists():
            raise Conflict(_("There is an admin already. Sign in instead."), code="set_up")
        console_token.check(token)
        user = _make(email, password, name)
        Setup.objects.filter(pk=1).update(token_digest="")
    record(user, "setup.admin_made", user.email)
    return user


def _make(email: str, password: str, name: str) -> User:
    candidate = User(email=email.strip().lower(), name=name)
    try:
        validate_email(candidate.email)
        validate_password(password, candidate)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages)) from error
    existing = User.objects.filter(email=candidate.email).first()
    if existing is None:
        return User.objects.create_user(email, password, name=name, role=Role.ADMIN)
    existing.role, existing.is_active = Role.ADMIN, True
    existing.set_password(password)
    existing.save()
    return existing


def ensure_first_admin() -> None:
    """Make the admin that ``KB_ADMIN_EMAIL`` and ``KB_ADMIN_PASSWORD`` name, if there is none.

    Set-up then counts as done with the offline model. Logs a sentence, and makes nobody, when
    the two can't be used.
    """
    email, password = settings.KB_ADMIN_EMAIL, settings.KB_ADMIN_PASSWORD
    if not (email and password) or console_token.admin_exists():
        return
    try:
        user = _make(email, password, "")
    except InvalidInput as error:
        log.error("No admin made from KB_ADMIN_EMAIL and KB_ADMIN_PASSWORD: %s", error)
        return
    setup = Setup.load()
    setup.model_choice = setup.model_choice or Setup.Model.OFFLINE
    setup.save(update_fields=["model_choice"])
    setup.finish()
    record(user, "setup.admin_made", user.email, by="environment")
