"""Skills on the admin site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit
from skills.models import Relation, Skill
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")
MODELS = (
    "skill",
    "passage",
    "revision",
    "source",
    "relation",
    "layervector",
    "passageterms",
    "term",
    "termdelta",
)


@pytest.fixture
def site(carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client


def act(site: Client, action: str, *skills: Skill) -> None:
    picked = {"action": action, "_selected_action": [str(skill.pk) for skill in skills]}
    assert site.post(reverse("admin:skills_skill_changelist"), picked).status_code == 302


def values_of(site: Client, skill: Skill) -> dict[str, Any]:
    form = site.get(reverse("admin:skills_skill_change", args=[skill.pk])).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    values |= {name: ",".join(values[name]) for name in ("tags", "trigger_keywords", "trigger_intents")}
    inline = {"sources-TOTAL_FORMS": "0", "sources-INITIAL_FORMS": "0"}
    return {name: value for name, value in (values | inline).items() if value not in (None, False)}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_listed_and_searched(site: Client, write: Write, model: str) -> None:
    """With rows in it."""
    skill = write()
    Relation.objects.create(source=skill, target=write("Other"), type="complement")
    response = site.get(reverse(f"admin:skills_{model}_changelist"), {"q": "1" if model == "term" else ""})
    assert response.status_code == 200


def test_saving_there_is_saving_anywhere(site: Client, write: Write, queue: Queue) -> None:
    """A revision, a version, a new index."""
    skill = write("A", "Old.\n")
    values = values_of(site, skill) | {"content": "New.\n"}
    response = site.post(reverse("admin:skills_skill_change", args=[skill.pk]), values)
    assert response.status_code == 302, response.context["errors"]
    skill.refresh_from_db()
    assert (skill.content, skill.version, skill.index_state) == ("New.\n", 2, "queued")
    assert skill.revisions.count() == 2
    values["name"] = " "
    assert site.post(reverse("admin:skills_skill_change", args=[skill.pk]), values).status_code == 200


def test_what_was_saved_meanwhile_is_not_overwritten(site: Client, write: Write, bob: User) -> None:
    """Neither by a form that was open for long; it says so, with what was typed."""
    skill = write("A", "Old.\n", index=False)
    values = values_of(site, skill) | {"description": "Mine."}
    edit.update_skill(skill.pk, bob, content="Theirs.")
    response = site.post(reverse("admin:skills_skill_change", args=[skill.pk]), values)
    assert response.status_code == 200
    assert "Somebody saved this skill" in response.content.decode()
    skill.refresh_from_db()
    assert (skill.content.strip(), skill.description) == ("Theirs.", "")


def test_a_skill_is_made_there(site: Client, queue: Queue) -> None:
    """As with the form on the page."""
    values = {"name": "Made", "content": "Text.", "category": "knowledge", "priority": "5", "is_active": "on"}
    inline = {"sources-TOTAL_FORMS": "0", "sources-INITIAL_FORMS": "0", "config": "{}"}
    response = site.post(reverse("admin:skills_skill_add"), values | inline)
    assert response.status_code == 302, response.context["errors"]
    skill = Skill.objects.get()
    assert (skill.slug, skill.priority, skill.index_state) == ("made", 5, "queued")


def test_actions(site: Client, write: Write, queue: Queue, django_capture_on_commit_callbacks: Any) -> None:
    """Check, reject, approve, index again, delete and back."""
    skill, unfinished = write("A"), write("B", index=False)
    queue.sent.clear()
    for action, status in (("mark_checked", "checked"), ("reject", "rejected"), ("approve", "approved")):
        act(site, action, skill, unfinished)
        skill.refresh_from_db()
        unfinished.refresh_from_db()
        assert (skill.status, unfinished.status) == (status, "pending")
    with django_capture_on_commit_callbacks(execute=True):
        act(site, "index_again", skill)
    assert queue.sent == [("skills.refresh", [str(skill.pk)])]
    site.post(reverse("admin:skills_skill_delete", args=[skill.pk]), {"post": "yes"})
    skill.refresh_from_db()
    assert skill.deleted_at is not None
    listed = site.get(reverse("admin:skills_skill_changelist"), {"trash": "yes"})
    assert skill.name in listed.content.decode()
    picked = {"action": "take_out_of_the_trash", "_selected_action": [str(skill.pk)]}
    site.post(reverse("admin:skills_skill_changelist") + "?trash=yes", picked)
    skill.refresh_from_db()
    assert skill.deleted_at is None


def test_what_is_closed_to_a_curator_is_closed_there_too(site: Client, write: Write, bob: User) -> None:
    """B50: lists, pages and actions."""
    closed = Folder.objects.create(name="Closed")
    skill = write("Secret", folder_id=closed.pk)
    FolderGrant.objects.create(folder=closed, user=bob)
    for model in ("skill", "passage", "revision", "layervector"):
        assert "Secret" not in site.get(reverse(f"admin:skills_{model}_changelist")).content.decode()
    assert site.get(reverse("admin:skills_skill_change", args=[skill.pk])).status_code == 302
    act(site, "reject", skill)
    skill.refresh_from_db()
    assert skill.status == "approved"


def test_system_skills_are_looked_at(site: Client, write: Write) -> None:
    """No form for them."""
    skill = write()
    Skill.objects.update(type="system")
    assert site.post(reverse("admin:skills_skill_change", args=[skill.pk]), {"name": "x"}).status_code == 403
    assert (
        site.post(reverse("admin:skills_skill_delete", args=[skill.pk]), {"post": "yes"}).status_code == 403
    )


def test_editors_have_no_admin_site(bob: User) -> None:
    """It is for curators."""
    client = Client()
    client.force_login(bob)
    assert client.get(reverse("admin:skills_skill_changelist")).status_code == 302
