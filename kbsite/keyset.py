"""Reading a list from where a cursor points, in either direction, at the first page's cost."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import F, Field, Model, Q, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.utils.translation import gettext as _

from kbsite.exceptions import InvalidInput

LARGEST_INTEGER = 2**31


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins, or ends when ``backwards``: beyond the row with these ``values``.

    ``at`` is how many rows come before that place, as far as it was known when the cursor was made.
    """

    values: list[Any]
    backwards: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of an ordered list are asked for: ``limit`` after ``skip``, or beyond ``cursor``.

    ``many``: the list is a long one, so that sorting all of it would be slow.
    """

    limit: int
    skip: int = 0
    cursor: Cursor | None = None
    many: bool = False


@dataclass(frozen=True)
class Order:
    """Names of fields or annotations to sort by, "-" for descending; the last is unique, none null."""

    fields: tuple[str, ...]

    def cursor(self, row: Model, *, at: int, backwards: bool = False) -> str:
        """The text of the cursor for what is after ``row``, or before it; see :class:`Cursor`."""
        way = "before" if backwards else "after"
        kept = {"by": " ".join(self.fields), way: self.values(row), "at": at}
        return base64.urlsafe_b64encode(json.dumps(kept, default=_plain).encode()).decode()

    def values(self, row: Model) -> list[Any]:
        """What a cursor at ``row`` carries."""
        return [getattr(row, field.lstrip("-")) for field in self.fields]

    def checked(self, rows: QuerySet[Any], values: list[Any]) -> list[Any]:
        """``values`` of a cursor as the fields have them. Raises ValueError, TypeError, ValidationError."""
        if len(values) != len(self.fields):
            raise ValueError("another list's cursor")
        names = [field.lstrip("-") for field in self.fields]
        return [_checked(_field(rows, name), value) for name, value in zip(names, values, strict=True)]

    def read[M: Model](self, rows: QuerySet[M], wanted: Wanted) -> list[M]:
        """The rows that are wanted, in this order."""
        cursor = wanted.cursor
        if cursor is None:
            return list(rows.order_by(*self.fields)[wanted.skip : wanted.skip + wanted.limit])
        fields = reverse(self.fields) if cursor.backwards else self.fields
        found = list(rows.filter(beyond(fields, cursor.values)).order_by(*fields)[: wanted.limit])
        return found[::-1] if cursor.backwards else found


def reverse(fields: Sequence[str]) -> tuple[str, ...]:
    """The same fields, each in the other direction."""
    return tuple(field[1:] if field.startswith("-") else f"-{field}" for field in fields)


def beyond(fields: Sequence[str], values: Sequence[Any]) -> Any:
    """The condition for rows that come after ``values`` in the order ``fields``.

    One comparison of rows where all go the same way: an index can begin there.
    """
    down = [field.startswith("-") for field in fields]
    if all(down) or not any(down):
        names = Tuple(*(F(field.lstrip("-")) for field in fields))
        return TupleLessThan(names, list(values)) if down[0] else TupleGreaterThan(names, list(values))
    conditions = []
    for n, field in enumerate(fields):
        same = Q(**{fields[i].lstrip("-"): values[i] for i in range(n)})
        step = "lt" if field.startswith("-") else "gt"
        conditions.append(same & Q(**{f"{field.lstrip('-')}__{step}": values[n]}))
    return reduce(or_, conditions)


def cursor_from(text: str, order: Order, rows: QuerySet[Any]) -> Cursor:
    """The cursor that ``text`` stands for in this list. Raises InvalidInput for any other text."""
    try:
        kept = json.loads(base64.urlsafe_b64decode(text.encode()))
        kept = {"after": kept} if isinstance(kept, list) else kept
        if kept.get("by", " ".join(order.fields)) != " ".join(order.fields):
            raise ValueError("another order's cursor")
        backwards = "before" in kept
        values = order.checked(rows, list(kept["before" if backwards else "after"]))
        return Cursor(values, backwards, min(max(int(kept.get("at", 0)), 0), LARGEST_INTEGER))
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        binascii.Error,
        RecursionError,
        ValidationError,
    ) as error:
        raise InvalidInput(_("This cursor is not one of ours. Start again without it.")) from error


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _field(rows: QuerySet[Any], name: str) -> Any:
    annotation = rows.query.annotations.get(name)
    return annotation.output_field if annotation is not None else rows.model._meta.get_field(name)


def _checked(field: Field[Any, Any], value: Any) -> Any:
    """``value`` as ``field`` has it; refuses what no row can have and the database would choke on."""
    if value is None or isinstance(value, (bool, list, dict)):
        raise ValueError("no value of a row")
    value = field.to_python(value)
    if value is None or (isinstance(value, str) and "\x00" in value):
        raise ValueError("no value of a row")
    if isinstance(value, (int, float)) and not (math.isfinite(value) and abs(value) < 2 * LARGEST_INTEGER):
        raise ValueError("no number of a row")
    if isinstance(value, int) and not -LARGEST_INTEGER <= value < LARGEST_INTEGER:
        raise ValueError("no number of a row")
    return value
