"""The list of skills and the page of one, as people use them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from documents.models import Folder, FolderGrant
from documents.upload import FileReceipt
from kbsite.accounts.models import User
from skills import edit, parts
from skills.models import Skill
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")  # without an admin every page leads to set-up
NOTES = """# 差旅报销

先申请，再出差。

## 票据

- 电子发票
- 行程单

| 城市 | 上限 |
|---|---|
| 上海 | 500 |
"""


@pytest.fixture
def reader(dave: User) -> Client:
    client = Client()
    client.force_login(dave)
    return client


def text(response: Any) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_a_skill_is_shown_in_layers(page: Client, write: Write) -> None:
    """Abstract and overview open, the full text on demand, with path, source and history."""
    skill = write("差旅报销", NOTES, tags=["hr"])
    response = page.get(f"/skills/{skill.slug}/")
    shown = text(response)
    assert response.status_code == 200
    assert f"sk://skills/{skill.slug}" in shown
    assert skill.abstract[:20] in shown
    assert "Open the full text" in shown
    assert "行程单</li>" not in response.content.decode().split('id="l2"')[1]
    opened = page.get(f"/skills/{skill.slug}/?full=1").content.decode()
    assert "行程单</li>" in opened
    partial = page.get(f"/skills/{skill.slug}/content/", headers={"hx-request": "true"}).content.decode()
    assert "行程单</li>" in partial
    assert "<html" not in partial


def test_a_cited_passage_opens_marked(page: Client, write: Write) -> None:
    """Exactly that passage, through list and table, with the anchor that the link names."""
    skill = write("差旅报销", NOTES)
    passage = skill.passages.last()
    assert passage is not None
    shown = page.get(f"/skills/{skill.slug}/?passage={passage.pk}").content.decode()
    marked = re.findall(r"<mark[^>]*>(.*?)</mark>", shown, re.S)
    assert marked == ["票据", "电子发票", "行程单", "城市", "上限", "上海", "500"]
    assert shown.count(f'id="p-{passage.pk}"') == 1


def test_a_passage_that_is_gone_is_said_to_be_gone(page: Client, write: Write) -> None:
    """The text is shown all the same; nonsense in the address does no harm."""
    skill, other = write("A", NOTES), write("B", "Other.")
    foreign = other.passages.get()
    for passage in (foreign.pk, "nonsense", ""):
        shown = page.get(f"/skills/{skill.slug}/?passage={passage}")
        assert "has changed since" in text(shown)
        assert "<mark" not in shown.content.decode()


def test_a_passage_of_an_older_text_is_found_by_its_words(page: Client, write: Write, bob: User) -> None:
    """While the new index is being made, links to the old passages still open them."""
    skill = write("A", NOTES)
    passage = skill.passages.last()
    assert passage is not None
    edit.update_skill(skill.pk, bob, content="A new first line.\n\n" + NOTES)
    shown = page.get(f"/skills/{skill.slug}/?passage={passage.pk}").content.decode()
    assert "行程单</mark>" in shown


def test_a_long_text_is_shown_in_parts(page: Client, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A book opens as fast as a chapter, at the passage's own part."""
    monkeypatch.setattr(parts, "PART", 400)
    monkeypatch.setattr(parts, "ALL_AT_ONCE", 600)
    chapters = [f"## 第 {n} 章\n\n" + f"第{n}条规定员工出差的标准。" * 12 + "\n\n" for n in range(12)]
    skill = write("Long", "".join(chapters), abstract="Short.", overview="Short.")
    shown = page.get(f"/skills/{skill.slug}/?full=1").content.decode()
    assert "第0条" in shown
    assert "第9条" not in shown
    assert "?part=2#l2" in shown
    passage = skill.passages.last()
    assert passage is not None
    opened = page.get(f"/skills/{skill.slug}/?passage={passage.pk}").content.decode()
    assert "第11条" in opened
    assert "第0条" not in opened
    assert "<mark" in opened
    assert page.get(f"/skills/{skill.slug}/?part=999").status_code == 200


def test_opening_counts_as_a_use(page: Client, write: Write) -> None:
    """Lists and edit forms do not."""
    skill = write()
    page.get("/skills/")
    page.get(f"/skills/{skill.slug}/edit/")
    assert Skill.objects.get().active_count == 0
    page.get(f"/skills/{skill.slug}/")
    assert Skill.objects.get().active_count == 1


