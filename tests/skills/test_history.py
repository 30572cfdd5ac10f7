"""Revisions: kept small, compared word by word, read whole, brought back."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills import edit
from skills.history.compare import compare, differences
from skills.models import Revision, Skill
from skills.revisions import CHAIN, WHOLE, whole
from tests import people

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def texts(skill: Skill) -> list[str]:
    return [whole(revision)["content"] for revision in skill.revisions.order_by("number")]


class TestKeeping:
    def test_long_texts_are_kept_as_what_changed_and_come_back_exactly(self, write: Write, bob: User) -> None:
        chance = random.Random(5)  # noqa: S311 - a fixed sequence
        lines = [f"Line {n} of a long text." for n in range(1_500)]
        skill = write("Long", "\n".join(lines), index=False)
        expected = [skill.content]
        for n in range(CHAIN + 15):
            at = chance.randrange(len(lines))
            lines[at : at + chance.randrange(3)] = [f"changed {n}"] * chance.randrange(3)
            expected.append("\n".join(lines))
            edit.update_skill(skill.pk, bob, content=expected[-1])
        expected = [text for n, text in enumerate(expected) if n == 0 or text != expected[n - 1]]
        assert texts(skill) == expected
        kept = [revision.snapshot["content"] for revision in skill.revisions.order_by("number")]
        assert isinstance(kept[1], dict)
        assert sum(isinstance(text, str) for text in kept) == 2
        edit.restore_revision(skill.pk, bob, 3)
        skill.refresh_from_db()
        assert skill.content == expected[2]

    def test_short_ones_are_kept_whole(self, write: Write, bob: User) -> None:
        skill = write("Short", "a\n", index=False)
        edit.update_skill(skill.pk, bob, content="b\n")
        assert [r.snapshot["content"] for r in skill.revisions.order_by("number")] == ["a\n", "b\n"]

    def test_a_text_of_which_nothing_stayed_is_kept_whole(self, write: Write, bob: User) -> None:
        skill = write("Long", "a b c\n" * WHOLE, index=False)
        edit.update_skill(skill.pk, bob, content="d e f\n" * WHOLE)
        assert skill.revisions.get(number=2).snapshot["content"] == "d e f\n" * WHOLE

    def test_layers_written_later_do_not_unpack_it(self, write: Write, bob: User, queue: Any) -> None:
        skill = write("Long", "Some words in a line.\n" * 1_000)
        edit.update_skill(skill.pk, bob, content="First.\n" + "Some words in a line.\n" * 1_000)
        queue.sent = [("skills.refresh", [str(skill.pk)])]
        queue.work()
        last = skill.revisions.get(number=2)
        assert isinstance(last.snapshot["content"], dict) and last.snapshot["abstract"]
        assert whole(last)["content"].startswith("First.")

    def test_five_megabytes_saved_often_stay_small(self, write: Write, bob: User) -> None:
        chance = random.Random(9)  # noqa: S311 - a fixed sequence
        words = [f"{chance.randrange(10**9)}" for _ in range(450_000)]
        lines = [" ".join(words[n : n + 10]) for n in range(0, len(words), 10)]
        skill = write("Huge", "\n".join(lines), index=False)
        for n in range(4):
            lines[n * 7_000] = f"changed {n}"
            edit.update_skill(skill.pk, bob, content="\n".join(lines))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_column_size(snapshot) FROM skills_revision ORDER BY number")
            sizes = [size for (size,) in cursor.fetchall()]
        assert sizes[0] > 1_000_000
        assert max(sizes[1:]) < 50_000
        assert texts(skill)[-1] == "\n".join(lines)


class TestComparing:
    def test_every_field_that_differs(self, write: Write, bob: User) -> None:
        skill = write("A", "One.\n", index=False)
        changes = {"name": "B", "content": "Two.\n", "tags": ["x"], "abstract": "New.", "is_active": False}
        edit.update_skill(skill.pk, bob, **changes)
        found = {change.field: change for change in compare(skill, 1, 2).changes}
        assert set(found) == set(changes)
        assert (found["tags"].before, found["tags"].after) == ("", "x")
        assert found["content"].text
        with pytest.raises(NotFound):
            compare(skill, 1, 9)

    def test_old_snapshots_without_a_field(self) -> None:
        assert differences({"name": "a"}, {"name": "a", "config": {"x": 1}})[0].field == "config"


class TestThePages:
    def test_any_two(self, page: Client, write: Write, bob: User) -> None:
        skill = write("Travel", "The limit is 400 yuan.\n", index=False)
        for n in (500, 600):
            edit.update_skill(skill.pk, bob, content=f"The limit is {n} yuan.\n", reason=f"raised to {n}")
        listed = page.get("/skills/travel/history/").content.decode()
        assert "raised to 500" in listed and 'name="before"' in listed
        chosen = page.get("/skills/travel/history/", {"before": "3", "after": "1"})
        assert chosen.headers["Location"] == "/skills/travel/history/3/?against=1"
        shown = page.get(chosen.headers["Location"]).content.decode()
        assert "<del>400</del>" in shown and "<ins>600</ins>" in shown
        before = page.get("/skills/travel/history/3/").content.decode()
        assert "<del>500</del>" in before
        assert 'class="difference side"' in page.get("/skills/travel/history/3/?side=1").content.decode()
        whole_text = page.get("/skills/travel/history/2/?text=1").content.decode()
        assert "The limit is 500 yuan." in whole_text

    @pytest.mark.parametrize(
        "path", ["9/", "1/?against=9", "0/", "2/?against=abc", "1/?text=1", "1/", "2/?against=2"]
    )
    def test_odd_numbers(self, path: str, page: Client, write: Write, bob: User) -> None:
        skill = write("Travel", index=False)
        edit.update_skill(skill.pk, bob, content="x\n")
        status = page.get(f"/skills/travel/history/{path}").status_code
        assert status == (404 if path in ("9/", "1/?against=9", "0/") else 200)

    def test_brought_back_and_undone(self, page: Client, write: Write, bob: User) -> None:
        skill = write("Travel", "First.\n", index=False)
        edit.update_skill(skill.pk, bob, content="Second.\n")
        answer = page.post("/skills/travel/restore/1/", follow=True)
        assert "Revision 1 is back." in answer.content.decode()
        assert "/skills/travel/restore/2/" in answer.content.decode()
        skill.refresh_from_db()
        assert skill.content == "First.\n"
        page.post("/skills/travel/restore/2/")
        skill.refresh_from_db()
        assert skill.content == "Second.\n"
        same = page.post("/skills/travel/restore/2/", follow=True).content.decode()
        assert "what is there now" in same
        assert skill.revisions.count() == 4

    def test_undoing_takes_back_nothing_that_another_saved_since(
        self, page: Client, write: Write, carol: User
    ) -> None:
        """Neither the undo of a revision brought back, nor that of a field edited in place."""
        skill = write("Travel", "First.\n", index=False)
        address = "/skills/travel/field/description/"
        edited = page.post(address, {"value": "When one travels.", "version": 1}, follow=True)
        undo = re.findall(r'action="(/skills/travel/restore/[^"]+)"', edited.content.decode())
        edit.update_skill(skill.pk, carol, content="Theirs.\n")
        assert page.post(undo[0]).status_code == 412
        skill.refresh_from_db()
        assert (skill.content, skill.description) == ("Theirs.\n", "When one travels.")
        back = page.post("/skills/travel/restore/1/", follow=True).content.decode()
        undo = re.findall(r'action="(/skills/travel/restore/[^"]+)"', back)
        edit.update_skill(skill.pk, carol, name="Trips")
        assert page.post(undo[0]).status_code == 412
        skill.refresh_from_db()
        assert (skill.name, skill.content) == ("Trips", "First.\n")

    def test_the_number_of_queries_does_not_grow(
        self, page: Client, write: Write, bob: User, django_assert_max_num_queries: Any
    ) -> None:
        skill = write("Travel", "x\n", index=False)
        for n in range(12):
            edit.update_skill(skill.pk, bob, content=f"{n} " * 20_000)
        with django_assert_max_num_queries(14):
            page.get("/skills/travel/history/")
        with django_assert_max_num_queries(16):
            page.get("/skills/travel/history/9/?against=2")

    def test_readers_look_and_cannot_restore(self, write: Write, bob: User, dave: User) -> None:
        skill = write("Travel", "x\n")
        Skill.objects.update(status="approved")
        edit.update_skill(skill.pk, bob, content="y\n")
        client = Client()
        client.force_login(dave)
        assert client.get("/skills/travel/history/2/").status_code == 200
        assert client.post("/skills/travel/restore/1/").status_code == 403


def test_the_api_tells_a_revision_and_its_changes(client: Client, write: Write, bob: User) -> None:
    skill = write("Travel", "x\n", index=False)
    edit.update_skill(skill.pk, bob, content="y\n", name="Trips")
    headers = people.bearer(bob)
    answer = client.get(f"/api/skills/{skill.pk}/revisions/2", headers=headers).json()
    assert answer["against"] == 1 and answer["skill"]["content"] == "y\n"
    assert {change["field"]: change["before"] for change in answer["changes"]} == {
        "name": "Travel",
        "content": "x\n",
    }
    first = client.get(f"/api/skills/{skill.pk}/revisions/1", headers=headers).json()
    assert first["against"] is None and first["changes"] == []
    assert client.get(f"/api/skills/{skill.pk}/revisions/7", headers=headers).status_code == 404
    assert json.dumps(answer) and Revision.objects.count() == 2
