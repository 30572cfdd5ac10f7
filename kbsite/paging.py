"""Pages of a list for the API: by number, or by cursor at the first page's cost."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from ninja import Field, Schema

from kbsite.exceptions import InvalidInput


class Paging(Schema):
    """Query parameters of every list."""

    page: int = Field(1, ge=1, le=100_000)
    page_size: int = Field(20, ge=1, le=100)
    cursor: str | None = None


class Page[Item](Schema):
    """One page of a list."""

    items: list[Item]
    total: int
    page: int
    page_size: int
    next_cursor: str | None = None


class Done(Schema):
    """What a delete answers."""

    success: bool = True


def _encode(values: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values, default=str).encode()).decode()


def _decode(cursor: str, fields: int) -> list[Any]:
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, binascii.Error, UnicodeError, RecursionError) as error:
        raise InvalidInput(_("This cursor is not one of ours. Start again without it.")) from error
    if not isinstance(values, list) or len(values) != fields:
        raise InvalidInput(_("This cursor belongs to another list. Start again without it."))
    return values


def _after(order: tuple[str, ...], values: list[Any]) -> Q:
    """Rows that come after ``values`` in ``order`` (each field's own direction counts)."""
    conditions = []
    for n, field in enumerate(order):
        same = Q(**{order[i].lstrip("-"): values[i] for i in range(n)})
        step = "lt" if field.startswith("-") else "gt"
        conditions.append(same & Q(**{f"{field.lstrip('-')}__{step}": values[n]}))
    return reduce(or_, conditions)


def _from_cursor[M: Model](rows: QuerySet[M], order: tuple[str, ...], cursor: str, most: int) -> list[M]:
    values = _decode(cursor, len(order))
    try:
        return list(rows.filter(_after(order, values))[:most])
    except (ValidationError, ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(_("This cursor is not one of ours. Start again without it.")) from error


def paginate[M: Model](queryset: QuerySet[M], paging: Paging, order: tuple[str, ...]) -> dict[str, Any]:
    """One page of ``queryset`` in ``order`` (field names, the last one unique and none null).

    Returns what :class:`Page` holds, with model rows as items. Two queries. Raises
    InvalidInput for a cursor that is not of this list.
    """
    total = queryset.count()
    rows = queryset.order_by(*order)
    if paging.cursor:
        found = _from_cursor(rows, order, paging.cursor, paging.page_size + 1)
    else:
        first = (paging.page - 1) * paging.page_size
        found = list(rows[first : first + paging.page_size + 1])
    items = found[: paging.page_size]
    more = len(found) > paging.page_size
    return {
        "items": items,
        "total": total,
        "page": paging.page,
        "page_size": paging.page_size,
        "next_cursor": _encode([_value(items[-1], f) for f in order]) if more else None,
    }


def _value(row: Model, field: str) -> Any:
    value = row
    for part in field.lstrip("-").split("__"):
        value = getattr(value, part)
    return value.isoformat() if isinstance(value, datetime) else value
