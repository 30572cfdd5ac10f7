"""API keys: made, shown once, kept as a hash, checked, revoked."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from datetime import timedelta

from django.utils import timezone

from kbsite.accounts.models import ApiKey, User

PREFIX = "sk-kb-"
USED_AGAIN_AFTER = timedelta(minutes=1)


def digest(token: str) -> str:
    """SHA-256 of a key, in hex. A key has 256 random bits, so no slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def make_key(
    user: User, name: str, *, read_only: bool = False, folder_id: uuid.UUID | None = None
) -> tuple[ApiKey, str]:
    """A new key for ``user``: the row, and the key itself, which can't be had again."""
    token = PREFIX + secrets.token_urlsafe(32)
    row = ApiKey.objects.create(
        user=user,
        name=name,
        prefix=token[: len(PREFIX) + 4],
        digest=digest(token),
        read_only=read_only,
        folder_id=folder_id,
    )
    return row, token


def revoke(key: ApiKey) -> None:
    """Stop a key from working; saying so twice changes nothing."""
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())


def person_for(token: str) -> User | None:
    """The active person a key belongs to, narrowed as the key is; None when it opens nothing."""
    key = (
        ApiKey.objects.select_related("user")
        .filter(digest=digest(token), revoked_at=None, user__is_active=True)
        .first()
    )
    if key is None:
        return None
    now = timezone.now()
    if key.last_used_at is None or now - key.last_used_at > USED_AGAIN_AFTER:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    person = key.user
    person.narrowed_to = key.folder_id
    person.read_only = key.read_only
    return person
