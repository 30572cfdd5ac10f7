"""The vocabulary for asking about documents. Access is decided here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from tree_queries.query import TreeQuerySet

if TYPE_CHECKING:
    from documents.models import Document, IngestRun  # noqa: F401 - the querysets are theirs
    from kbsite.accounts.models import User

HIDDEN_FROM = """
SELECT f.id FROM documents_folder f, (
    SELECT g.folder_id AS id FROM documents_foldergrant g
    GROUP BY g.folder_id
    HAVING NOT bool_or(
        coalesce(g.user_id = %(user)s, false)
        OR coalesce(g.group_id IN (SELECT group_id FROM accounts_user_groups WHERE user_id = %(user)s), false)
    )
) closed JOIN documents_folder top USING (id)
WHERE f.place BETWEEN top.place AND top.reach
GROUP BY f.id
"""

INSIDE = """
SELECT f.id FROM documents_folder f, documents_folder top
WHERE top.id = %(folder)s AND f.place BETWEEN top.place AND top.reach
ORDER BY f.place
"""


def _ids(sql: str, **params: UUID) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [row[0] for row in cursor.fetchall()]


def folder_ids_inside(folder_id: UUID) -> list[UUID]:
    """The folder's own id and those of every folder under it, in the tree's order; none for none."""
    return _ids(INSIDE, folder=folder_id)


def hidden_folder_ids(user: User) -> list[UUID]:
    """Folders that grants close to ``user``; admins see all. One query, then kept on ``user``."""
    if user.role == "admin":
        return []
    known: list[UUID] | None = getattr(user, "_hidden_folder_ids", None)
    if known is None:
        known = _ids(HIDDEN_FROM, user=user.pk)
        user._hidden_folder_ids = known  # type: ignore[attr-defined]
    return known


def visible_folders(user: User, field: str = "folder_id") -> models.Q:
    """A condition on ``field`` (a folder id, null = unfiled) for what ``user`` may see."""
    condition = models.Q()
    if user.narrowed_to:
        condition &= models.Q(**{f"{field}__in": folder_ids_inside(user.narrowed_to)})
    if hidden := hidden_folder_ids(user):
        condition &= ~models.Q(**{f"{field}__in": hidden}) | models.Q(**{f"{field}__isnull": True})
    return condition


def inside(folder_id: UUID) -> models.QuerySet[Any]:
    """The ids of the folder and of every folder under it, for use inside another query."""
    folders: models.QuerySet[Any] = apps.get_model("documents", "Folder").objects.order_by()
    top = folders.filter(pk=folder_id)
    span = (models.Subquery(top.values("place")), models.Subquery(top.values("reach")))
    return folders.filter(place__range=span).values("pk")


class FolderQuerySet(TreeQuerySet):  # type: ignore[misc]
    """Folders."""

    def visible_to(self, user: User) -> Self:
        """The folders ``user`` may see."""
        return cast("Self", self.filter(visible_folders(user, "id")))


class DocumentQuerySet(models.QuerySet["Document"]):
    """Documents."""

    def visible_to(self, user: User) -> Self:
        """The documents ``user`` may see, without the trash."""
        return self.filter(visible_folders(user), deleted_at=None)

    def under(self, folder_id: UUID) -> Self:
        """Those in the folder or anywhere below it."""
        return self.filter(folder__in=inside(folder_id))


class IngestRunQuerySet(models.QuerySet["IngestRun"]):
    """Ingest runs."""

    def visible_to(self, user: User) -> Self:
        """Runs of documents that ``user`` may see."""
        return self.filter(
            visible_folders(user, "version__document__folder_id"), version__document__deleted_at=None
        )
