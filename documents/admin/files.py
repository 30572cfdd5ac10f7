"""Documents, their versions and runs on the admin site."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from documents import runs, trash
from documents.models import Document, DocumentVersion, IngestRun, UploadBatch
from documents.querysets import visible_folders
from kbsite.accounts.auth import person
from kbsite.look_only import LookOnly


class VersionsInline(admin.TabularInline[DocumentVersion, Document]):
    """A document's versions."""

    model = DocumentVersion
    fields = ("number", "size", "mime", "encoding", "language", "pages", "sha256", "created_at")
    readonly_fields = fields
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """By uploading."""
        return False


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin[Document]):
    """Files as they came in, those in the trash too."""

    list_display = ("title", "filename", "folder", "state", "step", "added_by", "created_at", "in_trash")
    list_filter = ("run__status", ("deleted_at", admin.EmptyFieldListFilter), "category", "created_at")
    list_select_related = ("folder", "run", "added_by")
    search_fields = ("title", "filename", "id")
    date_hierarchy = "created_at"
    fields = (
        "title",
        "filename",
        "category",
        "tags",
        "folder",
        "run",
        "added_by",
        "created_at",
        "deleted_at",
    )
    readonly_fields = ("filename", "folder", "run", "added_by", "created_at", "deleted_at")
    inlines = (VersionsInline,)
    actions = ("read_again", "put_in_trash", "take_out_of_trash")
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        """Those one may see."""
        return super().get_queryset(request).filter(visible_folders(person(request)))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """By uploading."""
        return False

    @admin.display(description=_("status"), ordering="run__status")
    def state(self, document: Document) -> str:
        """Of the newest run."""
        return str(document.run.get_status_display()) if document.run else ""

    @admin.display(description=_("step"), ordering="run__step")
    def step(self, document: Document) -> str:
        """Of the newest run."""
        return str(document.run.get_step_display()) if document.run else ""

    @admin.display(description=_("trash"), boolean=True, ordering="deleted_at")
    def in_trash(self, document: Document) -> bool:
        """Whether it was deleted."""
        return document.deleted_at is not None

    @admin.action(description=_("Read again"))
    def read_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Queue the newest run of each afresh."""
        queued = [document for document in queryset.select_related("run") if document.run]
        for document in queued:
            if document.run is not None:
                runs.retry(document.run)
        said = ngettext("%d document is queued again.", "%d documents are queued again.", len(queued))
        self.message_user(request, said % len(queued))

    @admin.action(description=_("Put in the trash"))
    def put_in_trash(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """With the skills that rest on them alone."""
        for document in queryset:
            trash.delete_document(document, person(request))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes to the trash: the documents, and nothing that hangs on them."""
        names = [str(document) for document in objs]
        return names, {self.opts.verbose_name_plural: len(names)}, set(), []

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        """To the trash, with the skills that rest on it alone."""
        trash.delete_document(obj, person(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """To the trash, one after the other."""
        self.put_in_trash(request, queryset)

    @admin.action(description=_("Take out of the trash"))
    def take_out_of_trash(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """With their skills."""
        for document in queryset.select_related("run"):
            trash.restore_document(document, person(request))


@admin.register(DocumentVersion)
class DocumentVersionAdmin(LookOnly, admin.ModelAdmin[DocumentVersion]):
    """What was read from each version; not changed by hand."""

    list_display = ("document", "number", "mime", "encoding", "language", "pages", "size", "created_at")
    list_filter = ("mime", "encoding", "language")
    list_select_related = ("document",)
    search_fields = ("document__title", "document__filename", "sha256")
    exclude = ("file", "page_starts")
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentVersion]:
        """Those one may see. Lists do without the texts."""
        mine = visible_folders(person(request), "document__folder_id")
        versions = super().get_queryset(request).filter(mine)
        is_list = request.resolver_match is None or "object_id" not in request.resolver_match.kwargs
        return versions.defer("markdown", "page_starts", "metadata") if is_list else versions


@admin.register(IngestRun)
class IngestRunAdmin(LookOnly, admin.ModelAdmin[IngestRun]):
    """Every reading of every version, with what came of it."""

    list_display = ("file", "status", "step", "needs", "code", "attempts", "why", "created_at", "finished_at")
    list_filter = ("status", "step", "needs", "code", "created_at")
    list_select_related = ("version__document",)
    search_fields = ("version__document__title", "version__document__filename", "reason", "id")
    date_hierarchy = "created_at"
    actions = ("retry",)
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[IngestRun]:
        """Those one may see."""
        mine = visible_folders(person(request), "version__document__folder_id")
        return super().get_queryset(request).filter(mine)

    @admin.display(description=_("file name"), ordering="version__document__filename")
    def file(self, run: IngestRun) -> SafeString:
        """A link to the document."""
        address = reverse("admin:documents_document_change", args=[run.version.document_id])
        return format_html('<a href="{}">{}</a>', address, run.version.document.filename)

    @admin.display(description=_("reason"))
    def why(self, run: IngestRun) -> str:
        """In the reader's language."""
        return run.why

    @admin.action(description=_("Retry"))
    def retry(self, request: HttpRequest, queryset: QuerySet[IngestRun]) -> None:
        """Queue those that have ended afresh."""
        ended = [run for run in queryset if run.is_final]
        for run in ended:
            runs.retry(run)
        self.message_user(
            request, ngettext("%d run is queued again.", "%d runs are queued again.", len(ended)) % len(ended)
        )


@admin.register(UploadBatch)
class UploadBatchAdmin(admin.ModelAdmin[UploadBatch]):
    """Files that came together."""

    list_display = ("id", "user", "files", "created_at")
    list_select_related = ("user",)
    date_hierarchy = "created_at"
    search_fields = ("user__email", "id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[UploadBatch]:
        """With the number of files."""
        return super().get_queryset(request).annotate(count=Count("runs"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """By uploading."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: UploadBatch | None = None) -> bool:
        """Nothing to change."""
        return False

    @admin.display(description=_("files"), ordering="count")
    def files(self, batch: Any) -> int:
        """How many."""
        return int(batch.count)
