"""Bulk actions as JSON."""

from __future__ import annotations

import uuid
from typing import Literal

from ninja import Field, Schema

from skills.bulk.selection import MOST
from skills.listing import Filters


class SkillFilters(Schema):
    """What a list of skills is narrowed to, as ``GET /api/skills`` takes it."""

    folder_id: uuid.UUID | None = None
    recursive: bool = False
    unfiled: bool = False
    type: str = ""
    category: str = ""
    status: str = ""
    tag: list[str] = Field([], description="A skill has all of them.")
    author: uuid.UUID | None = Field(None, description="The person's id.")
    since: str = Field("", description="Changed on that day or later: 2026-11-30, today, 7d or 30d.")
    until: str = Field("", description="Changed on that day or before.")
    index: str = Field("", description="ready, not_ready or failed.")
    is_active: bool | None = None
    q: str = Field("", description="Words, each literally in name, description, abstract or a tag.")

    def filters(self) -> Filters:
        """What :func:`skills.listing.listed` takes."""
        given = self.dict()
        tags = tuple(given.pop("tag"))
        return Filters(tags=tags, **given)


class SelectionIn(Schema):
    """Which skills: ``ids``, or all that ``filters`` leave, but for system skills.

    ``expected`` is how many you think those are; when it is another number, nothing happens (409).
    """

    ids: list[uuid.UUID] | None = Field(None, max_length=MOST)
    filters: SkillFilters | None = None
    expected: int | None = Field(None, ge=0)


class BulkIn(SelectionIn):
    """``folder_id`` is for move (null: unfiled), ``add`` and ``remove`` for tags."""

    action: Literal["move", "tags", "priority", "approve", "check", "reject", "delete"]
    folder_id: uuid.UUID | None = None
    add: list[str] = []
    remove: list[str] = []
    priority: int | None = None


class BulkOut(Schema):
    """How many skills changed. ``skipped_system`` never change; ``skipped_missing`` are not there, or not
    open to you. ``undo_id`` undoes it; null where nothing changed.
    """

    action: str
    changed: int
    skipped_system: int
    skipped_missing: int
    undo_id: uuid.UUID | None


class UndoneOut(Schema):
    """How many are as they were; ``stayed``: changed since, or their folder is gone."""

    undone: int
    stayed: int
