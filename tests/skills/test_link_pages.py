"""Where links lead and come from, on pages and in the API; completing names; use; editing in place."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit, trash
from skills.links.back import sentence
from skills.links.names import names
from skills.models import Link, Skill, SkillUse
from skills.use import DAYS, record_use, use_of
from tests import people

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


@pytest.fixture
def secret(alice: User) -> Skill:
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=alice)
    return edit.create_skill(alice, name="Secret", content="Read [[Travel]] first.", folder_id=closed.pk)


class TestLinkedFrom:
    def test_the_sentence_around_the_link(self, page: Client, write: Write) -> None:
        write("Travel", index=False)
        text = "One sentence. Before a trip read **[[Travel]]** with care. Another one.\n"
        write("Guide", text, index=False)
        shown = page.get("/skills/travel/").content.decode()
        assert "Before a trip read Travel with care." in shown
        assert "Another one" not in shown.split('class="mentions"')[1].split("</ul>")[0]
        assert "Guide" in page.get("/skills/travel/linked-from/").content.decode()

    def test_far_down_in_a_long_text(self, page: Client, write: Write) -> None:
        write("Travel", index=False)
        write("Guide", "Words and words.\n\n" * 20_000 + "At last [[travel|a link]]。后面", index=False)
        assert "At last a link。" in page.get("/skills/travel/linked-from/").content.decode()

    def test_not_from_what_one_may_not_see_nor_from_itself(
        self, page: Client, write: Write, secret: Skill
    ) -> None:
        write("Travel", "See [[Travel]].", index=False)
        assert Link.objects.filter(target__name="Travel").count() == 2
        for path in ("/skills/travel/", "/skills/travel/linked-from/"):
            assert "Secret" not in page.get(path).content.decode()

    def test_a_constant_number_of_queries(
        self, page: Client, write: Write, django_assert_max_num_queries: Any
    ) -> None:
        write("Travel", index=False)
        for n in range(25):
            write(f"Guide {n}", f"{n}: [[Travel]].", index=False)
        with django_assert_max_num_queries(14):
            shown = page.get("/skills/travel/linked-from/").content.decode()
        assert "?page=2" in shown
        assert "Guide 9" in page.get("/skills/travel/linked-from/?page=2").content.decode()

    @pytest.mark.parametrize(
        ("text", "at", "line"),
        [
            ("甲。乙 [[x]] 丙！丁", 4, "乙 x 丙！"),
            ("- a\n- b [[x]] c\n- d", 8, "b x c"),
            ("[[x]]", 0, "x"),
            ("y" * 500 + " [[x]]", 501, "y" * 220 + "…"),
        ],
    )
    def test_sentences(self, text: str, at: int, line: str) -> None:
        assert sentence(text, at) == line


class TestAddresses:
    def test_each_kind_opens(self, page: Client, write: Write, upload: Any) -> None:
        skill = write("差旅", index=False)
        run = upload("notes.md", "# Notes\n").run
        for path in (f"skills/{skill.slug}", f"skills/{skill.pk}", f"knowledge/{skill.pk}"):
            assert page.get(f"/sk/{path}/").status_code == 302
        document = run.version.document_id
        assert page.get(f"/sk/documents/{document}/").headers["Location"] == f"/documents/{document}/"

    @pytest.mark.parametrize(
        "path", ["skills/none", "documents/x", f"documents/{uuid.uuid4()}", "users/1", "skills/../x"]
    )
    def test_nothing_there(self, path: str, page: Client) -> None:
        assert page.get(f"/sk/{path}/").status_code == 404

    def test_nothing_that_one_may_not_see(self, page: Client, secret: Skill) -> None:
        assert page.get("/sk/skills/secret/").status_code == 404


class TestBrokenLinks:
    def test_the_list(self, page: Client, write: Write, bob: User, secret: Skill) -> None:
        write("Guide", "[[Nothing yet]] [[Secret]] [[Gone]] sk://skills/no", index=False)
        gone = write("Gone", index=False)
        trash.delete_skill(gone.pk, bob)
        shown = page.get("/links/").content.decode()
        for label in ("Nothing yet", "Secret", "Gone", "sk://skills/no"):
            assert f">{label}</td>" in shown
        assert ">Travel</td>" not in shown  # it stands in a text that Bob may not see
        narrowed = page.get("/links/", {"q": "nothing"}, headers={"hx-request": "true"}).content.decode()
        assert ">Nothing yet</td>" in narrowed and ">Gone</td>" not in narrowed and "<html" not in narrowed

    def test_a_constant_number_of_queries(
        self, page: Client, write: Write, django_assert_max_num_queries: Any
    ) -> None:
        write("Guide", " ".join(f"[[N{n}]]" for n in range(60)), index=False)
        page.get("/links/")
        with django_assert_max_num_queries(11):
            page.get("/links/")

    def test_readers_are_refused(self, dave: User) -> None:
        client = Client()
        client.force_login(dave)
        assert client.get("/links/").status_code == 403


def test_the_api_tells_links_both_ways(client: Client, write: Write, bob: User, secret: Skill) -> None:
    travel = write("Travel", "To [[Guide]], [[Secret]] and [[nothing]].", index=False)
    guide = write("Guide", "Read [[Travel]].", index=False)
    answer = client.get(f"/api/skills/{travel.pk}/links", headers=people.bearer(bob)).json()
    assert answer["out"] == [{"label": "Guide", "uri": guide.uri, "name": "Guide"}]
    assert [one["name"] for one in answer["in"]] == ["Guide"]
    assert answer["in"][0]["line"] == "Read Travel."
    assert answer["broken"] == ["nothing", "Secret"]


class TestNames:
    def test_by_beginning_then_former_name_then_word_then_inside(self, write: Write, bob: User) -> None:
        for name in ("Railways", "A rail pass", "Monorail", "Trains", "Rail"):
            write(name, index=False)
        edit.update_skill(Skill.objects.get(name="Trains").pk, bob, name="Locomotives")
        edit.update_skill(Skill.objects.get(name="Monorail").pk, bob, name="Monorails")
        assert [one.name for one in names("ＲＡＩＬ", bob)] == [
            "Rail",
            "Railways",
            "A rail pass",
            "Monorails",
        ]
        assert [(one.name, one.former) for one in names("trai", bob)] == [("Locomotives", "Trains")]
        assert [one.name for one in names("rail", bob, 2)] == ["Rail", "Railways"]

    @pytest.mark.parametrize("odd", ["%", "_", "\\", "😀", "a" * 500, "\u202e", "' OR 1=1"])
    def test_odd_beginnings(self, odd: str, write: Write, bob: User) -> None:
        write("Plain", index=False)
        assert names(odd, bob) == []

    def test_none_types_nothing_and_sees_only_theirs(
        self, write: Write, bob: User, secret: Skill, django_assert_max_num_queries: Any
    ) -> None:
        write("Plain", index=False)
        assert [one.name for one in names("", bob)] == ["Plain"]
        bob = User.objects.get(pk=bob.pk)
        with django_assert_max_num_queries(4):
            assert names("secr", bob) == []


class TestUse:
    def test_counted_by_day_and_kind(self, write: Write) -> None:
        one, two = write("A", index=False), write("B", index=False)
        assert record_use([one.pk, two.pk, one.pk]) == 2
        record_use([one.pk])
        record_use([one.pk], SkillUse.Kind.CITED)
        one.refresh_from_db()
        assert one.active_count == 3
        rows = SkillUse.objects.filter(skill=one).order_by("kind").values_list("kind", "count")
        assert list(rows) == [("cited", 1), ("opened", 2)]

    def test_the_chart_and_its_words(self, write: Write) -> None:
        skill = write("A", index=False)
        today = timezone.now().date()
        for ago, count in ((0, 4), (DAYS - 1, 2), (DAYS, 9)):
            SkillUse.objects.create(skill=skill, day=today - timedelta(days=ago), kind="opened", count=count)
        SkillUse.objects.create(skill=skill, day=today, kind="read", count=1)
        use = use_of(skill, today)
        assert use.total == 7
        assert use.words == "opened 6 times, read by the agent 1 time"
        assert [bar.x for bar in use.bars] == [0, use.WIDTH - use.BAR]
        assert use_of(skill, today - timedelta(days=90)).words == "not used"

    def test_not_in_the_trash(self, write: Write, bob: User) -> None:
        skill = write("A", index=False)
        trash.delete_skill(skill.pk, bob)
        assert record_use([skill.pk]) == 0


class TestEditingInPlace:
    HX = {"hx-request": "true"}

    @pytest.mark.parametrize(
        ("field", "value", "kept"),
        [
            ("name", "Trips", "Trips"),
            ("abstract", "Short.", "Short."),
            ("overview", "# Long", "# Long"),
            ("description", "When you travel.", "When you travel."),
            ("tags", "a, b，c", ["a", "b", "c"]),
        ],
    )
    def test_one_field(self, field: str, value: str, kept: object, page: Client, write: Write) -> None:
        skill = write("Travel")
        form = page.get(f"/skills/travel/field/{field}/", headers=self.HX).content.decode()
        assert "<html" not in form and f'value="{skill.version}"' in form
        sent = {"value": value, "version": skill.version}
        answer = page.post(f"/skills/travel/field/{field}/", sent, headers=self.HX)
        assert answer.headers["HX-Refresh"] == "true"
        skill.refresh_from_db()
        assert getattr(skill, field) == kept

    def test_without_javascript(self, page: Client, write: Write) -> None:
        skill = write("Travel")
        assert "<html" in page.get("/skills/travel/field/name/").content.decode()
        answer = page.post("/skills/travel/field/name/", {"value": "Trips", "version": skill.version})
        assert answer.headers["Location"] == "/skills/travel/"

    def test_a_lost_update_shows_both(self, page: Client, write: Write, bob: User) -> None:
        skill = write("Travel")
        edit.update_skill(skill.pk, bob, abstract="Theirs is here.")
        sent = {"value": "Mine is here.", "version": skill.version}
        answer = page.post("/skills/travel/field/abstract/", sent, headers=self.HX)
        shown = answer.content.decode()
        assert answer.status_code == 412
        assert "<del>Theirs</del>" in shown and "Mine is here." in shown
        assert f'value="{skill.version + 1}"' in shown

    @pytest.mark.parametrize("value", ["", "   ", "x" * 300])
    def test_names_that_cannot_be(self, value: str, page: Client, write: Write) -> None:
        skill = write("Travel")
        sent = {"value": value, "version": skill.version}
        answer = page.post("/skills/travel/field/name/", sent, headers=self.HX)
        assert answer.status_code == 422

    def test_no_other_field_and_no_system_skill(self, page: Client, write: Write) -> None:
        skill = write("Travel")
        assert page.get("/skills/travel/field/status/").status_code == 404
        Skill.objects.update(type="system")
        sent = {"value": "x", "version": skill.version}
        assert page.post("/skills/travel/field/abstract/", sent).status_code == 403


def test_passages_are_listed_and_open_marked(
    page: Client, write: Write, django_assert_max_num_queries: Any
) -> None:
    skill = write("Travel", "\n\n".join(f"## Part {n}\n\n" + f"Word {n} and more. " * 60 for n in range(30)))
    assert "passages</summary>" in page.get("/skills/travel/").content.decode()
    with django_assert_max_num_queries(12):
        shown = page.get("/skills/travel/passages/").content.decode()
    first = skill.passages.order_by("ordinal").first()
    assert first is not None
    assert f"?passage={first.pk}#p-{first.pk}" in shown
    assert "tokens" in shown
