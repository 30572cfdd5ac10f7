"""A password for a locked file: kept encrypted for the minutes until the worker tries it."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.translation import gettext as _

from documents import runs
from documents.models import IngestRun
from kbsite.exceptions import Conflict, InvalidInput

KEPT_SECONDS = 600
LONGEST = 1000


def _box() -> Fernet:
    key = hashlib.sha256(b"documents.unlock:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def unlock(run: IngestRun, password: str) -> None:
    """Read a held file again with ``password``, used once. Raises Conflict, InvalidInput."""
    if run.status != IngestRun.Status.HELD or run.needs != IngestRun.Needs.PASSWORD:
        raise Conflict(_("This file is not waiting for a password."))
    if not password or len(password) > LONGEST:
        raise InvalidInput(_("Type the password of this file."))
    runs.requeue(run, unlock=_box().encrypt(password.encode()))


def take_password(run: IngestRun) -> str | None:
    """The password a person gave for ``run``, removed from the row; None when there is none."""
    sealed = IngestRun.objects.filter(pk=run.pk).values_list("unlock", flat=True).first()
    if sealed is None:
        return None
    IngestRun.objects.filter(pk=run.pk).update(unlock=None)
    try:
        return _box().decrypt(bytes(sealed), ttl=KEPT_SECONDS).decode()
    except InvalidToken:
        return None
