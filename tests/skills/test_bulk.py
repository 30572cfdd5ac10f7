"""Doing one thing to many skills: from the list's form, from the API, and undoing it."""

from __future__ import annotations

import html
import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit, revisions
from skills.bulk import actions, picker, selection
from skills.models import Skill
from tests import people
from tests.skills.conftest import Queue
from tests.skills.rows import system

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")
ACT = "/skills/bulk/act/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def curator(carol: User) -> Client:
    return signed_in(carol)


def act(client: Client, action: str, *skills: Skill, **more: Any) -> tuple[str, str]:
    """Send the form as the list's script does; what the toast says, and the address that undoes it."""
    data = {"action": action, "skill": [str(skill.pk) for skill in skills]} | more
    response = client.post(ACT, data, headers={"hx-request": "true"})
    said = json.loads(response["HX-Trigger"])["toasts"][-1]
    return said["text"], said.get("undo", "")


def test_moving_a_selection_says_so_and_undoes(page: Client, write: Write, travel: Folder) -> None:
    """System skills stay and are named; so is what is gone; undo is on the toast."""
    one, two, fixed = write("One", index=False), write("Two", index=False), system()
    text, undo = act(page, "move", one, two, fixed, folder=str(travel.pk))
    assert text == "2 skills moved to “Travel”. 1 system skill was left out: those never change."
    assert set(Skill.objects.filter(folder=travel)) == {one, two}
    assert page.post(undo, headers={"hx-request": "true"}).status_code == 204
    assert not Skill.objects.filter(folder=travel).exists()
    assert page.post(undo, headers={"hx-request": "true"}).status_code == 409
    text, undo = act(page, "move", one, folder="unfiled")
    assert (text, undo) == ("They are in “Unfiled” already.", "")


def test_what_one_may_not_see_is_left_out_like_what_is_gone(
    page: Client, write: Write, carol: User, travel: Folder
) -> None:
    """The same sentence for both: nothing leaks. Of nothing but such ones, nothing is changed."""
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=carol)
    seen, hidden = write("Seen", index=False), write("Hidden", index=False)
    Skill.objects.filter(pk=hidden.pk).update(folder=closed)
    gone = Skill(pk=uuid.uuid4())
    for other in (hidden, gone):
        text, _undo = act(page, "tags", seen, other, add=f"t{other.pk}")
        assert text == "1 skill has new tags. 1 was left out: it is gone, or not open to you."
        assert act(page, "delete", other)[0].startswith("Nothing was changed.")
    hidden.refresh_from_db()
    assert (hidden.tags, hidden.deleted_at, hidden.folder) == ([], None, closed)


def test_tags_are_added_and_taken_away(page: Client, write: Write, queue: Queue) -> None:
    """Each skill that changes gets a revision, a version and a place in the queue; the others nothing."""
    one, two = write("One", tags=["hr", "old"]), write("Two", tags=["travel", "hr"])
    same = write("Same", tags=["hr", "travel"])
    text, undo = act(page, "tags", one, two, same, add="travel、 #hr", remove="old")
    assert text == "1 skill has new tags."
    for skill in (one, two, same):
        skill.refresh_from_db()
    assert one.tags == ["hr", "travel"]
    assert (one.version, two.version, same.version) == (2, 1, 1)
    latest = one.revisions.latest("number")
    assert (latest.number, latest.reason, latest.snapshot["tags"]) == (2, "Tags changed", ["hr", "travel"])
    assert one.index_state == "queued"
    page.post(undo)
    one.refresh_from_db()
    assert (one.tags, one.version) == (["hr", "old"], 3)
    assert one.revisions.count() == 3


def test_the_bulk_way_leaves_what_the_single_way_leaves(write: Write, bob: User, page: Client) -> None:
    """A skill retagged among many is as one edited alone, and can be restored to what it was."""
    alone, among = write("Alone", "Same."), write("Among", "Same.")
    edit.update_skill(alone.pk, bob, tags=["x"])
    act(page, "tags", among, add="x")
    alone.refresh_from_db()
    among.refresh_from_db()
    names = ("tags", "version", "index_state", "attempts", "status", "layers_stale", "layers_by_hand")
    assert [getattr(alone, name) for name in names] == [getattr(among, name) for name in names]
    kept = [skill.revisions.latest("number").snapshot.keys() for skill in (alone, among)]
    assert kept[0] == kept[1]
    edit.restore_revision(among.pk, bob, 1)
    among.refresh_from_db()
    assert among.tags == []


