"""Identifiers: UUIDv7, so that rows sort by when they were made."""

from __future__ import annotations

import uuid

from uuid_utils import compat


def new_id() -> uuid.UUID:
    """A fresh UUIDv7 as the standard library's ``UUID``."""
    return compat.uuid7()