def test_readers_see_what_can_be_found_and_editors_the_rest(
    page: Client, reader: Client, write: Write
) -> None:
    """Unfinished ones with their state; what is closed is 404."""
    skill = write("Unfinished", index=False)
    assert "Being indexed" in text(page.get("/skills/"))
    assert reader.get(f"/skills/{skill.slug}/").status_code == 404
    assert "Unfinished" not in text(reader.get("/skills/"))
    Skill.objects.update(index_state="failed", index_reason="The model does not answer.")
    shown = page.get(f"/skills/{skill.slug}/")
    assert "The model does not answer." in text(shown)
    assert reverse("skills:retry", args=[skill.slug]) in shown.content.decode()


def test_the_state_refreshes_the_page_once_it_is_ready(page: Client, write: Write, queue: Queue) -> None:
    """Progress without a reload."""
    skill = write(index=False)
    waiting = page.get(f"/skills/{skill.slug}/state/", headers={"hx-request": "true"})
    assert "hx-get" in waiting.content.decode()
    assert "HX-Refresh" not in waiting
    queue.work()
    assert page.get(f"/skills/{skill.slug}/state/")["HX-Refresh"] == "true"


def test_writing_a_skill(page: Client, bob: User, queue: Queue) -> None:
    """Form, skill, page; the same form again makes no second one."""
    folder = Folder.objects.create(name="Travel")
    form = page.get(f"/skills/new/?folder={folder.pk}").content.decode()
    assert f'value="{folder.pk}" selected' in form
    made = re.search(r'name="id" value="([^"]+)"', form)
    assert made
    values = {
        "id": made[1],
        "name": "差旅",
        "content": "先申请。\r\n再出差。",
        "category": "knowledge",
        "priority": "7",
        "tags": "hr、travel, hr",
        "folder": str(folder.pk),
    }
    for _ in range(2):
        response = page.post("/skills/new/", values)
        assert response.status_code == 302
    skill = Skill.objects.get()
    assert response["Location"] == reverse("skills:skill", args=["差旅"])
    assert (skill.content, skill.tags, skill.folder, skill.priority) == (
        "先申请。\n再出差。",
        ["hr", "travel"],
        folder,
        7,
    )


def test_a_form_with_a_mistake_keeps_what_was_typed(page: Client) -> None:
    """The sentence stands at the field."""
    values = {
        "name": "",
        "content": "Long typed text",
        "category": "knowledge",
        "priority": "1",
        "id": str(Skill().pk),
    }
    response = page.post("/skills/new/", values)
    assert response.status_code == 422
    assert "Long typed text" in text(response)


def edit_values(client: Client, skill: Skill) -> dict[str, str]:
    """What a browser would send back from the edit form as it is."""
    response = client.get(f"/skills/{skill.slug}/edit/")
    form = response.context["form"]
    return {
        name: str(form[name].value() if form[name].value() is not None else "") for name in form.fields
    } | {"tags": ", ".join(skill.tags)}


def test_editing_a_skill(page: Client, write: Write) -> None:
    """Only what was changed changes; layers nobody touched are not taken as written by hand."""
    skill = write("差旅报销", NOTES)
    values = edit_values(page, skill)
    values["content"] = values["content"].replace("\n", "\r\n") + "More.\r\n"
    assert page.post(f"/skills/{skill.slug}/edit/", values).status_code == 302
    skill.refresh_from_db()
    assert skill.content == NOTES + "More.\n"
    assert not skill.layers_by_hand
    assert skill.version == 2


def test_two_people_editing_lose_nothing(page: Client, write: Write, alice: User) -> None:
    """The second sees both texts; saving again is then their decision."""
    skill = write("A", "Start.\n")
    values = edit_values(page, skill)
    edit.update_skill(skill.pk, alice, content="Hers.\n")
    values["content"] = "Mine.\n"
    response = page.post(f"/skills/{skill.slug}/edit/", values)
    assert response.status_code == 412
    assert "Hers." in text(response)
    assert "Mine." in text(response)
    assert "Alice saved this skill" in text(response)
    values["version"] = response.context["form"]["version"].value()
    assert page.post(f"/skills/{skill.slug}/edit/", values).status_code == 302
    skill.refresh_from_db()
    assert skill.content == "Mine.\n"


