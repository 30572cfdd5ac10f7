"""Some folders of the tree with how much is in each, folders below included: one query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet

from documents.models import Document, Folder
from documents.querysets import hidden_folder_ids
from kbsite.accounts.models import User

type Countable = Callable[[User], QuerySet[Any]]

# What is counted per folder, by name; apps further along the flow add theirs with ``count_also``.
countables: dict[str, Countable] = {"documents": lambda user: Document.objects.visible_to(user)}

EVERY = 1_000_000_000

# Everything in a folder lies between its place and its reach: sums from the first folder up to each one
# give the number in any of them by one subtraction.
FOLDERS = """
WITH counted AS MATERIALIZED ({counted}),
summed AS MATERIALIZED (
    SELECT f.place, {own}, {upto}
    FROM documents_folder f LEFT JOIN counted c ON c.folder_id = f.id
    WINDOW walk AS (ORDER BY f.place ROWS UNBOUNDED PRECEDING)
),
ranked AS (
    SELECT shown.*, row_number() OVER (PARTITION BY parent_id ORDER BY place) AS rank,
        count(*) OVER (PARTITION BY parent_id) AS siblings
    FROM ({shown}) shown(id, parent_id, name, is_system, place, reach, kept)
)
SELECT r.id, r.parent_id, r.name, r.is_system, r.place, r.rank, r.siblings,
    (SELECT count(*) FROM documents_folder c WHERE c.parent_id = r.id AND c.id <> ALL(%s::uuid[])),
    {own_of}, {all_of}
FROM ranked r JOIN summed first ON first.place = r.place JOIN summed last ON last.place = r.reach
WHERE r.kept OR r.rank > %s AND r.rank <= %s
UNION ALL SELECT NULL, NULL, NULL, false, 2147483647, 1, 1, 0, {unfiled}, {unfiled}
FROM (SELECT) one LEFT JOIN counted c ON c.folder_id IS NULL
ORDER BY 5
"""


@dataclass(slots=True)
class Node:
    """A folder in the tree. ``counts`` and ``count`` include what is in folders below.

    ``count`` is the one of ``counts`` that was asked for. ``depth`` is 0 at the top. ``id`` None
    stands for what is in no folder. ``folders``: how many lie directly in it. ``rank`` is its number
    among its ``siblings``, from 1.
    """

    id: UUID | None
    name: str
    depth: int = 0
    count: int = 0
    is_system: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    folders: int = 0
    parent_id: UUID | None = None
    rank: int = 1
    siblings: int = 1

    @property
    def key(self) -> str:
        """A short name for cookies and element ids."""
        return self.id.hex if self.id else "unfiled"


@dataclass(frozen=True, slots=True)
class Some:
    """Which folders are asked for: those that ``which`` holds for and ``user`` may see.

    Of each folder's children only the ones with a rank above ``skip``, at most ``most``, and
    besides those that ``kept`` holds for.
    """

    which: Q
    kept: Q = field(default_factory=lambda: Q(pk=None))
    skip: int = 0
    most: int = EVERY


def nodes_of(user: User, some: Some, kinds: Sequence[str]) -> list[Node]:
    """The folders in the tree's order with the numbers of ``kinds``, then what is in none (id None).

    One query, and the one for what is closed to ``user``. Names are as stored, depths not worked out.
    """
    counted, counted_params = _counted(user, kinds)
    shown, shown_params = _shown(user, some)
    columns = range(len(kinds))
    sql = FOLDERS.format(
        counted=counted,
        own=", ".join(f"coalesce(c.n{i}, 0) AS own{i}" for i in columns),
        upto=", ".join(f"coalesce(sum(c.n{i}) OVER walk, 0) AS upto{i}" for i in columns),
        shown=shown,
        own_of=", ".join(f"first.own{i}" for i in columns),
        all_of=", ".join(f"last.upto{i} - first.upto{i} + first.own{i}" for i in columns),
        unfiled=", ".join(f"coalesce(c.n{i}, 0)" for i in columns),
    )
    limits: list[Any] = [hidden_folder_ids(user), some.skip, some.skip + some.most]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*counted_params, *shown_params, *limits])
        return [_node(row, kinds) for row in cursor.fetchall()]


def _node(row: Sequence[Any], kinds: Sequence[str]) -> Node:
    id, parent_id, name, is_system, _place, rank, siblings, folders, *numbers = row
    own = {kind: int(number) for kind, number in zip(kinds, numbers, strict=False)}
    counts = {kind: int(number) for kind, number in zip(kinds, numbers[len(kinds) :], strict=True)}
    return Node(
        id=id,
        name=name or "",
        count=counts[kinds[0]],
        is_system=is_system,
        counts=counts,
        own=own,
        folders=folders,
        parent_id=parent_id,
        rank=rank,
        siblings=siblings,
    )


def _counted(user: User, kinds: Sequence[str]) -> tuple[str, list[Any]]:
    """Rows (folder_id, n0, n1 …), one per folder that holds anything."""
    parts, params = [], []
    for at, kind in enumerate(kinds):
        rows = countables[kind](user).order_by().values("folder").annotate(n=Count("*"))
        sql, given = rows.values_list("folder", "n").query.sql_with_params()
        numbers = ", ".join(f"{'n' if i == at else '0'} AS n{i}" for i in range(len(kinds)))
        parts.append(f"SELECT folder_id, {numbers} FROM ({sql}) k{at}(folder_id, n)")  # noqa: S608 - compiled
        params += given
    if len(parts) == 1:
        return parts[0], params
    sums = ", ".join(f"sum(n{i}) AS n{i}" for i in range(len(kinds)))
    together = " UNION ALL ".join(parts)
    return f"SELECT folder_id, {sums} FROM ({together}) every GROUP BY folder_id", params  # noqa: S608


def _shown(user: User, some: Some) -> tuple[str, list[Any]]:
    rows = Folder.objects.visible_to(user).filter(some.which).order_by()
    rows = rows.annotate(is_kept=ExpressionWrapper(some.kept, output_field=BooleanField()))
    columns = ("id", "parent_id", "name", "is_system", "place", "reach", "is_kept")
    sql, params = rows.values_list(*columns).query.sql_with_params()
    return sql, list(params)
