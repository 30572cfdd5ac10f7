"""The admin site: every model is there, every list opens, searches and filters."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

import kbsite.urls  # noqa: F401 -- the admin site fills itself when pages are loaded
from tests import people

pytestmark = pytest.mark.django_db

OURS = ("accounts", "llm", "prompts", "documents", "skills", "search", "chat", "quick_setup")
# What is kept only to find things quickly, or for a few minutes: rows that mean nothing to a person;
# and drafts, which are nobody's business but their writer's.
INNER = {"Term", "TermDelta", "LayerVector", "ListText", "PassageTerms", "Event", "Setup", "Draft"}
MODELS = [m for m in apps.get_models() if m._meta.app_label in OURS and m.__name__ not in INNER]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_every_model_has_a_list(model: type[Model], client: Client) -> None:
    """An admin can list, search and open the form for a new one where there is such a form."""
    assert admin.site.is_registered(model), f"{model.__name__} is not on the admin site"
    client.force_login(people.alice())
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    site = admin.site.get_model_admin(model)
    assert len(site.list_display) > 1, "a list that shows nothing but names"
    assert client.get(reverse(f"{place}_changelist")).status_code == 200
    if site.search_fields:
        assert client.get(reverse(f"{place}_changelist"), {"q": "文 % ' \""}).status_code == 200
    assert client.get(reverse(f"{place}_add")).status_code in (200, 403)


def test_no_page_of_the_admin_site_breaks_the_policy(client: Client) -> None:
    """The strict content policy holds there too, and nothing on the page needs more."""
    client.force_login(people.alice())
    page = client.get("/admin/")
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "<script>" not in page.content.decode()
