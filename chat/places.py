"""Where a question may be looked for: the folders a person can choose in the composer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from documents.models import Document, Folder
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills.models import Skill


@dataclass(frozen=True)
class Place:
    """A folder in the list: its name is indented by its depth."""

    id: str
    name: str
    chosen: bool


def places(user: User, scope: Mapping[str, Any]) -> list[Place]:
    """The folders ``user`` sees, in tree order; the one in ``scope`` is chosen. One query."""
    rows = Folder.objects.visible_to(user).with_tree_fields()
    chosen = scope.get("folder_id")
    return [Place(str(row.pk), "\u2003" * row.tree_depth + row.shown, str(row.pk) == chosen) for row in rows]


def checked(scope: Mapping[str, Any], user: User) -> dict[str, Any]:
    """``scope`` as it is stored. Raises InvalidInput for places that ``user`` does not see."""
    place: dict[str, Any] = {}
    if folder := scope.get("folder_id"):
        if not Folder.objects.visible_to(user).filter(pk=folder).exists():
            raise InvalidInput(_("There is no such folder to look in."), code="no_such_folder")
        place["folder_id"] = str(folder)
    if documents := [str(d) for d in scope.get("document_ids") or ()]:
        if Document.objects.visible_to(user).filter(pk__in=documents).count() != len(set(documents)):
            raise InvalidInput(_("Not all of these documents are there."), code="no_such_document")
        place["document_ids"] = documents
    return place


def documents(user: User, scope: Mapping[str, Any]) -> list[Document]:
    """The documents a conversation is limited to, as far as ``user`` still sees them."""
    ids = [UUID(d) for d in scope.get("document_ids") or ()]
    return list(Document.objects.visible_to(user).filter(pk__in=ids)) if ids else []


def is_empty(user: User) -> bool:
    """Whether there is nothing yet that ``user`` could ask about."""
    return not Skill.objects.visible_to(user).findable().of_the_team().exists()
