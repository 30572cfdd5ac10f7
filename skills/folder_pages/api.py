"""``/api/folders/{id}/page``."""

from __future__ import annotations

import uuid
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Status

from kbsite.accounts.auth import person
from kbsite.paging import Paging, paginate
from skills.folder_pages import make
from skills.folder_pages.lines import NEWEST_FIRST, events_of, lines
from skills.folder_pages.page import found, index_of, view_of
from skills.folder_pages.schemas import FolderPageOut, FolderPageState, page_out

LOGGED = 50
router = Router(tags=["folders"])


@router.get("/{uuid:folder_id}/page", response=FolderPageOut, summary="A folder's own page")
def get_page(
    request: HttpRequest,
    folder_id: uuid.UUID,
    paging: Query[Paging],
    order: Literal["order", "updated"] = "order",
) -> dict[str, Any]:
    """``page``, ``page_size`` and ``cursor`` are of its index. The newest of the log stand with it."""
    user = person(request)
    folder = found(folder_id, user)
    skills, fields = index_of(folder, user, order)
    log = lines(events_of(folder).order_by(*NEWEST_FIRST.fields)[:LOGGED], user)
    return page_out(view_of(folder, user), paginate(skills, paging, fields), log)


@router.post("/{uuid:folder_id}/page/refresh", response={202: FolderPageState}, summary="Make the page again")
def refresh_page(request: HttpRequest, folder_id: uuid.UUID) -> Status[dict[str, Any]]:
    """Queued, after pages below it that were never made; one that is queued already is left alone."""
    user = person(request)
    page = make.request(found(folder_id, user), user)
    state = {"folder_id": page.pk, "state": page.state, "reason": page.why, "made_at": page.made_at}
    return Status(202, state)
