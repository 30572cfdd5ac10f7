"""Folders are put between others, by many people at once, and the tree stays a tree."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from documents import folder_trash, folders
from documents.models import Document, Folder
from documents.siblings import room
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, KnowledgeError, NotFound
from kbsite.ids import new_id
from skills.models import Skill
from tests import people

pytestmark = pytest.mark.django_db


def siblings(*orders: int, parent: Folder | None = None) -> list[Folder]:
    """Folders f0, f1 … of these orders."""
    return [
        Folder.objects.create(name=f"f{n}", sort_order=order, parent=parent) for n, order in enumerate(orders)
    ]


def names() -> list[str]:
    return list(Folder.objects.filter(is_system=False).order_by("place").values_list("name", flat=True))


@pytest.mark.parametrize(
    ("orders", "at", "touched"),
    [
        ([], 0, 0),
        ([10, 20, 30], 0, 0),
        ([10, 20, 30], 3, 0),
        ([10, 20, 30], 1, 0),
        ([10, 11, 30], 1, 1),
        ([0, 1, 2, 3, 4, 50], 2, 2),
        ([0, 0, 0, 0], 2, 2),
        ([5, 5, 5, 5, 5, 5, 90], 1, 1),
    ],
)
def test_room_is_made_by_changing_as_few_as_can_be(orders: list[int], at: int, touched: int) -> None:
    new, changed = room(orders, at)
    assert len(changed) <= touched
    after = [changed.get(n, order) for n, order in enumerate(orders)]
    assert all(order <= following for order, following in pairwise(after))
    assert (not after[:at] or after[at - 1] < new) and (not after[at:] or new < after[at])


def test_room_is_made_anywhere() -> None:
    """By chance: many that are equal, gaps of one, ends; the order of the others stays."""
    chance = random.Random(1)  # noqa: S311 - not for secrets
    for _ in range(300):
        orders = sorted(chance.choices(range(chance.choice([1, 5, 40, 400])), k=chance.randrange(60)))
        at = chance.randrange(len(orders) + 1)
        new, changed = room(orders, at)
        after = [changed.get(n, order) for n, order in enumerate(orders)]
        assert all(a <= b for a, b in pairwise(after))
        assert (not after[:at] or after[at - 1] < new) and (not after[at:] or new < after[at])


def test_between_two(bob: User, django_assert_max_num_queries: Any) -> None:
    """One sort_order is written; nobody else's changes while there is room."""
    f0, f1, f2 = siblings(10, 20, 30)
    folders.move(f2, bob, None, before=f1.pk)
    assert names() == ["f0", "f2", "f1"]
    assert list(Folder.objects.filter(pk__in=[f0.pk, f1.pk]).values_list("sort_order", flat=True)) == [10, 20]
    folders.move(f0, bob, None, after=f1.pk)
    assert names() == ["f2", "f1", "f0"]
    with django_assert_max_num_queries(20):
        for n in range(2):
            folders.move(f0 if n % 2 else f1, bob, None, before=f2.pk)


def test_many_that_are_equal_are_kept_in_their_order(bob: User) -> None:
    """As the protocol's tree has them: 0 and 0; the few around the place get numbers of their own."""
    made = siblings(*[0] * 12)
    before = names()
    folders.move(made[11], bob, None, before=made[3].pk)
    moved = made[11].name
    rest = [name for name in before if name != moved]
    at = rest.index("f3")
    assert names() == [*rest[:at], moved, *rest[at:]]


def test_into_another_between_those_there(bob: User) -> None:
    top = Folder.objects.create(name="top")
    a, b = siblings(0, 1, parent=top)
    other = Folder.objects.create(name="other")
    folders.move(other, bob, top.pk, after=a.pk)
    assert [f.name for f in top.children.order_by("place")] == ["f0", "other", "f1"]
    with pytest.raises(NotFound):
        folders.move(b, bob, None, before=a.pk)
    with pytest.raises(NotFound):
        folders.move(b, bob, None, before=new_id())


def test_the_api_places_folders(client: Client, bob: User) -> None:
    f0, f1, f2 = siblings(10, 11, 12)
    body = json.dumps({"parent_id": None, "before": str(f1.pk)})
    send = {"content_type": "application/json", "headers": people.bearer(bob)}
    assert client.post(f"/api/folders/{f2.pk}/move", body, **send).status_code == 200  # type: ignore[arg-type]
    assert names() == ["f0", "f2", "f1"]
    inside = json.dumps({"parent_id": str(f0.pk)})
    client.post(f"/api/folders/{f1.pk}/move", inside, **send)  # type: ignore[arg-type]
    ring = json.dumps({"parent_id": str(f1.pk)})
    assert client.post(f"/api/folders/{f0.pk}/move", ring, **send).status_code == 409  # type: ignore[arg-type]


