"""The orders a list of skills can have; each pages by keyset."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import F, FloatField, IntegerField, Model, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Coalesce, Extract, Ln

from documents.models import Folder
from kbsite.keyset import Cursor, Order, Wanted, beyond, reverse
from skills.listing import Filters
from skills.models import Skill

# The place of what lies in no folder: after every folder.
UNFILED = 2_147_483_647
SECONDS_A_DAY = 86_400
INSIDE_A_FOLDER = ("priority", "name", "id")

# A cursor names its folder, so that it stays good when folders before it come, go or move; its place
# then is only for a folder that is gone.
PLACE_NOW = "coalesce((SELECT place FROM documents_folder WHERE id = %s), %s)"

WALK = """
SELECT s.id FROM documents_folder walk CROSS JOIN LATERAL ({each}) s(id, priority, name)
WHERE {where} ORDER BY {sort} LIMIT {size}
"""

ORDERS: dict[str, tuple[str, ...]] = {
    "path": ("place", *INSIDE_A_FOLDER),
    "updated": ("-updated_at", "-id"),
    "name": ("name", "id"),
    "hot": ("-heat", "-id"),
}

type Sql = tuple[str, list[Any]]


def ordered(
    skills: QuerySet[Skill], order: str, filters: Filters | None = None
) -> tuple[QuerySet[Skill], Order]:
    """``skills`` with what ``order`` needs, and the order to page in. Raises KeyError.

    ``path``: every sort_order on the folder's path, then priority; unfiled ones last. ``hot``:
    by hotness, in a form that does not change as time passes, so that a cursor stays good. With
    the ``filters`` that made ``skills``, only the folders they leave are walked.
    """
    if order == "path":
        folder = Folder.objects.filter(pk=OuterRef("folder_id")).order_by()
        place = Coalesce(Subquery(folder.values("place")), Value(UNFILED), output_field=IntegerField())
        return skills.annotate(place=place), PathOrder(ORDERS["path"], filters or Filters())
    annotations: dict[str, Any] = {"heat": _heat()} if order == "hot" else {}
    return skills.annotate(**annotations), Order(ORDERS[order])


@dataclass(frozen=True)
class PathOrder(Order):
    """By the folder's place in the tree, then priority, name, id. A cursor carries the folder too.

    A long list is never sorted: folders are walked by place, each read from its own part of the
    index ``skill_in_order``, until the page is full.
    """

    filters: Filters = field(default_factory=Filters)

    def values(self, row: Model) -> list[Any]:
        """See :class:`Order`; the last one is the folder's id."""
        folder_id: uuid.UUID | None = getattr(row, "folder_id", None)
        return [*super().values(row), folder_id.hex if folder_id else ""]

    def checked(self, rows: QuerySet[Any], values: list[Any]) -> list[Any]:
        """See :class:`Order`."""
        *sorted_by, folder = values
        return [*super().checked(rows, sorted_by), uuid.UUID(folder) if folder else None]

    def read[M: Model](self, rows: QuerySet[M], wanted: Wanted) -> list[M]:
        """See :class:`Order`."""
        cursor = wanted.cursor
        if not wanted.many:
            return super().read(rows, self._plain(wanted))
        size = wanted.limit + wanted.skip
        fields = reverse(INSIDE_A_FOLDER) if cursor and cursor.backwards else INSIDE_A_FOLDER
        parts = _Parts(rows, self.filters, cursor, fields, size).all()
        sql = " UNION ALL ".join(f"({part})" for part, _params in parts)
        params = [param for _part, given in parts for param in given]
        page = rows.filter(pk__in=RawSQL(sql, params))  # noqa: S611 - its values are parameters
        both = reverse(self.fields) if cursor and cursor.backwards else self.fields
        found = list(page.order_by(*both)[wanted.skip : size])
        return found[::-1] if cursor and cursor.backwards else found

    def _plain(self, wanted: Wanted) -> Wanted:
        """With the place that the cursor's folder has now, worked out by the database."""
        if wanted.cursor is None:
            return wanted
        place, *inside, folder = wanted.cursor.values
        now = RawSQL(PLACE_NOW, (folder, place), IntegerField())  # noqa: S611 - its values are parameters
        return Wanted(wanted.limit, cursor=Cursor([now, *inside], wanted.cursor.backwards))


@dataclass(frozen=True)
class _Parts:
    """The ids of the first ``size`` rows of each part of a list in path order: SQL and its values.

    The parts are the rest of the cursor's folder, the folders beyond it, and what is unfiled.
    """

    rows: QuerySet[Any]
    filters: Filters
    cursor: Cursor | None
    fields: tuple[str, ...]
    size: int

    def all(self) -> list[Sql]:
        """Those that are wanted, in no order."""
        cursor = self.cursor
        unfiled = cursor is not None and cursor.values[0] == UNFILED
        backwards = cursor is not None and cursor.backwards
        parts = []
        if cursor is not None:
            parts.append(self._here(cursor.values[1:-1], cursor.values[-1]))
        if not self.filters.unfiled and (backwards or not unfiled):
            parts.append(self._folders())
        if not self.filters.folder_id and not backwards and not unfiled:
            parts.append(self._sql(Q(folder=None)))
        return parts

    def _sql(self, *conditions: Any, values: tuple[str, ...] = ("pk",)) -> Sql:
        # The folder is the same for all of them: naming it first lets the index give the order.
        folder = "-folder" if self.fields[0].startswith("-") else "folder"
        some = self.rows.filter(*conditions).order_by(f"{folder}_id", *self.fields)
        some = some.values_list(*values)[: self.size]
        sql, params = some.query.sql_with_params()
        return sql, list(params)

    def _here(self, inside: list[Any], folder: uuid.UUID | None) -> Sql:
        return self._sql(Q(folder=folder), beyond(self.fields, inside))

    def _folders(self) -> Sql:
        direction = "DESC" if self.cursor and self.cursor.backwards else "ASC"
        where, params = self._where()
        each, given = self._sql(Q(folder=RawSQL("walk.id", ())), values=("id", "priority", "name"))
        sort = ", ".join(f"{name} {direction}" for name in ("walk.place", "s.priority", "s.name", "s.id"))
        sql = WALK.format(each=each, where=where, sort=sort, size=self.size)
        return sql, [*given, *params]

    def _where(self) -> Sql:
        conditions: list[str] = ["true"]
        params: list[Any] = []
        if self.cursor is not None and self.cursor.values[0] != UNFILED:
            conditions.append(f"walk.place {'<' if self.cursor.backwards else '>'} {PLACE_NOW}")
            params += [self.cursor.values[-1], self.cursor.values[0]]
        if self.filters.folder_id:
            last = "reach" if self.filters.recursive else "place"
            of = "FROM documents_folder WHERE id = %s"
            conditions.append(f"walk.place BETWEEN (SELECT place {of}) AND (SELECT {last} {of})")
            params += [self.filters.folder_id] * 2
        return " AND ".join(conditions), params


def _heat() -> Any:
    """ln of hotness, less what is the same for all: ln(1+n) − ln(2+n) + updated·ln 2/half-life.

    sigmoid(ln(1+n)) = (1+n)/(2+n), and 2^(−age/half-life) falls alike for all as time passes.
    """
    per_second = math.log(2) / (settings.KB_HALF_LIFE_DAYS * SECONDS_A_DAY)
    used = Cast(F("active_count"), FloatField())
    fresh = Cast(Extract("updated_at", "epoch"), FloatField())
    return Ln(used + 1.0) - Ln(used + 2.0) + fresh * per_second
