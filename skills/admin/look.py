"""Rows on the admin site that write themselves: seen there, changed nowhere."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from documents.querysets import visible_folders
from kbsite.accounts.auth import person
from kbsite.look_only import LookOnly


class Look[M: Model](LookOnly, admin.ModelAdmin[M]):
    """Rows that the pipeline makes: seen here, changed nowhere. ``of_skill`` leads to the skill."""

    of_skill = "skill"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Those of skills that the curator may see."""
        rows = super().get_queryset(request)
        condition = visible_folders(person(request), f"{self.of_skill}__folder_id")
        return rows.filter(condition) if self.of_skill else rows
