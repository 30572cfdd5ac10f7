"""Providers' keys: encrypted at rest, read only at the moment of a call.

The encryption key is ``KB_ENCRYPTION_KEYS`` (the first encrypts, all decrypt: that is how it is
changed) or else a file of its own in ``KB_HOME``, so that changing the site's secret key loses no
provider (docs/decisions/0010-provider-keys.md).
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from kbsite.exceptions import ModelUnavailable
from kbsite.secret import secret_key

_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|gsk|key|api|xai|hf|AIza)[-_][\w.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE
)
HIDDEN = "•••"


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    digests = (hashlib.sha256(f"provider keys {key}".encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def _keys() -> tuple[str, ...]:
    return tuple(settings.KB_ENCRYPTION_KEYS) or (secret_key(settings.KB_HOME, "encryption_key"),)


@sensitive_variables()
def encrypt(key: str) -> str:
    """``key`` as it is stored; "" stays ""."""
    return _fernet(_keys()).encrypt(key.encode()).decode("ascii") if key else ""


@sensitive_variables()
def decrypt(stored: str) -> str:
    """The key that was stored; "" stays "". Raises ModelUnavailable when the encryption key has changed."""
    if not stored:
        return ""
    try:
        return _fernet(_keys()).decrypt(stored.encode()).decode()
    except InvalidToken:
        sentence = _("The stored key can't be read: the encryption key has changed. Enter the key again.")
        raise ModelUnavailable(sentence, code="bad_key", retryable=False) from None


@sensitive_variables("known")
def redacted(text: str, *known: str) -> str:
    """``text`` without the ``known`` keys and without anything else that looks like one."""
    for key in known:
        if len(key) > 3:
            text = text.replace(key, HIDDEN)
    return _LOOKS_SECRET.sub(HIDDEN, text)