def test_a_page_door_places_a_folder_and_offers_the_way_back(client: Client, bob: User) -> None:
    people.alice()
    client.force_login(bob)
    f0, _f1, f2 = siblings(10, 20, 30)
    address = f"/folders/{f2.pk}/place/"
    answer = client.post(
        address, {"parent": "", "before": f0.pk, "next": "/skills/"}, headers={"hx-request": "true"}
    )
    toast = json.loads(answer.headers["HX-Trigger"])["toasts"][0]
    assert answer.status_code == 204 and names() == ["f2", "f0", "f1"]
    back = client.post(toast["undo"])
    assert back.headers["Location"] == "/skills/" and names() == ["f0", "f1", "f2"]
    client.post(address, {"parent": f0.pk})
    assert [f.name for f in folders.path(f2.pk)] == ["f0", "f2"]
    assert client.post(address, {"parent": f2.pk}, headers={"hx-request": "true"}).status_code == 409
    assert client.get(address).status_code == 405


def test_everything_in_a_folder_moves_at_once(client: Client, bob: User) -> None:
    """The form says how much lies directly in it; folders inside stay."""
    people.alice()
    client.force_login(bob)
    f0, f1 = siblings(0, 1)
    inner = Folder.objects.create(name="inner", parent=f0)
    Document.objects.create(title="d", filename="d", folder=f0)
    for n in range(3):
        Skill.objects.create(name=f"s{n}", slug=f"s{n}", folder=inner if n == 2 else f0, status="approved")
    page = client.get(f"/folders/{f0.pk}/contents/").content.decode()
    assert "1 document and 2 skills" in page and "Move 3 things" in page
    assert page.count("data-go=") > 3  # the rail keeps its places
    client.post(f"/folders/{f0.pk}/contents/", {"folder": str(f1.pk)})
    assert (f1.skills.count(), f1.documents.count(), inner.skills.count()) == (2, 1, 1)
    assert "Nothing lies directly" in client.get(f"/folders/{f0.pk}/contents/").content.decode()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a/b\\c", "a/b\\c"),
        ("🗂️ Rules 规则", None),
        ("\u202eevil\u202c", "evil"),
        ("x" * 200, "x" * 200),
        ("x" * 300, ""),
        ("   \t\n ", ""),
        ("\u200f\u202e\u2066", ""),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_hostile_names(name: str, kept: str | None, bob: User) -> None:
    if kept == "":
        with pytest.raises(InvalidInput):
            folders.create(bob, name)
        return
    made = folders.create(bob, name)
    assert "Rules 规则" in made.name if kept is None else made.name == kept


def test_a_ring_is_refused_by_the_database() -> None:
    """Whoever writes: SQL, the admin site, a bug."""
    a = Folder.objects.create(name="a")
    b = Folder.objects.create(name="b", parent=a)
    with pytest.raises(IntegrityError), transaction.atomic():
        Folder.objects.filter(pk=a.pk).update(parent=b)
    with pytest.raises(IntegrityError), transaction.atomic():
        Folder.objects.filter(pk=a.pk).update(parent=a)
    with pytest.raises(IntegrityError), transaction.atomic():
        Folder.objects.create(name="b", parent=a)


def test_a_stale_folder_takes_no_move_back(bob: User) -> None:
    """Renaming what somebody moved meanwhile keeps it where it is now."""
    a, b = siblings(0, 1)
    stale = Folder.objects.get(pk=b.pk)
    folders.move(b, bob, a.pk)
    folders.rename(stale, bob, "renamed")
    assert [f.name for f in folders.path(b.pk)] == ["f0", "renamed"]
    Folder.objects.filter(pk=b.pk).delete()
    with pytest.raises(NotFound):
        folders.rename(stale, bob, "gone")


