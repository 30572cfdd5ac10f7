"""Changed prompts in the admin site; texts are changed on the prompts page, which checks them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.auth import person
from kbsite.prompts import store
from kbsite.prompts.models import PromptOverride


@admin.register(PromptOverride)
class PromptOverrideAdmin(admin.ModelAdmin[PromptOverride]):
    """What curators have changed; deleting a row brings the shipped text back."""

    list_display = ["key", "version", "updated_by", "updated_at"]
    list_select_related = ["updated_by"]
    search_fields = ["key", "content"]
    readonly_fields = ["key", "content", "version", "updated_by", "updated_at"]
    actions = ["bring_back"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "can_curate", False))

    def has_view_permission(self, request: HttpRequest, obj: PromptOverride | None = None) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: PromptOverride | None = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: PromptOverride | None = None) -> bool:
        return False

    @admin.action(description=_("Bring the shipped text back"))
    def bring_back(self, request: HttpRequest, queryset: QuerySet[PromptOverride]) -> None:
        for row in queryset:
            store.reset(row.key, person(request))