def test_undoing_tags_leaves_what_was_changed_since(page: Client, write: Write, bob: User) -> None:
    """And says how many those are."""
    one, two = write("One", index=False), write("Two", index=False)
    _text, undo = act(page, "tags", one, two, add="new")
    edit.update_skill(two.pk, bob, tags=["new", "mine"])
    response = page.post(undo, headers={"hx-request": "true"})
    said = json.loads(response["HX-Trigger"])["toasts"][0]
    assert said["text"].startswith("1 is as it was. 1 stays as it is")
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.tags, two.tags) == ([], ["new", "mine"])


@pytest.mark.parametrize(
    "fields",
    [
        {"add": "", "remove": " , "},
        {"add": "x" * 61},
        {"add": ",".join(f"t{n}" for n in range(51))},
        {"add": "same", "remove": "same"},
    ],
)
def test_bad_tags_change_nothing(page: Client, write: Write, fields: dict[str, str]) -> None:
    """Refused with a sentence."""
    skill = write(index=False)
    data = {"action": "tags", "skill": str(skill.pk)} | fields
    assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 422
    skill.refresh_from_db()
    assert (skill.tags, skill.version) == ([], 1)


def test_priority_is_set_and_put_back(page: Client, write: Write) -> None:
    """With a revision; the index is not touched."""
    one, two = write("One", priority=5), write("Two")
    text, undo = act(page, "priority", one, two, priority="-3")
    assert text == "2 skills have priority -3."
    assert set(Skill.objects.values_list("priority", "version", "index_state")) == {(-3, 2, "ready")}
    page.post(undo)
    assert set(Skill.objects.values_list("name", "priority")) == {("One", 5), ("Two", 100)}
    for nonsense in ("", "x", "1.5", "99999999999", "２²"):
        data = {"action": "priority", "skill": str(one.pk), "priority": nonsense}
        assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 422, nonsense


def test_curators_review_many(curator: Client, page: Client, write: Write) -> None:
    """Editors may not. What was never indexed is left alone; undo brings each former status back."""
    one, two, never = write("One"), write("Two"), write("Never", index=False)
    Skill.objects.filter(pk=two.pk).update(status="checked")
    data = {"action": "reject", "skill": [str(one.pk)]}
    assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 403
    text, undo = act(curator, "reject", one, two, never)
    assert text == "2 skills: rejected."
    assert set(Skill.objects.values_list("name", "status")) == {
        ("One", "rejected"),
        ("Two", "rejected"),
        ("Never", "pending"),
    }
    assert page.post(undo).status_code == 404
    curator.post(undo)
    assert set(Skill.objects.values_list("name", "status")) == {
        ("One", "approved"),
        ("Two", "checked"),
        ("Never", "pending"),
    }


def test_deleting_many_and_exactly_those_back(page: Client, write: Write) -> None:
    """Not one that was deleted before, nor one that was deleted again since."""
    one, two, before = write("One"), write("Two"), write("Before")
    page.post(f"/skills/{before.slug}/delete/")
    text, undo = act(page, "delete", one, two, system())
    assert text.startswith("2 skills are in the trash.")
    assert not Skill.objects.visible_to(people.person("X", "editor")).exclude(type="system").exists()  # type: ignore[arg-type]
    page.post(f"/skills/undelete/{two.pk}/")
    page.post(f"/skills/{two.slug}/delete/")
    page.post(undo)
    assert list(Skill.objects.filter(deleted_at=None).exclude(type="system")) == [one]
    assert not Skill.objects.filter(deleted_at=None, deleted_by__isnull=False).exists()


def test_all_that_match_goes_beyond_the_page(page: Client, write: Write, travel: Folder) -> None:
    """The filters are sent, and the number the person saw; another number now, and nothing happens."""
    rows = [Skill(slug=f"s{n}", name=f"S{n}", folder=travel, status="approved") for n in range(60)]
    Skill.objects.bulk_create(rows)
    other = write("Other", index=False)
    sent = {
        "action": "tags",
        "add": "all",
        "all": "1",
        "filters": f"folder={travel.pk}&q=s",
        "skill": str(other.pk),
    }
    response = page.post(ACT, sent | {"count": "59"}, headers={"hx-request": "true"})
    assert response.status_code == 409
    assert "60 skills match now, not 59" in json.loads(response["HX-Trigger"])["toasts"][0]["text"]
    assert not Skill.objects.filter(tags=["all"]).exists()
    response = page.post(ACT, sent | {"count": "60"}, headers={"hx-request": "true"})
    assert json.loads(response["HX-Trigger"])["toasts"][0]["text"] == "60 skills have new tags."
    assert Skill.objects.filter(tags=["all"], folder=travel).count() == 60
    assert page.post(ACT, sent | {"count": ""}, headers={"hx-request": "true"}).status_code == 422


