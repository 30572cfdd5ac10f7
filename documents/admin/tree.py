"""The tree of folders on the admin site: shown as a tree, moved where it stands."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents import folders
from documents.folder_trash import in_trash
from documents.models import Folder, FolderDeletion, FolderGrant
from documents.querysets import visible_folders
from kbsite.accounts import audit
from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, KnowledgeError
from kbsite.look_only import LookOnly

ROWS = 100
DEEPEST = 12  # steps a name is indented at most

Way = Literal["up", "down", "in", "out"]


class AdminsOnly:
    """Who sees what is decided by admins; curators would let themselves in."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins only."""
        return person(request).can_administer

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins only."""
        return person(request).can_administer

    has_change_permission = has_delete_permission = has_view_permission


class GrantsInline(AdminsOnly, admin.TabularInline[FolderGrant, Folder]):
    """Who may see a folder and what is under it; nobody named means everybody."""

    model = FolderGrant
    autocomplete_fields = ("user", "group")
    extra = 0


class FolderList(ChangeList):
    """The rows of a page, each with its ``depth`` in the tree, 0 at the top. One query more."""

    def get_results(self, request: HttpRequest) -> None:
        """The rows, and how deep each stands."""
        super().get_results(request)
        rows: list[Any] = list(self.result_list)
        depths = _depths(rows)
        for row in rows:
            row.depth = depths[row.pk]
        self.result_list = rows


def _depths(rows: list[Folder]) -> dict[UUID, int]:
    """How many folders each of ``rows`` is inside of. A walk in the order of places; one query."""
    if not rows:
        return {}
    first, last = min(row.place for row in rows), max(row.place for row in rows)
    around = Folder.objects.without_tree_fields().filter(place__lte=last, reach__gte=first)
    depths: dict[UUID, int] = {}
    above: list[int] = []  # the reach of each folder that the walk is inside of
    for pk, place, reach in around.order_by("place").values_list("pk", "place", "reach"):
        while above and above[-1] < place:
            above.pop()
        depths[pk] = len(above)
        above.append(reach)
    return depths


class FolderAdminForm(ModelForm[Folder]):
    """A folder's name, description, order and parent."""

    class Meta:
        model = Folder
        fields = ("name", "description", "sort_order", "parent")

    def clean(self) -> dict[str, Any]:
        """The values; a parent inside the folder itself is refused at its field."""
        values = super().clean() or self.cleaned_data
        parent = values.get("parent")
        if parent is not None and self.instance.place <= parent.place <= self.instance.reach:
            message = _("A folder can’t be moved into itself or a folder inside it.")
            self.add_error("parent", forms.ValidationError(message))
        elif parent is not None and parent.is_system:
            message = _("The root folder holds no folders. Leave the parent empty for the top.")
            self.add_error("parent", forms.ValidationError(message))
        return values


