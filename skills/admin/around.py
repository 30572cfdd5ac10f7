"""What belongs to skills, on the admin site: history, sources, relations, links, pictures, use."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from documents.querysets import visible_folders
from kbsite.accounts.auth import person
from skills.admin.look import Look
from skills.models import FormerName, Link, Picture, Relation, Revision, SkillUse, Source


@admin.register(Revision)
class RevisionAdmin(Look[Revision]):
    """History; restored on the skill's page."""

    list_display = ("skill", "number", "why", "author", "at")
    list_filter = ("at",)
    search_fields = ("skill__name", "reason")
    list_select_related = ("skill", "author")

    @admin.display(description=_("reason"))
    def why(self, row: Revision) -> str:
        """The reason, in the reader's language."""
        return row.why


@admin.register(Source)
class SourceAdmin(Look[Source]):
    """Which document version a skill rests on."""

    list_display = ("skill", "version", "start", "end")
    search_fields = ("skill__name", "version__document__title")
    list_select_related = ("skill", "version__document")


@admin.register(Relation)
class RelationAdmin(Look[Relation]):
    """Relations between skills."""

    of_skill = "source"
    list_display = ("source", "type", "target", "reason", "created_at")
    list_filter = ("type",)
    search_fields = ("source__name", "target__name", "reason")
    list_select_related = ("source", "target")

    def has_delete_permission(self, request: HttpRequest, obj: Relation | None = None) -> bool:
        """A wrong one can go."""
        return bool(person(request).can_curate)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Relation]:
        """Both ends have to be open to the curator."""
        target = visible_folders(person(request), "target__folder_id")
        return super().get_queryset(request).filter(target)


@admin.register(Link)
class LinkAdmin(Look[Link]):
    """Where skills name each other; broken ones have no target."""

    of_skill = "source"
    list_display = ("source", "label", "target", "document", "is_whole")
    list_filter = (("target", admin.EmptyFieldListFilter),)
    search_fields = ("label", "source__name", "target__name")
    list_select_related = ("source", "target", "document")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        """What is linked has to be open to the curator, too."""
        user = person(request)
        ends = visible_folders(user, "target__folder_id") & visible_folders(user, "document__folder_id")
        return super().get_queryset(request).filter(ends)

    @admin.display(description=_("leads somewhere"), boolean=True)
    def is_whole(self, link: Link) -> bool:
        """Whether what it names is there."""
        return bool(link.target_id or link.document_id)


@admin.register(FormerName)
class FormerNameAdmin(Look[FormerName]):
    """Names skills had; links that use them still lead there."""

    list_display = ("name", "skill", "until")
    search_fields = ("name", "skill__name")
    list_select_related = ("skill",)


@admin.register(SkillUse)
class SkillUseAdmin(Look[SkillUse]):
    """How often skills were opened, cited and read by the agent, day by day."""

    list_display = ("skill", "day", "kind", "count")
    list_filter = ("kind", "day")
    search_fields = ("skill__name",)
    list_select_related = ("skill",)
    ordering = ("-day", "-count", "-id")


@admin.register(Picture)
class PictureAdmin(Look[Picture]):
    """Pictures in texts: those in skills that the curator may see, and the curator's own."""

    of_skill = ""
    list_display = ("id", "mime", "width", "height", "size", "added_by", "created_at")
    list_filter = ("mime",)
    search_fields = ("=sha256", "=id")
    list_select_related = ("added_by",)
    exclude = ("file", "skills")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Picture]:
        """Who may see one of the skills may see the picture."""
        user = person(request)
        seen = Picture.skills.through.objects.filter(visible_folders(user, "skill__folder_id"))
        mine = Exists(seen.filter(picture_id=OuterRef("pk"))) | Q(added_by=user)
        return super().get_queryset(request).filter(mine)