def test_limits_are_said(page: Client, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the most at once: refused with the number."""
    monkeypatch.setattr(selection, "MOST", 3)
    monkeypatch.setattr("skills.bulk.views.MOST_REWRITTEN", 3)
    many = [write(f"S{n}", index=False) for n in range(4)]
    response = page.post(
        ACT,
        {"action": "tags", "add": "x", "skill": [str(skill.pk) for skill in many]},
        headers={"hx-request": "true"},
    )
    assert response.status_code == 422
    assert "At most 3 skills" in json.loads(response["HX-Trigger"])["toasts"][0]["text"]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"action": "explode"},
        {"action": "delete"},
        {"action": "delete", "skill": ["nonsense", ""]},
        {"action": "delete", "all": "1", "filters": "type=poem", "count": "x"},
    ],
)
def test_nonsense_is_refused(page: Client, data: dict[str, Any]) -> None:
    """Never a 500."""
    assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 422


def test_readers_export_and_nothing_else(write: Write, dave: User, travel: Folder) -> None:
    """What they may read, they may take along."""
    skill = write("Rules")
    reader = signed_in(dave)
    for action in ("move", "tags", "priority", "approve", "delete"):
        data = {"action": action, "skill": str(skill.pk), "folder": str(travel.pk)}
        assert reader.post(ACT, data).status_code == 403
    assert reader.post("/skills/bulk/folder/", {"skill": str(skill.pk)}).status_code == 403
    shown = reader.get("/skills/").content.decode()
    assert 'value="delete"' not in shown
    response = reader.post("/skills/bulk/export/", {"skill": str(skill.pk)})
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response)))  # type: ignore[arg-type]
    assert archive.namelist() == ["Rules.md"]


def test_the_form_works_without_a_script(page: Client, write: Write, travel: Folder) -> None:
    """Move leads to a page with folders; the choice does it and leads back to the list, with a toast."""
    one, two = write("One", index=False), write("Two", index=False)
    shown = page.post(
        ACT, {"action": "move", "skill": [str(one.pk), str(two.pk)], "next": "/skills/?order=name"}
    )
    text = html.unescape(shown.content.decode())
    assert "Move 2 skills to…" in text
    assert f'name="folder" value="{travel.pk}"' in text
    hidden = dict(re.findall(r'<input type="hidden" name="(action|next|here)" value="([^"]*)"', text))
    ids = re.findall(r'<input type="hidden" name="skill" value="([^"]*)"', text)
    assert set(ids) == {str(one.pk), str(two.pk)}
    looked = page.post(ACT, hidden | {"skill": ids, "q": "nowhere"})
    assert f'name="folder" value="{travel.pk}"' not in looked.content.decode()
    done = page.post(ACT, hidden | {"skill": ids, "folder": str(travel.pk)}, follow=True)
    assert done.redirect_chain == [("/skills/?order=name", 302)]
    undo = re.search(r'action="(/skills/undo/[^"]+)"', done.content.decode())
    assert undo
    page.post(undo[1])
    assert not Skill.objects.filter(folder=travel).exists()
    for evil in ("https://evil.example/", "//evil.example/"):
        gone = page.post(ACT, {"action": "delete", "skill": ids, "next": evil})
        assert gone["Location"] == "/skills/"


def test_the_dialog_of_one_skill(page: Client, write: Write, travel: Folder) -> None:
    """A partial for htmx, a page otherwise; both lead to the same move."""
    skill = write("<b>Odd</b>", index=False)
    address = reverse("skills:move", args=[skill.slug])
    dialog = page.get(address, headers={"hx-request": "true"}).content.decode()
    assert dialog.strip().startswith("<dialog")
    assert "<b>Odd" not in dialog
    assert "<html" in page.get(address).content.decode()
    response = page.post(address, {"folder": str(travel.pk)}, headers={"hx-request": "true"})
    assert response.status_code == 204
    assert "Moved to “Travel”." in json.loads(response["HX-Trigger"])["toasts"][0]["text"]
    assert page.post(address, {"folder": "nonsense"}).status_code == 422


def test_choosing_a_folder(bob: User, carol: User, write: Write) -> None:
    """By every word of the path, best names first, lately used ones before all; closed ones never."""
    finance = Folder.objects.create(name="Finance", sort_order=1)
    travel = Folder.objects.create(name="Travel", parent=finance)
    other = Folder.objects.create(name="Travel", sort_order=2)
    closed = Folder.objects.create(name="Travel closed")
    FolderGrant.objects.create(folder=closed, user=carol)
    names = [(one.name, one.above) for one in picker.choices(bob, "travel").folders]
    assert names == [("Travel", ("Finance",)), ("Travel", ())]
    assert [one.value for one in picker.choices(bob, "fin tra").folders] == [str(travel.pk)]
    assert [one.value for one in picker.choices(bob, "finance/travel").folders] == [str(travel.pk)]
    assert picker.choices(bob, "unf").unfiled
    assert picker.choices(bob, "zzz").unfiled is None
    for hostile in ("%", "_", "\\", "' OR 1=1", "🙂", "‮", "x" * 5_000):
        assert picker.choices(bob, hostile).folders == []
    skill = write(index=False)
    for folder in (travel, other, finance):
        act(signed_in(bob), "move", skill, folder=str(folder.pk))
    assert [one.name for one in picker.choices(bob).recent] == ["Finance", "Travel", "Travel"]
    other.delete()
    assert len(picker.choices(bob).recent) == 2


def test_choosing_among_very_many_folders(
    bob: User, page: Client, django_assert_max_num_queries: Any
) -> None:
    """Fifty are shown, and that there are more; the same few queries however many there are."""
    top = Folder.objects.create(name="Top")
    Folder.objects.bulk_create([Folder(name=f"Folder {n}", parent=top, sort_order=n) for n in range(1_000)])
    with django_assert_max_num_queries(8):
        shown = page.get("/skills/bulk/folders/?q=folder").content.decode()
    assert shown.count('role="option"') == 50 + 1  # and a new one of that name
    assert "There are more" in shown


def test_a_new_folder_is_made_on_the_way(page: Client, write: Write, bob: User, travel: Folder) -> None:
    """At the top or in the folder the list shows; a taken name is refused and nothing moves."""
    skill = write(index=False)
    offered = picker.choices(bob, "Trains", travel.pk)
    assert (offered.new, offered.inside.value if offered.inside else "") == ("Trains", str(travel.pk))
    assert picker.choices(bob, "travel").new == ""
    act(page, "move", skill, folder="inside:Trains", here=str(travel.pk))
    skill.refresh_from_db()
    assert skill.folder
    assert (skill.folder.name, skill.folder.parent) == ("Trains", travel)
    act(page, "move", skill, folder="new:Boats")
    skill.refresh_from_db()
    assert skill.folder
    assert skill.folder.parent is None
    data = {"action": "move", "skill": str(skill.pk), "folder": "new:Travel"}
    assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 409
    for name in ("", "   ", "‮", "x" * 300):
        data["folder"] = f"new:{name}"
        assert page.post(ACT, data, headers={"hx-request": "true"}).status_code == 422


def test_dragged_rows_bring_their_ids_in_the_address(page: Client, write: Write, travel: Folder) -> None:
    """The tree posts a folder to the row's address, which carries the selection."""
    one, two = write("One", index=False), write("Two", index=False)
    address = f"{ACT}?action=move&skill={one.pk}&skill={two.pk}"
    response = page.post(address, {"folder": str(travel.pk)}, headers={"hx-request": "true"})
    assert response.status_code == 204
    assert Skill.objects.filter(folder=travel).count() == 2
    assert page.get(address).status_code == 405


def test_retagging_many_takes_few_statements(
    page: Client, bob: User, queue: Queue, django_assert_max_num_queries: Any
) -> None:
    """A hundred skills at a time, however many there are."""
    rows = [Skill(slug=f"s{n}", name=f"S{n}", content="x" * 500, status="approved") for n in range(300)]
    Skill.objects.bulk_create(rows)
    data = {"action": "tags", "add": "x", "skill": [str(skill.pk) for skill in rows]}
    with django_assert_max_num_queries(60):
        page.post(ACT, data, headers={"hx-request": "true"})
    assert Skill.objects.filter(tags=["x"], version=2).count() == 300


def test_a_long_text_is_kept_once_when_many_are_tagged(bob: User) -> None:
    """As after any change: what did not change is not copied, and the revision is whole when it is read."""
    long = "\n".join(f"Line {n} of a long text." for n in range(1_500))
    skill = edit.create_skill(bob, name="Long", content=long)
    actions.retag([skill.pk], bob, add=["x"])
    first, second = skill.revisions.order_by("number")
    assert second.snapshot["content"] == {"base": 1, "chain": 1, "patch": []}
    assert revisions.whole(second)["content"] == revisions.whole(first)["content"]
