"""What is known of folders as places of skills, on the admin site."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from documents.querysets import visible_folders
from kbsite.accounts.auth import person
from skills.admin.look import Look
from skills.models import BulkAction, FolderEvent, FolderPage, Move


class _OfFolder[M: Model](Look[M]):
    """Rows about a folder: those of folders that the curator may see."""

    of_skill = ""
    search_fields = ("folder__name",)
    list_select_related = ("folder",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """What is closed stays closed."""
        return super().get_queryset(request).filter(visible_folders(person(request)))


@admin.register(FolderPage)
class FolderPageAdmin(_OfFolder[FolderPage]):
    """Folders' own pages, and whether they could be made."""

    list_display = ("folder", "state", "reason", "made_from", "made_by", "made_at")
    exclude = (
        "abstract",
        "key_facts",
        "overview",
        "from_skills",
        "from_folders",
    )  # on the page, for whom it is
    list_filter = ("state",)


@admin.register(FolderEvent)
class FolderEventAdmin(_OfFolder[FolderEvent]):
    """What happened in folders."""

    list_display = ("folder", "what", "count", "actor", "at")
    exclude = ("names", "skills")  # they may lie in a closed folder by now
    list_filter = ("what",)
    date_hierarchy = "at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[FolderEvent]:
        """With who did it."""
        return super().get_queryset(request).select_related("actor")


@admin.register(Move)
class MoveAdmin(Look[Move]):
    """Skills that were moved together."""

    of_skill = ""
    list_display = ("at", "user", "target", "undone_at")
    search_fields = ("user__email", "target__name")
    list_select_related = ("user", "target")
    exclude = ("before", "documents", "followed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Move]:
        """Into folders that the curator may see, and the curator's own."""
        user = person(request)
        open_ones = visible_folders(user, "target_id") | Q(user=user)
        return super().get_queryset(request).filter(open_ones)


@admin.register(BulkAction)
class BulkActionAdmin(Look[BulkAction]):
    """Things done to many skills at once: one's own; admins see everybody's."""

    of_skill = ""
    list_display = ("at", "what", "user", "undone_at")
    list_filter = ("what",)
    search_fields = ("user__email",)
    list_select_related = ("user",)
    exclude = ("before",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkAction]:
        """What was done may name what is closed to others."""
        actions = super().get_queryset(request)
        user = person(request)
        return actions if user.can_administer else actions.filter(user=user)
