"""What Django itself can find fault with."""

from __future__ import annotations

from django.contrib import admin
from django.core.checks import run_checks
from django.urls import get_resolver

from kbsite.celery import app


def test_system_checks_find_nothing() -> None:
    """With all pages and the admin loaded, Django's checks pass without a warning."""
    assert get_resolver().url_patterns
    assert len(admin.site._registry) > 10
    assert run_checks() == []


def test_every_scheduled_task_exists() -> None:
    """What beat sends by name is a task that workers know."""
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled - set(app.tasks) == set()
