"""People, keys and the audit trail on the admin site (admins only)."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.models import ApiKey, AuditEntry, User
from kbsite.look_only import LookOnly


class PersonCreationForm(AdminUserCreationForm[User]):
    """A new person: address, name, role and a first password."""

    class Meta:
        model = User
        fields = ("email", "name", "role")


class PersonChangeForm(UserChangeForm[User]):
    """What an admin may change about a person."""

    class Meta:
        model = User
        fields = "__all__"


@admin.register(User)
class PersonAdmin(BaseUserAdmin[User]):
    """People."""

    form = PersonChangeForm
    add_form = PersonCreationForm
    list_display = ("email", "name", "role", "is_active", "last_login", "date_joined")
    list_filter = ("role", "is_active", "groups")
    search_fields = ("email", "name")
    ordering = ("email",)
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ("groups",)
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        (_("Person"), {"fields": ("name", "language", "theme")}),
        (_("Access"), {"fields": ("role", "is_active", "groups")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("email", "name", "role", "usable_password", "password1", "password2")}),
    )


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin[ApiKey]):
    """Keys: seen and revoked here, made by their owners."""

    list_display = ("name", "user", "prefix", "read_only", "created_at", "last_used_at", "revoked_at")
    list_filter = ("read_only", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "prefix", "user__email")
    list_select_related = ("user",)
    actions = ("revoke_keys",)
    exclude = ("digest",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only the owner ever sees a key, so only the owner makes one."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        """A key is revoked, not changed."""
        return obj is None and super().has_change_permission(request, obj)

    @admin.action(description=_("Revoke the selected keys"))
    def revoke_keys(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """Stop the keys from working."""
        queryset.filter(revoked_at=None).update(revoked_at=timezone.now())


@admin.register(AuditEntry)
class AuditEntryAdmin(LookOnly, admin.ModelAdmin[AuditEntry]):
    """The audit trail: read only."""

    list_display = ("at", "actor", "action", "target")
    list_filter = ("action",)
    search_fields = ("target", "actor__email")
    list_select_related = ("actor",)
    date_hierarchy = "at"
