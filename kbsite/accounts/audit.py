"""The audit trail: who did what, when, to what."""

from __future__ import annotations

from kbsite.accounts.models import AuditEntry, User


def record(actor: User | None, action: str, target: str = "", **detail: object) -> AuditEntry:
    """Write one entry. ``action`` is a dotted word such as ``key.made``; ``detail`` holds no secret."""
    return AuditEntry.objects.create(actor=actor, action=action, target=target[:300], detail=detail)
