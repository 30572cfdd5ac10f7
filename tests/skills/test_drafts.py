"""Drafts: kept while typing, offered on opening, seen by nobody else, gone once saved."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from kbsite.accounts.models import User
from skills import edit, tasks, trash
from skills.models import Draft, Skill
from tests.skills.conftest import Queue
from tests.skills.test_editor import opened, save, sent_back, text

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def keep(client: Client, skill_id: UUID | str, **values: str) -> Any:
    return client.post(f"/skills/new/draft/{skill_id}/", values)


def test_a_draft_of_a_skill(page: Client, write: Write, bob: User) -> None:
    """Kept, offered with what differs, gone on with, and gone once it is saved."""
    skill = write("A", "Start.\n")
    values = opened(page, skill) | {"content": "Typed.\n"}
    assert re.fullmatch(r"\d\d:\d\d", keep(page, skill.pk, **values).json()["at"])
    offered = page.get(f"/skills/{skill.slug}/edit/")
    assert "You have a draft from" in text(offered)
    assert "It differs in: Full text." in text(offered)
    assert sent_back(offered)["content"] == "Start.\n"
    resumed = opened(page, skill, "?draft=1")
    assert resumed["content"] == "Typed.\n"
    assert save(page, skill, resumed).status_code == 302
    skill.refresh_from_db()
    assert skill.content == "Typed.\n"
    assert not Draft.objects.exists()
    assert "You have a draft" not in text(page.get(f"/skills/{skill.slug}/edit/"))


def test_layers_that_the_model_wrote_meanwhile_stay(page: Client, write: Write, queue: Queue) -> None:
    """A draft begun before they were there does not take them back."""
    skill = write("A", "# A\n\nTrains first.\n", index=False)
    values = opened(page, skill) | {"description": "Typed."}
    assert values["abstract"] == ""
    keep(page, skill.pk, **values)
    queue.work()
    skill.refresh_from_db()
    written = skill.abstract
    assert written
    assert "It differs in: Description." in text(page.get(f"/skills/{skill.slug}/edit/"))
    resumed = opened(page, skill, "?draft=1")
    assert (resumed["abstract"], resumed["description"]) == (written, "Typed.")
    assert save(page, skill, resumed).status_code == 302
    skill.refresh_from_db()
    assert (skill.abstract, skill.description, skill.layers_by_hand) == (written, "Typed.", False)


def test_what_is_saved_already_is_no_draft(page: Client, write: Write) -> None:
    """Also when line ends differ; and typing it away again forgets the draft."""
    skill = write("A", "Start.\nMore.\n")
    values = opened(page, skill)
    keep(page, skill.pk, **values | {"content": "Other."})
    assert Draft.objects.count() == 1
    assert keep(page, skill.pk, **values | {"content": "Start.\r\nMore.\r\n"}).json() == {"at": ""}
    assert not Draft.objects.exists()
    assert keep(page, uuid4(), name=" ", content="", folder="unfiled").json() == {"at": ""}
    assert not Draft.objects.exists()


def test_a_draft_of_a_new_skill(page: Client, queue: Queue) -> None:
    """Under the id that it will have; listed, gone on with, gone once it is saved."""
    values = sent_back(page.get("/skills/new/")) | {"name": "Half", "content": "Typed."}
    keep(page, values["id"], **values)
    assert "You have 1 new skill that was not saved" in text(page.get("/skills/new/"))
    assert "Half" in text(page.get("/skills/new/drafts/"))
    resumed = sent_back(page.get(f"/skills/new/?draft={values['id']}"))
    assert (resumed["id"], resumed["content"]) == (values["id"], "Typed.")
    page.post("/skills/new/", resumed)
    assert Skill.objects.get().pk == UUID(values["id"])
    assert not Draft.objects.exists()


def test_a_draft_that_comes_after_its_new_skill_was_saved_is_none(
    page: Client, write: Write, queue: Queue
) -> None:
    """It says nothing that is not saved: the layers the model wrote since are no difference."""
    skill = write("Late", "# Late\n\nTrains first.\n", index=False)
    queue.work()
    skill.refresh_from_db()
    assert skill.abstract
    late = {"name": "Late", "content": "# Late\n\nTrains first.\n", "abstract": "", "overview": ""}
    assert keep(page, skill.pk, **late).json()["at"] == ""
    assert not Draft.objects.exists()


def test_a_draft_of_an_older_version_meets_the_newer(page: Client, write: Write, alice: User) -> None:
    """Saving it shows both versions."""
    skill = write("A", "Start.\n")
    keep(page, skill.pk, **opened(page, skill) | {"content": "Mine.\n"})
    edit.update_skill(skill.pk, alice, content="Hers.\n", tags=["hers"])
    assert "saved by somebody since" in text(page.get(f"/skills/{skill.slug}/edit/"))
    resumed = opened(page, skill, "?draft=1")
    assert (resumed["content"], resumed["tags"]) == ("Mine.\n", "hers")
    answer = save(page, skill, resumed)
    assert answer.status_code == 412
    assert [one.name for one in answer.context["both"].fields] == ["content"]
    assert "Hers." in text(answer)


def test_drafts_are_private(page: Client, write: Write, carol: User, dave: User) -> None:
    """Nobody else finds one; readers keep none; a closed skill has none."""
    skill = write("A", "Start.\n")
    new = uuid4()
    keep(page, skill.pk, content="Mine alone.")
    keep(page, new, name="Mine alone", content="x")
    other = Client()
    other.force_login(carol)
    assert "Mine alone" not in text(other.get(f"/skills/{skill.slug}/edit/"))
    assert "Mine alone" not in text(other.get("/skills/new/drafts/"))
    assert other.get(f"/skills/new/?draft={new}").status_code == 404
    assert other.post(f"/skills/new/draft/{new}/discard/").status_code == 404
    assert Draft.objects.count() == 2
    reader = Client()
    reader.force_login(dave)
    assert keep(reader, skill.pk, content="x").status_code == 403
    assert reader.get("/skills/new/drafts/").status_code == 403
    assert (
        Client()
        .post(f"/skills/new/draft/{new}/", {"content": "x"}, headers={"hx-request": "true"})
        .status_code
        == 401
    )


def test_no_draft_of_what_one_may_not_see_or_change(page: Client, write: Write, alice: User) -> None:
    """A hidden skill is denied; a system skill is refused; one that is deleted meanwhile goes on."""
    hidden = write("Hidden", index=False)
    trash.delete_skill(hidden.pk, alice)
    assert keep(page, hidden.pk, content="x").status_code == 404
    system = Skill.objects.create(slug="sys", name="S", type="system", status="approved")
    assert keep(page, system.pk, content="x").status_code == 403
    going = write("Going", index=False)
    keep(page, going.pk, content="one")
    trash.delete_skill(going.pk, alice)
    assert keep(page, going.pk, content="two").status_code == 200
    assert Draft.objects.get().values["content"] == "two"


def test_discarding(page: Client, write: Write) -> None:
    """Back to where it was asked; the skill is as it was."""
    skill = write("A", "Start.\n")
    keep(page, skill.pk, content="Typed.")
    answer = page.post(f"/skills/new/draft/{skill.pk}/discard/", {"next": "edit"})
    assert answer["Location"] == f"/skills/{skill.slug}/edit/"
    assert not Draft.objects.exists()
    keep(page, skill.pk, content="Typed.")
    assert page.post(f"/skills/new/draft/{skill.pk}/discard/")["Location"] == "/skills/new/drafts/"
    assert page.post(f"/skills/new/draft/{skill.pk}/discard/").status_code == 404


@pytest.mark.parametrize(
    "odd",
    [
        {"started": "["},
        {"started": "[]"},
        {"version": "x" * 99},
        {"content": "a\x00\ud800b"},
        {"version": "-1"},
    ],
)
def test_odd_requests_are_kept_as_far_as_they_can_be(page: Client, odd: dict[str, str]) -> None:
    """Never a failure."""
    odd = {name: value.encode("utf-8", "replace").decode() for name, value in odd.items()}
    assert keep(page, uuid4(), **{"name": "A", "content": "b"} | odd).status_code == 200
    assert "\x00" not in Draft.objects.get().values["content"]


def test_the_list_takes_a_fixed_number_of_queries(
    page: Client, write: Write, django_assert_max_num_queries: Any
) -> None:
    """Session, person, closed folders, drafts, their skills, tree."""
    skills = [write(f"S{n}", index=False) for n in range(5)]
    for skill in skills:
        keep(page, skill.pk, content="Typed.")
    for n in range(5):
        keep(page, uuid4(), name=f"N{n}")
    with django_assert_max_num_queries(9):
        shown = html.unescape(page.get("/skills/new/drafts/").content.decode())
    assert all(f"S{n}" in shown and f"N{n}" in shown for n in range(5))


def test_old_drafts_are_put_away(page: Client) -> None:
    """After 90 days."""
    old, new = uuid4(), uuid4()
    for one in (old, new):
        keep(page, one, content="x")
    Draft.objects.filter(skill_id=old).update(updated_at=timezone.now() - timedelta(days=91))
    tasks.tidy_writing()
    assert Draft.objects.get().skill_id == new