def at_once(*deeds: Callable[[], object]) -> list[object]:
    """What each of ``deeds`` returns or is refused with, all started together."""
    start = threading.Barrier(len(deeds))
    found: list[object] = [None] * len(deeds)

    def run(n: int) -> None:
        start.wait()
        try:
            found[n] = deeds[n]()
        except KnowledgeError as error:
            found[n] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(deeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return found


@pytest.mark.django_db(transaction=True)
def test_the_same_name_at_once_is_taken_by_one(bob: User) -> None:
    found = at_once(*[lambda: folders.create(bob, "Same")] * 5)
    assert sum(isinstance(one, Folder) for one in found) == 1
    assert {one.code for one in found if isinstance(one, Conflict)} == {"name_taken"}


@pytest.mark.django_db(transaction=True)
def test_moves_in_a_circle_at_once_make_no_ring(bob: User) -> None:
    made = siblings(0, 1, 2, 3)

    def move(n: int) -> object:
        return folders.move(Folder.objects.get(pk=made[n].pk), bob, made[(n + 1) % 4].pk)

    found = at_once(*(partial(move, n) for n in range(4)))
    assert sum(isinstance(one, Conflict) for one in found) == 1
    assert sorted(names()) == ["f0", "f1", "f2", "f3"]
    assert len(Folder.objects.with_tree_fields().filter(is_system=False)) == 4


@pytest.mark.django_db(transaction=True)
def test_making_moving_and_deleting_at_once_loses_nothing(bob: User) -> None:
    """Every skill and document is in a folder that is there, or unfiled; places stay whole."""
    made = siblings(*range(6))
    kept = Document.objects.create(title="d", filename="d", folder=made[2])
    skill = Skill.objects.create(name="s", slug="s", folder=made[3], status="approved")

    def again(folder: Folder) -> Folder:
        found: Folder = Folder.objects.get(pk=folder.pk)
        return found

    deeds: list[Callable[[], object]] = [
        lambda: folder_trash.delete(again(made[1]), bob),
        lambda: folders.move(again(made[2]), bob, made[1].pk),
        lambda: folders.create(bob, "new", parent_id=made[1].pk),
        lambda: folders.move_contents(again(made[3]), bob, made[1].pk),
        lambda: folders.move(again(made[4]), bob, made[5].pk),
        lambda: folders.rename(again(made[4]), bob, "renamed"),
    ]
    found = at_once(*deeds)
    assert not [one for one in found if one is None]
    for thing in (kept, skill):
        thing.refresh_from_db()
        assert thing.folder_id is None or Folder.objects.filter(pk=thing.folder_id).exists()
    assert Folder.objects.get(name="renamed").parent == made[5]
    walked = list(Folder.objects.with_tree_fields())
    assert walked == list(Folder.objects.order_by("place"))
    assert [folder.place for folder in walked] == list(range(1, len(walked) + 1))


def test_the_root_folder_has_no_doors(client: Client, bob: User) -> None:
    """Neither placed, renamed nor a parent; and readers arrange nothing."""
    people.alice()
    client.force_login(bob)
    root = Folder.objects.get_or_create(name="根目录", is_system=True)[0]
    (other,) = siblings(10)
    quiet = {"hx-request": "true"}
    assert client.post(f"/folders/{root.pk}/place/", {"parent": other.pk}, headers=quiet).status_code == 403
    assert client.post(f"/folders/{other.pk}/place/", {"parent": root.pk}, headers=quiet).status_code == 409
    assert client.post(f"/folders/{root.pk}/", {"name": "x"}).status_code == 422
    assert client.post(f"/folders/{other.pk}/", {"name": "f9"}).status_code == 302
    other.refresh_from_db()
    assert (other.name, other.parent_id) == ("f9", None)
    client.force_login(people.dave())
    assert client.post(f"/folders/{other.pk}/place/", {"parent": ""}, headers=quiet).status_code == 403
    assert client.get(f"/folders/{other.pk}/contents/").status_code == 403


def test_a_name_that_is_taken_is_said_in_the_form(client: Client, bob: User) -> None:
    """Renaming and moving in one form do both or nothing."""
    people.alice()
    client.force_login(bob)
    f0, f1 = siblings(0, 1)
    inner = Folder.objects.create(name="inner", parent=f0)
    answer = client.post(f"/folders/{inner.pk}/", {"name": "f1", "parent": ""})
    assert answer.status_code == 422 and "already a folder named" in answer.content.decode()
    inner.refresh_from_db()
    assert (inner.name, inner.parent) == ("inner", f0)
    answer = client.post("/folders/new/", {"name": "f1"})
    assert answer.status_code == 422 and 'value="f1"' in answer.content.decode()
    assert client.post("/folders/new/", {"name": "F1"}).status_code == 302  # another name: letters count
    assert f1.name == "f1"


@pytest.mark.django_db
def test_the_largest_number_leaves_room_for_others(bob: User) -> None:
    """Somebody gave a folder the last number there is: others can still be made and moved after it."""
    folders.create(bob, "Last", sort_order=2**31 - 1)
    folders.create(bob, "First", sort_order=-(2**31))
    made = folders.create(bob, "Later")
    last, first = (Folder.objects.get(name=name) for name in ("Last", "First"))
    folders.move(made, bob, None, after=last.pk)
    assert names() == ["First", "Last", "Later"]
    folders.move(made, bob, None, before=first.pk)
    assert names() == ["Later", "First", "Last"]
