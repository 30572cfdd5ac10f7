"""Where folders are: the names on the way down to each."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile

from django.db import connection

from kbsite.accounts.models import User

UPWARDS = """
WITH RECURSIVE up AS (
    SELECT id AS of, id, parent_id, name, is_system, 0 AS above FROM documents_folder WHERE id = ANY(%s)
    UNION ALL
    SELECT up.of, f.id, f.parent_id, f.name, f.is_system, up.above + 1
    FROM documents_folder f JOIN up ON f.id = up.parent_id
)
SELECT of, id, name FROM up WHERE NOT is_system ORDER BY of, above DESC
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One folder on a path."""

    id: uuid.UUID
    name: str


def paths(
    folder_ids: Iterable[uuid.UUID | None], user: User | None = None
) -> dict[uuid.UUID | None, list[Step]]:
    """The path of each folder, itself last; ``[]`` for None (unfiled). One query, or none.

    The system folder is in no path. For a ``user`` whose key is limited to a folder paths begin there.
    """
    wanted = {folder_id for folder_id in folder_ids if folder_id}
    found: dict[uuid.UUID | None, list[Step]] = {folder_id: [] for folder_id in [None, *wanted]}
    if wanted:
        with connection.cursor() as cursor:
            cursor.execute(UPWARDS, [list(wanted)])
            for of, folder_id, name in cursor.fetchall():
                found[of].append(Step(folder_id, name))
    top = user.narrowed_to if user else None
    return {
        of: list(dropwhile(lambda step: step.id != top, way)) if top else way for of, way in found.items()
    }
