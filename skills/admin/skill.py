"""Skills on the admin site. Saving there goes the same way as saving anywhere."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from documents.querysets import visible_folders
from kbsite.accounts.auth import person
from kbsite.exceptions import InvalidInput
from skills import edit, review, trash
from skills.admin.curating import Curating
from skills.fields import CLEANERS, clean
from skills.models import Skill, Source


class SkillAdminForm(ModelForm[Skill]):
    """A skill's own fields, checked as everywhere. ``seen_version`` is the one the person started from."""

    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Skill
        fields = (*CLEANERS, "folder")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "seen_version" in self.fields:
            self.initial["seen_version"] = self.instance.version

    def clean(self) -> dict[str, Any]:
        """The cleaned values; what can't be used is said at its field, what was saved meanwhile above."""
        values = super().clean() or self.cleaned_data
        if values.get("seen_version") not in (None, self.instance.version):
            message = _(
                "Somebody saved this skill while you were editing it. Copy what you wrote, load it again."
            )
            self.add_error(None, message)
        for name in CLEANERS:
            try:
                clean({name: values.get(name)})
            except InvalidInput as error:
                self.add_error(name if name in self.fields else None, str(error))
        return values


class TrashFilter(admin.SimpleListFilter):
    """What is in the trash is only shown when asked for."""

    title = _("trash")
    parameter_name = "trash"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """One choice beside "all", which means those that are not in the trash."""
        return [("yes", _("In the trash"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Without the trash, or only the trash."""
        gone = queryset.exclude(deleted_at=None)
        return gone if self.value() == "yes" else queryset.filter(deleted_at=None)


class SourceInline(admin.TabularInline[Source, Skill]):
    """What a skill rests on."""

    model = Source
    extra = 0
    can_delete = False
    fields = readonly_fields = ("version", "start", "end")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Sources come from reading documents."""
        return False


@admin.register(Skill)
class SkillAdmin(Curating):
    """Skills: found, sorted, approved, indexed again, edited."""

    form = SkillAdminForm
    list_display = (
        *("name", "type", "category", "status", "index_state", "folder", "priority"),
        *("active_count", "updated_at"),
    )
    list_filter = ("status", "index_state", "type", "category", "is_active", "language", TrashFilter)
    search_fields = ("name", "slug", "description", "abstract", "tags")
    list_select_related = ("folder",)
    date_hierarchy = "updated_at"
    list_per_page = 50
    show_full_result_count = False
    ordering = ("-updated_at", "-id")
    inlines = (SourceInline,)
    actions = (
        *("approve", "mark_checked", "reject", "index_again", "change_tags", "merge_two", "export_them"),
        "take_out_of_the_trash",
    )
    change_list_template = "admin/skills/change_list.html"
    readonly_fields = (
        *("uri", "slug", "type", "status", "version", "author", "language", "index_state", "index_reason"),
        *("attempts", "active_count", "last_used_at", "helpful", "harmful", "created_at", "updated_at"),
    )
    fieldsets = (
        (None, {"fields": ("name", "description", "category", "folder", "priority", "tags", "is_active")}),
        (_("Layers"), {"fields": ("abstract", "overview", "content", "seen_version")}),
        (_("For agents"), {"fields": ("trigger_keywords", "trigger_intents", "always_apply", "config")}),
        (_("State"), {"fields": readonly_fields, "classes": ("collapse",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Skill]:
        """What the curator may see, the trash included."""
        return super().get_queryset(request).filter(visible_folders(person(request)))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Folders the curator may see, and room to write."""
        if db_field.name == "folder":
            kwargs["queryset"] = db_field.related_model.objects.visible_to(person(request))
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name in ("content", "overview"):
            field.widget = forms.Textarea(attrs={"rows": 20, "cols": 100})
            field.strip = False
        return field

    def has_change_permission(self, request: HttpRequest, obj: Skill | None = None) -> bool:
        """System skills are read."""
        return super().has_change_permission(request, obj) and (obj is None or obj.is_editable)

    def has_delete_permission(self, request: HttpRequest, obj: Skill | None = None) -> bool:
        """System skills stay."""
        return super().has_delete_permission(request, obj) and (obj is None or obj.is_editable)

    def save_model(self, request: HttpRequest, obj: Skill, form: Any, change: bool) -> None:
        """By the one path: a revision, the audit trail, a new index."""
        given: dict[str, Any] = {
            name: form.cleaned_data[name] for name in form.changed_data if name in CLEANERS
        }
        folder = form.cleaned_data["folder"]
        if "folder" in form.changed_data:
            given["folder_id"] = folder.pk if folder else None
        if change:
            seen = form.cleaned_data.get("seen_version")
            edit.update_skill(obj.pk, person(request), expected=seen, **given)
        else:
            made = edit.create_skill(person(request), id=obj.pk, **given)
            obj.slug = made.slug

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes to the trash: the skills, and nothing that hangs on them."""
        names = [str(skill) for skill in objs]
        return names, {self.opts.verbose_name_plural: len(names)}, set(), []

    def delete_model(self, request: HttpRequest, obj: Skill) -> None:
        """To the trash."""
        trash.delete_skill(obj.pk, person(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """To the trash, one after the other; system skills stay."""
        for skill_id in queryset.exclude(type=Skill.Type.SYSTEM).filter(deleted_at=None).values_list("pk"):
            trash.delete_skill(skill_id[0], person(request))

    def _decide(self, request: HttpRequest, queryset: QuerySet[Skill], status: str) -> None:
        count = review.set_status(queryset.values_list("pk", flat=True), person(request), status)
        self.message_user(request, ngettext("%d skill changed.", "%d skills changed.", count) % count)

    @admin.action(description=_("Approve"))
    def approve(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """They are found."""
        self._decide(request, queryset, Skill.Status.APPROVED)

    @admin.action(description=_("Mark as checked by a person"))
    def mark_checked(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """They are found, and somebody vouches for them."""
        self._decide(request, queryset, Skill.Status.CHECKED)

    @admin.action(description=_("Reject"))
    def reject(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """They are no longer found."""
        self._decide(request, queryset, Skill.Status.REJECTED)

    @admin.action(description=_("Index again"))
    def index_again(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """Passages, vectors and words are made anew."""
        count = review.index_again(queryset.values_list("pk", flat=True), person(request))
        self.message_user(request, ngettext("%d skill queued.", "%d skills queued.", count) % count)

    @admin.action(description=_("Take out of the trash"))
    def take_out_of_the_trash(self, request: HttpRequest, queryset: QuerySet[Skill]) -> None:
        """They are back where they were."""
        gone = queryset.exclude(deleted_at=None).values_list("pk", flat=True)
        for skill_id in list(gone):
            trash.undelete_skill(skill_id, person(request))
        self.message_user(request, _("They are back."), messages.SUCCESS)
