"""Models in the admin site: to look at; changes go through the models page, which tests them."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from kbsite.llm.models import EmbeddingSpace, ModelCall, Provider, PurposeModel
from kbsite.look_only import LookOnly


class _AdminsLook[M: (Provider, PurposeModel, EmbeddingSpace, ModelCall)](LookOnly, admin.ModelAdmin[M]):
    """Seen by admins, changed by nobody here."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "can_administer", False))

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return self.has_module_permission(request)


@admin.register(Provider)
class ProviderAdmin(_AdminsLook[Provider]):
    """Providers, without their keys."""

    list_display = ["name", "base_url", "created_at", "updated_at"]
    search_fields = ["name", "base_url"]
    exclude = ["key_encrypted"]


@admin.register(PurposeModel)
class PurposeModelAdmin(_AdminsLook[PurposeModel]):
    """What serves which purpose."""

    list_display = ["purpose", "model", "provider", "calls_tools", "takes_system"]
    list_select_related = ["provider"]


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(_AdminsLook[EmbeddingSpace]):
    """Embedding spaces, without their cohort."""

    list_display = ["model", "dimension", "provider", "state", "created_at"]
    list_filter = ["state"]
    list_select_related = ["provider"]
    exclude = ["cohort"]


@admin.register(ModelCall)
class ModelCallAdmin(_AdminsLook[ModelCall]):
    """What the models were asked, call by call."""

    list_display = [
        "at",
        "purpose",
        "model",
        "provider_name",
        "prompt_tokens",
        "completion_tokens",
        "latency_ms",
        "error",
    ]
    list_filter = ["purpose", "error", "model", "provider_name"]
    date_hierarchy = "at"
    search_fields = ["model", "provider_name", "error"]
