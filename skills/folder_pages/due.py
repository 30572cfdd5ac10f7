"""Which folders' pages are due: where a tenth of what they were made from has changed.

A page is made from the skills in its folder and the pages of its sub-folders. Changes are events in
the folder since then (or how far the number of skills is off, if that is more), sub-folders' pages
made since, and sub-folders that went away. A page that was never made is due where something has
happened, so that an upgrade doesn't set off thousands; one whose text was withdrawn is always due.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.conf import settings
from django.db import connection

from documents.models import Folder
from skills.folder_pages.scope import root_id
from skills.models import FolderPage, Skill

ENOUGH = 10  # a tenth
PATIENCE = 10  # quiet periods, after which a folder that is never quiet is taken as it is
MOST_BELOW = 20  # pages that one request may have made first

CHANGED = """
WITH own AS (
    SELECT coalesce(folder_id, %(root)s) AS id, count(*) AS n FROM skills_skill
    WHERE deleted_at IS NULL AND is_active AND status IN ('approved', 'checked') AND type <> 'system'
    GROUP BY 1
), news AS (
    SELECT e.folder_id AS id, sum(e.count) AS n, min(e.at) AS first, max(e.at) AS last
    FROM skills_folderevent e LEFT JOIN skills_folderpage p ON p.folder_id = e.folder_id
    WHERE e.what <> 'remade' AND (p.made_at IS NULL OR e.at > p.made_at - interval '10 seconds')
    GROUP BY 1
), below AS (
    SELECT coalesce(f.parent_id, %(root)s) AS id, count(*) AS n
    FROM skills_folderpage c JOIN documents_folder f ON f.id = c.folder_id
    LEFT JOIN skills_folderpage p ON p.folder_id = coalesce(f.parent_id, %(root)s)
    WHERE NOT f.is_system AND c.abstract <> '' AND (p.made_at IS NULL OR c.made_at > p.made_at)
    AND NOT EXISTS (SELECT FROM documents_foldergrant g WHERE g.folder_id = f.id)
    GROUP BY 1
), gone AS (
    SELECT p.folder_id AS id, count(*) AS n
    FROM skills_folderpage p CROSS JOIN LATERAL unnest(p.from_folders) was
    LEFT JOIN documents_folder f ON f.id = was
    WHERE f.id IS NULL OR coalesce(f.parent_id, %(root)s) <> p.folder_id
    GROUP BY 1
)
SELECT f.id, f.place, f.reach, f.is_system, coalesce(p.state, 'stale'), p.made_at, p.heartbeat_at,
    coalesce(p.out_of, 0) AS out_of, coalesce(cardinality(p.from_folders), 0), coalesce(own.n, 0),
    coalesce(news.n, 0), news.first, news.last, coalesce(below.n, 0) + coalesce(gone.n, 0)
FROM documents_folder f
LEFT JOIN skills_folderpage p ON p.folder_id = f.id
LEFT JOIN own ON own.id = f.id LEFT JOIN news ON news.id = f.id
LEFT JOIN below ON below.id = f.id LEFT JOIN gone ON gone.id = f.id
WHERE coalesce(p.state, 'stale') NOT IN ('queued', 'running')
AND (news.n > 0 OR below.n > 0 OR gone.n > 0
    OR p.made_at IS NOT NULL AND (p.state = 'stale' OR coalesce(own.n, 0) <> p.out_of))
"""

NEVER_MADE = """
SELECT f.id, f.parent_id FROM documents_folder f LEFT JOIN skills_folderpage p ON p.folder_id = f.id
WHERE p.made_at IS NULL AND NOT f.is_system AND (%(whole)s OR f.place > %(place)s AND f.place <= %(reach)s)
AND EXISTS (
    SELECT FROM documents_folder i JOIN skills_skill s ON s.folder_id = i.id
    WHERE i.place BETWEEN f.place AND f.reach AND s.deleted_at IS NULL AND s.is_active
    AND s.status IN ('approved', 'checked') AND s.type <> 'system'
) AND NOT EXISTS (
    SELECT FROM documents_foldergrant g JOIN documents_folder c ON c.id = g.folder_id
    WHERE f.place BETWEEN c.place AND c.reach AND (%(whole)s OR c.place > %(place)s)
)
ORDER BY f.place DESC LIMIT 2000
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder in which something changed, with the numbers that decide."""

    id: uuid.UUID
    place: int
    reach: int
    is_root: bool
    state: str
    made_at: datetime | None
    heartbeat_at: datetime | None
    out_of: int
    folders: int
    own: int
    news: int
    first: datetime | None
    last: datetime | None
    below: int

    @property
    def is_due(self) -> bool:
        """Whether enough changed."""
        if self.state == FolderPage.State.FAILED:
            return bool(self.last and self.heartbeat_at and self.last > self.heartbeat_at)
        if self.made_at is None:
            return bool((self.own and self.news) or self.below)
        changes = max(self.news, abs(self.own - self.out_of)) + self.below
        is_withdrawn = self.state == FolderPage.State.STALE
        return is_withdrawn or (changes > 0 and changes * ENOUGH >= self.out_of + self.folders)

    def is_quiet(self, now: datetime) -> bool:
        """Whether nothing happened for the quiet period, or things have been happening for very long."""
        quiet = timedelta(seconds=settings.KB_FOLDER_PAGE_QUIET_SECONDS)
        if self.last is None or self.first is None:
            return True
        return self.last <= now - quiet or self.first <= now - PATIENCE * quiet

    def holds(self, other: Candidate) -> bool:
        """Whether ``other`` is below it."""
        return other.id != self.id and (self.is_root or self.place < other.place <= self.reach)


def due(now: datetime) -> list[uuid.UUID]:
    """Folders whose pages are to be made now, the deepest first.

    Those wait in which a skill is still being read or indexed, something happened a moment ago, or
    a folder below waits or is due itself. Two queries.
    """
    found = [candidate for candidate in _candidates() if candidate.is_due]
    found.sort(key=lambda c: (c.is_root, -c.place))
    busy = _being_indexed()
    taken: list[uuid.UUID] = []
    seen: list[Candidate] = []
    for candidate in found:
        is_free = not any(candidate.holds(other) for other in seen)
        if is_free and candidate.is_quiet(now) and candidate.id not in busy:
            taken.append(candidate.id)
        seen.append(candidate)
    return taken


def never_made_below(folder: Folder) -> list[uuid.UUID]:
    """Folders under ``folder`` that have something in them and no page yet, the deepest first.

    Where there are more than twenty, only those directly in it, at most twenty.
    """
    with connection.cursor() as cursor:
        given = {"whole": folder.is_system, "place": folder.place, "reach": folder.reach}
        cursor.execute(NEVER_MADE, given)
        rows = cursor.fetchall()
    if len(rows) > MOST_BELOW:
        parent = None if folder.is_system else folder.pk
        rows = [row for row in rows if row[1] == parent][-MOST_BELOW:]
    return [row[0] for row in rows]


def _candidates() -> list[Candidate]:
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, {"root": root_id()})
        return [Candidate(*cast("tuple[Any, ...]", row)) for row in cursor.fetchall()]


def _being_indexed() -> set[uuid.UUID | None]:
    """The folders of skills that are on their way; what lies in none counts for the root folder."""
    on_their_way = (Skill.Index.QUEUED, Skill.Index.RUNNING)
    waiting = Skill.objects.filter(index_state__in=on_their_way, deleted_at=None).order_by()
    found: set[uuid.UUID | None] = set(waiting.values_list("folder_id", flat=True).distinct())
    return found | {root_id()} if None in found else found
