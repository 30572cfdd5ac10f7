"""Pages of a list, for the API and for people: by number, or by cursor at the first page's cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet
from django.utils.formats import number_format
from ninja import Field, Schema

from kbsite.exceptions import InvalidInput
from kbsite.keyset import Order, Wanted, cursor_from
from kbsite.sent import as_number

COUNTED = 10_000  # Beyond this a total is an estimate.
MANY = 2_000  # Fewer rows than this are sorted at once in any order.
LAST_PAGE = 100_000


class Paging(Schema):
    """Query parameters of every list."""

    page: int = Field(1, ge=1, le=LAST_PAGE)
    page_size: int = Field(20, ge=1, le=100)
    cursor: str | None = None


class Page[Item](Schema):
    """One page of a list. Above 10,000 ``total`` is an estimate."""

    items: list[Item]
    total: int
    page: int
    page_size: int
    next_cursor: str | None = None
    previous_cursor: str | None = None


class Done(Schema):
    """What a delete answers."""

    success: bool = True


@dataclass(frozen=True, slots=True)
class Total:
    """How many rows a list has: exactly up to 10,000, else about that many."""

    number: int
    is_exact: bool

    def __str__(self) -> str:
        """For people: "1,234", or "10,000+"."""
        if self.is_exact:
            return number_format(self.number, force_grouping=True)
        return f"{number_format(COUNTED, force_grouping=True)}+"


@dataclass(frozen=True, slots=True)
class Slice[M: Model]:
    """One page of rows. ``start`` is the first row's number, 1 for the list's first; 0 on an empty page."""

    items: list[M]
    total: Total
    start: int
    next_cursor: str | None = None
    previous_cursor: str | None = None

    @property
    def end(self) -> int:
        """The last row's number; 0 on an empty page."""
        return self.start + len(self.items) - 1 if self.items else 0

    @property
    def is_part(self) -> bool:
        """Whether there are other pages."""
        return bool(self.next_cursor or self.previous_cursor)


def count(rows: QuerySet[Any]) -> Total:
    """How many rows there are. One query, two above 10,000."""
    rows = rows.order_by().values("pk")
    number = rows[: COUNTED + 1].count()
    if number <= COUNTED:
        return Total(number, is_exact=True)
    plan = json.loads(rows.explain(format="json"))[0]["Plan"]
    return Total(max(int(plan["Plan Rows"]), number), is_exact=False)


def page_of[M: Model](
    rows: QuerySet[M],
    order: Order,
    *,
    size: int,
    cursor: str | None = None,
    number: int = 1,
) -> Slice[M]:
    """The page of ``rows`` in ``order`` that ``cursor`` points to, else the one of that ``number``.

    Two queries, three above 10,000 rows. Raises InvalidInput for a cursor that is not of this list.
    """
    at = cursor_from(cursor, order, rows) if cursor else None
    total = count(rows)
    many = total.number > MANY
    if at is None:
        skip = (number - 1) * size
        found = order.read(rows, Wanted(size + 1, skip, many=many))
        return _forwards(found, order, size, skip, total)
    found = order.read(rows, Wanted(size + 1, cursor=at, many=many))
    if not at.backwards:
        return _forwards(found, order, size, at.at, total)
    if len(found) <= size:  # The beginning is reached: show a whole first page.
        return _forwards(order.read(rows, Wanted(size + 1, many=many)), order, size, 0, total)
    items = found[1:]
    first = max(at.at - size, 0)
    return Slice(
        items,
        total,
        first + 1,
        next_cursor=order.cursor(items[-1], at=first + len(items)),
        previous_cursor=order.cursor(items[0], backwards=True, at=first),
    )


def _forwards[M: Model](found: list[M], order: Order, size: int, before: int, total: Total) -> Slice[M]:
    items = found[:size]
    following = previous = None
    if len(found) > size:
        following = order.cursor(items[-1], at=before + size)
    if items and before:
        previous = order.cursor(items[0], backwards=True, at=before)
    return Slice(items, total, before + 1 if items else 0, following, previous)


def shown_page[M: Model](
    rows: QuerySet[M], order: Order, query: Mapping[str, str], *, size: int = 50
) -> Slice[M]:
    """The page that an address asks for (``?cursor=``, or ``?page=``), for a page people read.

    What makes no sense in the address shows the first page. Queries as :func:`page_of`.
    """
    number = as_number(query.get("page"), 1)
    known = 1 <= number <= LAST_PAGE
    try:
        return page_of(rows, order, size=size, cursor=query.get("cursor"), number=number if known else 1)
    except InvalidInput:
        return page_of(rows, order, size=size)


def paginate[M: Model](
    queryset: QuerySet[M], paging: Paging, order: Order | tuple[str, ...]
) -> dict[str, Any]:
    """One page of ``queryset`` in ``order`` (field names, the last one unique and none null).

    Returns what :class:`Page` holds, with model rows as items. Queries and refusals as
    :func:`page_of`.
    """
    order = order if isinstance(order, Order) else Order(order)
    found = page_of(queryset, order, size=paging.page_size, cursor=paging.cursor, number=paging.page)
    return {
        "items": found.items,
        "total": found.total.number,
        "page": paging.page,
        "page_size": paging.page_size,
        "next_cursor": found.next_cursor,
        "previous_cursor": found.previous_cursor,
    }
