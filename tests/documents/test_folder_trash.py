"""A deleted folder can be brought back: itself, what was inside, its grants, what lay in it."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents import folder_trash, folders, trash
from documents.models import Document, Folder, FolderDeletion, FolderGrant
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, KnowledgeError, NotAllowed, NotFound
from kbsite.ids import new_id
from skills.models import FolderEvent, Skill
from tests import people


@pytest.fixture
def tree(db: None) -> dict[str, Folder]:
    """Tech > Web > React, and Tech > Data."""
    tech = Folder.objects.create(name="Tech", sort_order=30, description="What we build with")
    web = Folder.objects.create(name="Web", parent=tech, sort_order=5)
    react = Folder.objects.create(name="React", parent=web, sort_order=7)
    data = Folder.objects.create(name="Data", parent=tech, sort_order=9)
    return {"Tech": tech, "Web": web, "React": react, "Data": data}


def skill(name: str, folder: Folder | None, **more: Any) -> Skill:
    """A findable skill in the folder."""
    return Skill.objects.create(slug=name.lower(), name=name, folder=folder, status="approved", **more)


def document(name: str, folder: Folder | None) -> Document:
    """A document in the folder."""
    return Document.objects.create(title=name, filename=f"{name}.md", folder=folder)


def rows(*fields: str) -> list[Any]:
    """The folders as they are, in the order of the walk."""
    return list(Folder.objects.filter(is_system=False).order_by("place").values_list(*fields))


def delete(folder: Folder, user: User) -> uuid.UUID:
    """Deletes the folder; returns what brings it back."""
    deleted = folder_trash.delete(folder, user).deletion_id
    assert deleted is not None
    return deleted


def test_everything_comes_back_as_it_was(tree: dict[str, Folder], bob: User) -> None:
    """Ids, order, places, descriptions and dates; documents and skills, also what is in the trash."""
    long_ago = datetime(2020, 1, 2, tzinfo=UTC)
    Folder.objects.update(created_at=long_ago, updated_at=long_ago)
    fields = (
        "id",
        "name",
        "description",
        "sort_order",
        "parent_id",
        "created_at",
        "updated_at",
        "place",
        "reach",
    )
    before = rows(*fields)
    paper, lost = document("paper", tree["React"]), document("lost", tree["Data"])
    hooks = skill("Hooks", tree["React"], placed_by_hand=True)
    gone = skill("Gone", tree["Web"])
    trash.delete_document(lost, bob)
    Skill.objects.filter(pk=gone.pk).update(deleted_at=long_ago)
    emptied = folder_trash.delete(tree["Tech"], bob)
    assert (emptied.folders, emptied.documents, emptied.skills) == (4, 1, 1)
    assert not rows("id")
    assert (
        not Skill.objects.exclude(folder=None).exists() and not Document.objects.exclude(folder=None).exists()
    )
    assert emptied.deletion_id is not None
    back = folder_trash.restore(emptied.deletion_id, bob)
    assert rows(*fields) == before
    assert (back.folder.name, back.folders, back.to_top, back.was_named) == ("Tech", 4, False, "")
    for thing, name in ((paper, "React"), (lost, "Data"), (hooks, "React"), (gone, "Web")):
        thing.refresh_from_db()
        assert thing.folder == tree[name]
    assert hooks.placed_by_hand and lost.deleted_at and gone.deleted_at
    told = FolderEvent.objects.values_list("folder__name", "what", "names", "actor__name")
    assert list(told) == [("React", "restored", ["Hooks"], "Bob")]
    assert not FolderDeletion.objects.exists()


def test_what_was_put_elsewhere_since_stays_there(tree: dict[str, Folder], bob: User) -> None:
    """And what is gone for good is passed over."""
    elsewhere = Folder.objects.create(name="Elsewhere")
    moved, stays, purged = (
        skill("Moved", tree["Web"]),
        skill("Stays", tree["Web"]),
        skill("Purged", tree["Web"]),
    )
    paper = document("paper", tree["Web"])
    deletion = delete(tree["Tech"], bob)
    Skill.objects.filter(pk=moved.pk).update(folder=elsewhere)
    folders.put(paper, elsewhere, bob)
    purged.delete()
    folder_trash.restore(deletion, bob)
    assert Skill.objects.get(pk=moved.pk).folder == elsewhere
    assert Document.objects.get(pk=paper.pk).folder == elsewhere
    assert Skill.objects.get(pk=stays.pk).folder == tree["Web"]


def test_grants_come_back_for_those_who_still_are(tree: dict[str, Folder]) -> None:
    """People and groups; one that was for people who left is for whoever brings it back."""
    alice, carol, dave = people.alice(), people.carol(), people.dave()
    group = Group.objects.create(name="Web people")
    FolderGrant.objects.create(folder=tree["Web"], group=group)
    FolderGrant.objects.create(folder=tree["Web"], user=carol)
    FolderGrant.objects.create(folder=tree["Data"], user=dave)
    deletion = delete(tree["Tech"], alice)
    dave.delete()
    folder_trash.restore(deletion, alice)
    grants = set(FolderGrant.objects.values_list("folder__name", "user__name", "group__name"))
    assert grants == {("Web", None, "Web people"), ("Web", "Carol", None), ("Data", "Alice", None)}


def test_only_its_deleter_and_admins_see_what_was_closed(tree: dict[str, Folder], bob: User) -> None:
    """Others see the deletion of what everybody could see."""
    alice, carol = people.alice(), people.carol()
    open_one = delete(tree["Data"], bob)
    FolderGrant.objects.create(folder=tree["Web"], user=bob)
    closed_inside = delete(tree["Tech"], bob)
    assert set(folder_trash.in_trash(alice).values_list("pk", flat=True)) == {open_one, closed_inside}
    assert set(folder_trash.in_trash(bob).values_list("pk", flat=True)) == {open_one, closed_inside}
    assert [one.pk for one in folder_trash.in_trash(carol)] == [open_one]
    with pytest.raises(NotFound):
        folder_trash.restore(closed_inside, carol)
    with pytest.raises(NotAllowed):
        folder_trash.restore(open_one, people.dave())
    bob.narrowed_to = new_id()
    assert not folder_trash.in_trash(bob).exists()


def test_what_was_in_a_folder_that_is_closed_since_is_not_shown_to_others(
    tree: dict[str, Folder], bob: User
) -> None:
    """It was open to all when it was deleted; its deleter still knows of it."""
    alice, carol = people.alice(), people.carol()
    gone = delete(tree["React"], bob)
    assert [one.pk for one in folder_trash.in_trash(carol)] == [gone]
    FolderGrant.objects.create(folder=tree["Tech"], user=alice)
    bob, carol = User.objects.get(pk=bob.pk), User.objects.get(pk=carol.pk)
    assert not folder_trash.in_trash(carol).exists()
    assert [one.pk for one in folder_trash.in_trash(bob)] == [gone]
    assert [one.pk for one in folder_trash.in_trash(alice)] == [gone]
    with pytest.raises(NotFound):
        folder_trash.restore(gone, carol)


def test_without_its_parent_it_comes_to_the_top_as_closed_as_it_was(tree: dict[str, Folder]) -> None:
    """The nearest grant above stands in for the ones that are gone."""
    alice, bob = people.alice(), people.bob()
    FolderGrant.objects.create(folder=tree["Tech"], user=alice)
    inner = delete(tree["React"], alice)
    outer = delete(tree["Tech"], alice)
    back = folder_trash.restore(inner, alice)
    assert back.to_top and back.folder.parent is None and "top" in back.sentence()
    assert not Folder.objects.visible_to(bob).filter(pk=back.folder.pk).exists()
    folder_trash.restore(outer, alice)
    assert {row[0] for row in rows("name")} == {"Tech", "Web", "Data", "React"}


def test_nobody_puts_a_folder_where_they_may_not_see(tree: dict[str, Folder], bob: User) -> None:
    """Its parent was closed meanwhile: somebody who may see it brings it back."""
    alice = people.alice()
    deletion = delete(tree["React"], bob)
    FolderGrant.objects.create(folder=tree["Tech"], user=alice)
    with pytest.raises(Conflict):
        folder_trash.restore(deletion, User.objects.get(pk=bob.pk))
    assert folder_trash.restore(deletion, alice).folder.parent == tree["Web"]


def test_deleted_inside_then_outside_comes_back_in_any_order(tree: dict[str, Folder], bob: User) -> None:
    """The inner one finds its parent again."""
    inner, outer = delete(tree["React"], bob), delete(tree["Tech"], bob)
    folder_trash.restore(outer, bob)
    back = folder_trash.restore(inner, bob)
    assert back.folder.parent == tree["Web"] and not back.to_top


def test_a_name_that_is_taken_gets_a_number(tree: dict[str, Folder], bob: User) -> None:
    """Also the longest one; the person is told."""
    longest = Folder.objects.create(name="长" * 200)
    deletions = [delete(tree["Data"], bob), delete(longest, bob)]
    for name, parent in (("Data", tree["Tech"]), ("Data 2", tree["Tech"]), ("长" * 200, None)):
        Folder.objects.create(name=name, parent=parent)
    data, long = (folder_trash.restore(one, bob) for one in deletions)
    assert (data.folder.name, data.was_named) == ("Data 3", "Data")
    assert long.folder.name == "长" * 198 + " 2"
    assert "“Data 3” is back. There is another “Data”" in data.sentence()


def test_doing_it_twice_is_told(tree: dict[str, Folder], bob: User) -> None:
    """Nothing is deleted or brought back a second time."""
    deletion = delete(tree["Tech"], bob)
    with pytest.raises(NotFound):
        folder_trash.delete(tree["Tech"], bob)
    folder_trash.restore(deletion, bob)
    with pytest.raises(NotFound):
        folder_trash.restore(deletion, bob)
    assert FolderDeletion.objects.count() == 0 and len(rows("id")) == 4


def test_a_closed_folder_inside_keeps_all_from_being_deleted(tree: dict[str, Folder], bob: User) -> None:
    """Nobody deletes what they may not see."""
    FolderGrant.objects.create(folder=tree["React"], user=people.alice())
    with pytest.raises(Conflict):
        folder_trash.delete(tree["Tech"], bob)
    assert not FolderDeletion.objects.exists() and len(rows("id")) == 4


def test_ten_thousand_skills_take_as_many_statements_as_one(tree: dict[str, Folder], bob: User) -> None:
    """Deleting and bringing back are one statement for each kind of thing."""
    folder_trash.restore(delete(tree["Tech"], bob), bob)
    asked = []
    for many in (1, 10_000):
        Skill.objects.bulk_create(
            Skill(slug=f"s-{many}-{n}", name=f"S {n}", folder=tree["React"]) for n in range(many)
        )
        with CaptureQueriesContext(connection) as queries:
            folder_trash.restore(delete(tree["Tech"], bob), bob)
        asked.append(len(queries))
    assert asked[0] == asked[1] < 50
    assert Skill.objects.filter(folder=tree["React"]).count() == 10_001


@pytest.mark.django_db(transaction=True)
def test_two_at_once_lose_nothing() -> None:
    """Of two deletions, and of two restorings, one happens and the other is told."""
    bob = people.bob()
    top = Folder.objects.create(name="Top")
    lying = skill("Lying", Folder.objects.create(name="Inner", parent=top))

    def attempt(deed: Any) -> Any:
        try:
            return deed()
        except KnowledgeError:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        done = [*pool.map(attempt, [lambda: delete(top, bob)] * 2)]
        (deletion,) = [one for one in done if one]
        back = [*pool.map(attempt, [lambda: folder_trash.restore(deletion, bob)] * 2)]
    assert len([one for one in back if one]) == 1
    lying.refresh_from_db()
    assert lying.folder is not None and lying.folder.name == "Inner"


def test_the_page_says_what_goes_and_its_toast_brings_it_back(
    tree: dict[str, Folder], bob: User, client: Client
) -> None:
    """How many folders, documents and skills; then an undo."""
    people.alice()
    document("paper", tree["React"])
    skill("Hooks", tree["React"])
    skill("State", tree["Web"])
    client.force_login(bob)
    said = client.get(f"/folders/{tree['Tech'].pk}/delete/").content.decode()
    assert "3 folders inside go with it" in said and "1 document, 2 skills" in said
    assert "brought back from the trash for 30 days" in said
    after = client.post(f"/folders/{tree['Tech'].pk}/delete/", follow=True).content.decode()
    undo = f"/folders/deleted/{FolderDeletion.objects.get().pk}/restore/"
    assert "3 things are unfiled now" in after and undo in after
    back = client.post(undo, follow=True)
    assert back.redirect_chain[-1][0].endswith(f"?folder={tree['Tech'].pk}")
    assert "The folder “Tech” is back." in back.content.decode()
    assert Skill.objects.get(name="Hooks").folder == tree["React"]
    assert client.post(undo).status_code == 404


def test_the_api_answers_what_brings_it_back(tree: dict[str, Folder], bob: User, client: Client) -> None:
    """``deletion_id`` is what the trash knows it by."""
    headers = people.bearer(bob)
    gone = client.delete(f"/api/folders/{tree['Web'].pk}", headers=headers).json()
    assert gone["folders"] == 2 and gone["deletion_id"] == str(FolderDeletion.objects.get().pk)
    assert client.delete(f"/api/folders/{tree['Web'].pk}", headers=headers).status_code == 404
