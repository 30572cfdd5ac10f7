"""Typed relations between skills, written both ways."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import AuditEntry, User
from kbsite.exceptions import InvalidInput, NotAllowed, NotFound
from skills import edit
from skills.models import Relation, Skill
from skills.relations.relate import relate, relations_of, type_of, unrelate
from tests import people

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def rows() -> set[tuple[str, str, str]]:
    return set(Relation.objects.values_list("source__name", "type", "target__name"))


@pytest.fixture
def pair(write: Write) -> tuple[Skill, Skill]:
    return write("A", index=False), write("B", index=False)


@pytest.mark.parametrize(
    ("kind", "back"),
    [("subset", "superset"), ("superset", "subset"), ("conflict", "conflict"), ("Depends on", "depends_on")],
)
def test_both_directions_are_written_once(kind: str, back: str, pair: tuple[Skill, Skill], bob: User) -> None:
    a, b = pair
    kind_kept = type_of(kind)
    assert relate(a.pk, b.pk, kind, bob, reason="because").made
    assert not relate(a.pk, b.pk, kind, bob).made
    assert not relate(b.pk, a.pk, back, bob).made
    assert rows() == {("A", kind_kept, "B"), ("B", back, "A")}
    assert set(Relation.objects.values_list("reason", flat=True)) == {"because"}
    assert AuditEntry.objects.filter(action="skill.related").count() == 1


def test_taken_away_on_both_sides(pair: tuple[Skill, Skill], bob: User) -> None:
    a, b = pair
    relate(a.pk, b.pk, "subset", bob)
    relate(a.pk, b.pk, "complement", bob)
    unrelate(b.pk, a.pk, "superset", bob)
    assert rows() == {("A", "complement", "B"), ("B", "complement", "A")}
    with pytest.raises(NotFound):
        unrelate(a.pk, b.pk, "subset", bob)


@pytest.mark.parametrize("kind", ["", " ", "none", "a/b", "1st", "x" * 41, "<b>", "a\u202eb", "😀"])
def test_odd_types_are_refused(kind: str, pair: tuple[Skill, Skill], bob: User) -> None:
    with pytest.raises(InvalidInput):
        relate(pair[0].pk, pair[1].pk, kind, bob)
    assert not Relation.objects.exists()


def test_a_type_of_ones_own_in_any_script(pair: tuple[Skill, Skill], bob: User) -> None:
    relate(pair[0].pk, pair[1].pk, "前提", bob)
    assert rows() == {("A", "前提", "B"), ("B", "前提", "A")}


def test_none_to_itself_none_by_readers_none_to_what_is_hidden(
    write: Write, alice: User, bob: User, dave: User
) -> None:
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=alice)
    a, b = write("A", index=False), write("B", index=False)
    with pytest.raises(InvalidInput):
        relate(a.pk, a.pk, "conflict", bob)
    with pytest.raises(NotAllowed):
        relate(a.pk, b.pk, "conflict", dave)
    secret = edit.create_skill(alice, name="Secret", content="x", folder_id=closed.pk)
    with pytest.raises(NotFound):
        relate(a.pk, secret.pk, "conflict", bob)
    relate(a.pk, secret.pk, "conflict", alice)
    assert not relations_of(a, bob).exists()
    assert relations_of(a, alice).count() == 1
    with pytest.raises(NotFound):
        unrelate(a.pk, secret.pk, "conflict", bob)


@pytest.mark.django_db(transaction=True)
def test_many_people_at_once(write: Write, bob: User) -> None:
    a, b = write("A", index=False), write("B", index=False)
    faults: list[BaseException] = []

    def work(first: Skill, second: Skill) -> None:
        try:
            for _ in range(5):
                relate(first.pk, second.pk, "conflict", bob)
        except Exception as fault:  # noqa: BLE001 - told below
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(a, b) if n % 2 else (b, a)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert rows() == {("A", "conflict", "B"), ("B", "conflict", "A")}


class TestThePage:
    @pytest.fixture
    def page(self, bob: User) -> Client:
        client = Client()
        client.force_login(bob)
        return client

    def test_related_by_name_and_undone(self, page: Client, pair: tuple[Skill, Skill]) -> None:
        sent = {"type": "subset", "target": "ｂ", "reason": "chapter 2"}
        answer = page.post("/skills/a/relations/", sent, headers={"hx-request": "true"})
        assert answer.status_code == 200
        assert "part of" in answer.content.decode() and "chapter 2" in answer.content.decode()
        assert "/skills/a/relations/remove/" in answer.headers["HX-Trigger"]
        where = {"target": str(pair[1].pk), "type": "subset"}
        gone = page.post("/skills/a/relations/remove/", query_params=where, headers={"hx-request": "true"})
        assert gone.status_code == 200 and not Relation.objects.exists()
        page.post("/skills/a/relations/again/", query_params=where | {"reason": "chapter 2"})
        assert rows() == {("A", "subset", "B"), ("B", "superset", "A")}

    def test_a_type_of_ones_own(self, page: Client, pair: tuple[Skill, Skill]) -> None:
        sent = {"type": "own", "own_type": "Depends on", "target": "sk://skills/b"}
        assert page.post("/skills/a/relations/", sent).status_code == 302
        assert ("A", "depends_on", "B") in rows()

    @pytest.mark.parametrize("target", ["Nobody", "", "A"])
    def test_what_cannot_be_is_said_and_kept(
        self, target: str, page: Client, pair: tuple[Skill, Skill]
    ) -> None:
        sent = {"type": "conflict", "target": target, "reason": "kept words"}
        answer = page.post("/skills/a/relations/", sent)
        assert answer.status_code == 422
        assert "kept words" in answer.content.decode()
        assert not Relation.objects.exists()

    def test_names_are_completed(self, page: Client, write: Write) -> None:
        write("Travel rules", index=False), write("Rules of travel", index=False)
        shown = page.get("/skills/travel-rules/relations/names/", {"target": "rules"}).content.decode()
        assert "Rules of travel" in shown and "Travel rules" not in shown


class TestTheApi:
    def test_made_listed_and_taken_away(
        self, client: Client, pair: tuple[Skill, Skill], bob: User, dave: User
    ) -> None:
        a, b = pair
        headers: Any = people.bearer(bob)
        body = {"target_id": str(b.pk), "type": "subset", "reason": "x"}
        url = f"/api/skills/{a.pk}/relations"
        answer = client.post(url, body, "application/json", headers=headers)
        assert answer.status_code == 201 and answer.json()["target_name"] == "B"
        assert client.post(url, body, "application/json", headers=headers).status_code == 200
        assert (
            client.get(f"/api/skills/{b.pk}/relations", headers=headers).json()["items"][0]["type"]
            == "superset"
        )
        bad = client.post(url, body | {"type": "no/such"}, "application/json", headers=headers)
        assert bad.status_code == 422
        refused = client.delete(f"{url}/{b.pk}/subset", headers=people.bearer(dave))
        assert refused.status_code in (403, 404)
        assert client.delete(f"{url}/{b.pk}/subset", headers=headers).status_code == 200
        assert not Relation.objects.exists()
