"""What forms send, made sense of."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from documents.listing import UNFILED
from kbsite import sent
from kbsite.exceptions import InvalidInput
from kbsite.sent import as_id


def folder_id_of(text: str | None) -> UUID | None:
    """A folder's id from a form; None for "unfiled" and empty. Raises InvalidInput for nonsense."""
    if not text or text == UNFILED:
        return None
    id = as_id(text)
    if id is None:
        raise InvalidInput(_("There is no such folder."))
    return id


def checked_ids(request: HttpRequest) -> list[UUID]:
    """The ids of the rows that are selected."""
    return [id for text in request.POST.getlist("document") if (id := as_id(text))]


def way_back(request: HttpRequest) -> str:
    """Where the form wants to go on: a page of ours, else the list."""
    return sent.way_back(request, otherwise=reverse("documents:list"))