def test_adding_moving_deleting_and_back(page: Client, write: Write) -> None:
    """Each says what it did; moving and deleting can be undone from there."""
    folder = Folder.objects.create(name="Travel")
    skill = write("A", "Start.")
    page.post(f"/skills/{skill.slug}/append/", {"content": "More."})
    page.post(f"/skills/{skill.slug}/move/", {"folder": str(folder.pk)})
    skill.refresh_from_db()
    assert (skill.content, skill.folder) == ("Start.\n\nMore.\n", folder)
    shown = page.get(f"/skills/{skill.slug}/").content.decode()
    undo = re.search(r'action="(/skills/undo/[^"]+)"', shown)
    assert undo
    page.post(undo[1])
    skill.refresh_from_db()
    assert skill.folder is None
    response = page.post(f"/skills/{skill.slug}/delete/", follow=True)
    undo = reverse("skills:undelete", args=[skill.pk])
    assert undo in response.content.decode()
    assert page.get(f"/skills/{skill.slug}/").status_code == 404
    page.post(undo)
    assert page.get(f"/skills/{skill.slug}/").status_code == 200
    page.post(f"/skills/{skill.slug}/restore/1/")
    skill.refresh_from_db()
    assert skill.content == "Start."


def test_readers_get_no_forms(reader: Client, write: Write) -> None:
    """Neither links to them nor the pages."""
    skill = write()
    shown = reader.get(f"/skills/{skill.slug}/").content.decode()
    assert "/edit/" not in shown
    for path in ("new/", f"{skill.slug}/edit/", f"{skill.slug}/append/", f"{skill.slug}/move/"):
        assert reader.get(f"/skills/{path}").status_code == 403
    assert reader.post(f"/skills/{skill.slug}/delete/").status_code == 403


def test_what_is_closed_to_a_person_is_404_on_every_page(page: Client, write: Write, carol: User) -> None:
    """B50: page, full text, state, history, forms."""
    closed = Folder.objects.create(name="Closed")
    skill = write(folder_id=closed.pk)
    FolderGrant.objects.create(folder=closed, user=carol)
    for path in ("", "content/", "state/", "history/", "edit/", "append/", "move/"):
        assert page.get(f"/skills/{skill.slug}/{path}").status_code == 404, path
    assert skill.name not in text(page.get("/skills/"))


def test_strangers_are_sent_to_sign_in(write: Write) -> None:
    """And come back to where they wanted to go."""
    skill = write()
    response = Client().get(f"/skills/{skill.slug}/")
    assert response.status_code == 302
    assert response["Location"].startswith("/login/?next=/skills/")


def test_the_list_narrows_and_teaches(page: Client, write: Write) -> None:
    """Filters are in the address; an empty list says what to do."""
    assert "No skills yet" in text(page.get("/skills/"))
    folder = Folder.objects.create(name="Travel")
    write("差旅报销", NOTES, tags=["hr"], folder_id=folder.pk)
    write("Deploy", "Run it.", category="workflow")
    shown = text(page.get("/skills/"))
    assert "差旅报销" in shown
    assert "Deploy" in shown
    for query in (
        "?q=差旅",
        "?tag=hr",
        f"?folder={folder.pk}",
        "?category=knowledge&type=user&status=approved",
    ):
        shown = text(page.get(f"/skills/{query}"))
        assert "差旅报销" in shown, query
        assert "Deploy" not in shown, query
    assert "No skill fits" in text(page.get("/skills/?q=nothing"))
    rows = page.get("/skills/?q=差旅", headers={"hx-request": "true"}).content.decode()
    assert '<div id="rows">' in rows
    assert "<html" not in rows
    for nonsense in ("?page=x", "?page=999", "?order=luck", "?type=poem", "?folder=x"):
        assert page.get(f"/skills/{nonsense}").status_code == 200


def test_the_list_takes_the_same_queries_however_long(
    page: Client, write: Write, django_assert_max_num_queries: Any
) -> None:
    """Session, person, closed folders, count, rows, system skills, paths, authors, tree of the rail."""
    folder = Folder.objects.create(name="Travel")
    for n in range(12):
        write(f"S{n}", index=False, folder_id=folder.pk)
    page.get("/skills/")
    with django_assert_max_num_queries(10):
        page.get("/skills/")


def test_a_page_takes_a_fixed_number_of_queries(
    page: Client, upload: Callable[..., FileReceipt], queue: Queue, django_assert_max_num_queries: Any
) -> None:
    """Session, person, grants, skill, relations, links, sources, history, passages, path, use, tree."""
    upload("报销.md", NOTES)
    queue.work()
    skill = Skill.objects.get()
    page.get(f"/skills/{skill.slug}/")
    with django_assert_max_num_queries(16):
        shown = page.get(f"/skills/{skill.slug}/?full=1")
    assert "报销.md" in text(shown)
    assert "version 1" in text(shown)