@admin.register(Folder)
class FolderAdmin(admin.ModelAdmin[Folder]):
    """The tree, in its order: each row can be moved up, down, into the one above, and out."""

    form = FolderAdminForm
    list_display = ("tree_name", "sort_order", "held", "moves")
    list_display_links = ("tree_name",)
    list_filter = ("is_system",)
    list_per_page = ROWS
    show_full_result_count = False
    ordering = ("place",)
    sortable_by = ()
    search_fields = ("name", "description")
    autocomplete_fields = ("parent",)
    inlines = (GrantsInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Folder]:
        """Those one may see, with the number of documents."""
        mine = super().get_queryset(request).filter(visible_folders(person(request), "id"))
        here = Q(documents__deleted_at=None)
        counted: QuerySet[Folder] = mine.annotate(held_count=Count("documents", filter=here))
        return counted

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Rows that know how deep they stand."""
        return FolderList

    def get_urls(self) -> list[URLPattern]:
        """Moving one, beside what every model has."""
        door = self.admin_site.admin_view(self.move)
        return [path("<uuid:folder_id>/move/", door, name="documents_folder_move"), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """On the documents page."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Folder | None = None) -> bool:
        """The root folder stays as it is."""
        return super().has_change_permission(request, obj) and (obj is None or not obj.is_system)

    def has_delete_permission(self, request: HttpRequest, obj: Folder | None = None) -> bool:
        """On the documents page, which says what becomes unfiled."""
        return False

    @admin.display(description=gettext_lazy("name"))
    def tree_name(self, folder: Any) -> SafeString:
        """The name, indented as deep as it stands."""
        deep = min(getattr(folder, "depth", 0), DEEPEST)
        name = folder.shown
        return format_html(
            '<span class="in-tree depth-{}" id="f-{}" dir="auto">{}</span>', deep, folder.pk, name
        )

    @admin.display(description=gettext_lazy("documents"))
    def held(self, folder: Any) -> int:
        """How many documents lie in it."""
        return int(folder.held_count)

    @admin.display(description=gettext_lazy("move"))
    def moves(self, folder: Any) -> str:
        """Buttons that move it; none for the root folder."""
        if folder.is_system:
            return ""
        address = reverse("admin:documents_folder_move", args=[folder.pk])
        return render_to_string("admin/documents/moves.html", {"folder": folder, "address": address})

    def move(self, request: HttpRequest, folder_id: UUID) -> HttpResponse:
        """Move a folder one step; what its rules forbid is said."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        user = person(request)
        try:
            folder = folders.find(folder_id, user)
            if folder is not None:
                step(folder, user, request.POST.get("how", ""))
        except KnowledgeError as error:
            self.message_user(request, str(error), messages.ERROR)
        back = reverse("admin:documents_folder_changelist")
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return HttpResponseRedirect(f"{back}{query}#f-{folder_id}")

    def save_model(self, request: HttpRequest, obj: Folder, form: Any, change: bool) -> None:
        """By the tree's own verbs, where its rules hold."""
        user, given = person(request), form.cleaned_data
        folder = Folder.objects.get(pk=obj.pk)
        order = given["sort_order"] if "sort_order" in form.changed_data else None
        folders.rename(folder, user, given["name"], description=given["description"], sort_order=order)
        if "parent" in form.changed_data:
            parent = given["parent"]
            folders.move(folder, user, parent.pk if parent else None, sort_order=order)
        audit.record(user, "folder.changed", str(folder.pk), name=folder.name, fields=form.changed_data)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """The form; what the tree refuses only when saving is said above it, and nothing is saved."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except (Conflict, InvalidInput) as error:
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())


def step(folder: Folder, user: User, how: str) -> None:
    """Move ``folder`` up or down among its siblings, into the one above it, or out beside its parent.

    At an end nothing happens. Raises NotAllowed, NotFound, InvalidInput, Conflict.
    """
    seen = Folder.objects.visible_to(user).filter(is_system=False)
    siblings = list(seen.filter(parent=folder.parent_id).order_by("place").values_list("pk", flat=True))
    at = siblings.index(folder.pk) if folder.pk in siblings else 0
    above = siblings[at - 1] if at else None
    below = siblings[at + 1] if at + 1 < len(siblings) else None
    where: dict[str, Any] | None
    if how == "up":
        where = {"parent_id": folder.parent_id, "before": above} if above else None
    elif how == "down":
        where = {"parent_id": folder.parent_id, "after": below} if below else None
    elif how == "in":
        where = {"parent_id": above} if above else None
    elif how == "out":
        parent = seen.filter(pk=folder.parent_id).first()
        where = {"parent_id": parent.parent_id, "after": parent.pk} if parent else None
    else:
        raise InvalidInput(_("A folder moves up, down, in or out."))
    folders.may_change(folder, user)
    if where is not None:
        folders.move(folder, user, **where)
        audit.record(user, "folder.moved", str(folder.pk), name=folder.name, how=how)


@admin.register(FolderGrant)
class FolderGrantAdmin(AdminsOnly, admin.ModelAdmin[FolderGrant]):
    """Who may see which folder."""

    list_display = ("folder", "user", "group")
    list_select_related = ("folder", "user", "group")
    autocomplete_fields = ("folder", "user", "group")
    search_fields = ("folder__name", "user__email", "group__name")


@admin.register(FolderDeletion)
class FolderDeletionAdmin(LookOnly, admin.ModelAdmin[FolderDeletion]):
    """Folders in the trash; put back from the trash's page."""

    list_display = ("name", "where", "user", "at")
    list_select_related = ("user",)
    search_fields = ("name",)
    date_hierarchy = "at"
    fields = ("name", "where", "user", "at")
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[FolderDeletion]:
        """Those that were open to all, and one's own; admins see every one."""
        return super().get_queryset(request).filter(pk__in=in_trash(person(request)).values("pk"))

    @admin.display(description=gettext_lazy("path"))
    def where(self, deletion: FolderDeletion) -> str:
        """The folders on the way down to it."""
        return " › ".join(deletion.path)
