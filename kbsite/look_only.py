"""Rows that the admin site shows and nobody changes there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


class LookOnly:
    """Stands before ``ModelAdmin`` among the bases: no row is made, changed or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows write themselves."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They stay as they were written."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They go with what they are about."""
        return False
