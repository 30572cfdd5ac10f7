"""Links between skills: found, resolved, kept through renames and the trash, and followed back."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse

from documents import folders
from documents.models import Folder, FolderGrant
from documents.upload import FileReceipt
from kbsite.accounts.models import User
from kbsite.markdown import render
from skills import edit, trash
from skills.links.show import links_in
from skills.models import FormerName, Link, Skill

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def html(skill: Skill, user: User) -> str:
    skill.refresh_from_db()
    return str(render(skill.content, links=links_in(skill.content, skill, user)))


def targets(skill: Skill) -> dict[str, str | None]:
    rows = Link.objects.filter(source=skill).select_related("target")
    return {link.label: link.target.name if link.target else None for link in rows}


class TestWhatALinkMeans:
    def test_a_name_whatever_its_case_and_width(self, write: Write, bob: User) -> None:
        travel = write("Travel rules")
        skill = write("Guide", "See [[ＴＲＡＶＥＬ  rules]] and [[travel rules|these]].")
        assert list(targets(skill).values()) == ["Travel rules"]
        shown = html(skill, bob)
        assert f'<a class="wiki" href="/skills/{travel.slug}/">Travel rules</a>' in shown
        assert ">these</a>" in shown

    def test_addresses_of_all_kinds(self, write: Write, bob: User, upload: Any) -> None:
        receipt: FileReceipt = upload("notes.md", "# Notes\n\nText.\n")
        assert receipt.run is not None
        file_id = receipt.run.version.document_id
        travel = write("差旅")
        text = f"sk://skills/{travel.slug}, [k](sk://knowledge/{travel.pk}), <sk://documents/{file_id}>"
        skill = write("Guide", text)
        shown = html(skill, bob)
        assert shown.count(reverse("skills:skill", args=[travel.slug])) == 2
        assert f"/documents/{file_id}/" in shown
        assert Link.objects.filter(source=skill, document_id=file_id).count() == 1

    def test_without_a_skill_around_it_an_address_still_opens(self) -> None:
        """In a chat's answer, say."""
        assert 'href="/skills/a/"' in render("[x](sk://skills/a)")
        assert 'href="/sk/knowledge/a/"' in render("[x](sk://knowledge/a)")

    def test_by_slug_and_by_id(self, write: Write) -> None:
        travel = write("Travel: rules!")
        skill = write("Guide", f"[[{travel.slug}]] [[{travel.pk}]]")
        assert set(targets(skill).values()) == {"Travel: rules!"}

    def test_code_and_formulas_have_none(self, write: Write) -> None:
        skill = write("Guide", "`[[a]]` $[[b]]$\n\n```\n[[c]]\n```\n\n    [[d]]\n\n$$\n[[e]]\n$$\n")
        assert targets(skill) == {}

    def test_a_heading_opens_the_page_there(self, write: Write, bob: User) -> None:
        travel = write("Travel", "# Travel\n\n## Hotel limits\n\n600.\n")
        skill = write("Guide", "[[Travel#Hotel limits]] [[C#]] [[Issue #1]]")
        assert (
            f'href="/skills/{travel.slug}/?at=hotel-limits#l2-hotel-limits">Travel › Hotel limits<'
            in html(skill, bob)
        )
        assert set(targets(skill)) == {"Travel", "C#", "Issue #1"}

    def test_of_several_the_one_in_the_same_folder_then_the_first(self, write: Write, bob: User) -> None:
        sales, law = folders.create(bob, "Sales"), folders.create(bob, "Law")
        for folder in (sales, law, None):
            write("Terms", folder_id=folder.pk if folder else None)
        here = write("Guide", "[[terms]]", folder_id=law.pk)
        loose = write("Other", "[[terms]]", folder_id=folders.create(bob, "Zoo").pk)
        assert Link.objects.get(source=here).target.folder_id == law.pk  # type: ignore[union-attr]
        assert Link.objects.get(source=loose).target.folder_id == sales.pk  # type: ignore[union-attr]
        assert "3 skills have this name. This is the one in “Law”." in html(here, bob)


class TestThroughTime:
    def test_a_rename_keeps_links_and_shows_the_present_name(self, write: Write, bob: User) -> None:
        travel = write("Travel")
        skill = write("Guide", "[[Travel]] [[Travel|that one]]")
        edit.update_skill(travel.pk, bob, name="Trips")
        shown = html(skill, bob)
        assert ">Trips</a>" in shown and ">that one</a>" in shown
        later = write("Later", "[[travel]]")
        assert targets(later) == {"travel": "Trips"}
        edit.update_skill(travel.pk, bob, name="Travel")
        assert list(FormerName.objects.values_list("name", flat=True)) == ["Trips"]

    def test_a_skill_that_has_the_name_now_comes_before_one_that_had_it(
        self, write: Write, bob: User
    ) -> None:
        travel = write("Travel")
        old = write("Old", "[[Travel]]")
        edit.update_skill(travel.pk, bob, name="Trips")
        again = write("Travel")
        new = write("New", "[[Travel]]")
        assert Link.objects.get(source=old).target_id == travel.pk
        assert Link.objects.get(source=new).target_id == again.pk

    def test_a_broken_link_mends_when_its_skill_is_written_or_renamed(self, write: Write, bob: User) -> None:
        skill = write("Guide", "[[New thing]] [[Other thing]]")
        assert 'class="wiki broken" href="/skills/new/?name=New+thing"' in html(skill, bob)
        write("new Thing")
        edit.update_skill(write("Something").pk, bob, name="Other thing")
        assert targets(skill) == {"New thing": "new Thing", "Other thing": "Other thing"}
        assert "broken" not in html(skill, bob)

    def test_the_trash_breaks_it_and_gives_it_back(self, write: Write, bob: User) -> None:
        travel = write("Travel")
        skill = write("Guide", "[[Travel]]")
        trash.delete_skill(travel.pk, bob)
        assert "This skill is in the trash." in html(skill, bob)
        trash.undelete_skill(travel.pk, bob)
        assert "broken" not in html(skill, bob)

    def test_written_anew_while_the_first_is_in_the_trash(self, write: Write, bob: User) -> None:
        first = write("Travel")
        skill = write("Guide", "[[Travel]]")
        trash.delete_skill(first.pk, bob)
        second = write("Travel")
        assert Link.objects.get(source=skill).target_id == second.pk
        trash.undelete_skill(first.pk, bob)
        assert Link.objects.get(source=skill).target_id == second.pk

    def test_a_link_that_was_written_while_its_target_lay_in_the_trash(self, write: Write, bob: User) -> None:
        travel = write("Travel")
        trash.delete_skill(travel.pk, bob)
        skill = write("Guide", "[[Travel]]")
        assert targets(skill) == {"Travel": None}
        trash.undelete_skill(travel.pk, bob)
        assert targets(skill) == {"Travel": "Travel"}

    def test_an_edit_drops_and_adds(self, write: Write, bob: User) -> None:
        write("A"), write("B")
        skill = write("Guide", "[[A]]")
        edit.update_skill(skill.pk, bob, content="[[B]] only")
        assert targets(skill) == {"B": "B"}

    def test_the_text_of_a_document_has_links_too(self, upload: Any, queue: Any, write: Write) -> None:
        write("Travel")
        upload("notes.md", "# Notes\n\nSee [[Travel]].\n")
        queue.work()
        assert targets(Skill.objects.get(name="Notes")) == {"Travel": "Travel"}

    def test_links_in_texts_from_before_are_found(self, write: Write, bob: User) -> None:
        travel = write("Travel")
        skill = write("Guide", f"[[travel]] sk://skills/{travel.pk} [[nothing]]")
        Link.objects.all().delete()
        Skill.objects.update(name_key="")
        migration = import_module("skills.migrations.0011_link_names")
        with connection.schema_editor() as editor:
            migration.fold_names(apps, editor)
            migration.find_links(apps, editor)
            migration.find_links(apps, editor)
        assert sorted(map(str, targets(skill).values())) == ["None", "Travel", "Travel"]


class TestWhoSeesWhat:
    def test_what_one_may_not_see_is_as_if_it_did_not_exist(
        self, write: Write, alice: User, bob: User, dave: User
    ) -> None:
        closed = Folder.objects.create(name="Closed")
        FolderGrant.objects.create(folder=closed, user=alice)
        skill = write("Guide", "[[Secret plan]] [[Nothing]]")
        edit.create_skill(alice, name="Secret plan", content="x", folder_id=closed.pk)
        Skill.objects.update(status="approved")
        assert 'href="/skills/secret-plan/"' in html(skill, alice)
        for_bob = html(skill, bob)
        assert for_bob.count("No skill of that name. Write it.") == 2
        assert "/skills/secret-plan/" not in for_bob
        assert html(skill, dave) == "<p>Secret plan Nothing</p>\n"

    def test_one_that_may_be_seen_stands_in_for_one_that_may_not(
        self, write: Write, alice: User, bob: User
    ) -> None:
        closed = Folder.objects.create(name="A closed one")
        FolderGrant.objects.create(folder=closed, user=alice)
        edit.create_skill(alice, name="Terms", content="x", folder_id=closed.pk)
        open_one = write("Terms", folder_id=Folder.objects.create(name="Open").pk)
        skill = write("Guide", "[[Terms]]")
        assert f"/skills/{open_one.slug}/" in html(skill, bob)
        assert "skills have this name" not in html(skill, bob)

    def test_a_deleted_secret_is_not_said_to_be_in_the_trash(
        self, write: Write, alice: User, bob: User
    ) -> None:
        closed = Folder.objects.create(name="Closed")
        FolderGrant.objects.create(folder=closed, user=alice)
        secret = edit.create_skill(alice, name="Secret", content="x", folder_id=closed.pk)
        skill = write("Guide", "[[Secret]]")
        trash.delete_skill(secret.pk, alice)
        assert "in the trash" in html(skill, alice)
        assert "in the trash" not in html(skill, bob)

    def test_an_unsaved_text(self, write: Write, bob: User) -> None:
        write("Travel")
        found = links_in("[[travel]] [[nothing]]", None, bob)
        assert found["travel"].href == "/skills/travel/"
        assert found["nothing"].broken

    def test_the_number_of_queries_does_not_grow(
        self, write: Write, bob: User, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(6):
            write(f"S{n}", index=False)
        skill = write("Guide", " ".join(f"[[S{n}]] [[N{n}]] sk://documents/{uuid.uuid4()}" for n in range(6)))
        with django_assert_max_num_queries(8):
            links_in(skill.content, skill, bob)


class TestHostile:
    @pytest.mark.parametrize(
        "text",
        [
            "[[<script>alert(1)</script>]]",
            '[[" onmouseover="alert(1)]]',
            "[[javascript:alert(1)]]",
            "[x](sk://skills/../../admin)",
            "[x](sk://skills/%22%3E%3Cscript%3E)",
            "[[a|<img src=x onerror=alert(1)>]]",
            "[[\u202eabc]]",
            "[[" * 2000,
            "[[" + "长" * 301 + "]]",
        ],
    )
    def test_what_is_written_never_runs(self, text: str, write: Write, bob: User) -> None:
        shown = html(write("Guide", f"x {text}"), bob)
        assert "<script" not in shown and "<img" not in shown and '" onmouseover' not in shown.split(">x ")[0]
        assert "javascript:" not in shown.replace("javascript:alert(1)</a>", "").replace(
            "name=javascript", ""
        )

    def test_very_many_links(self, write: Write, bob: User) -> None:
        skill = write("Guide", " ".join(f"[[Name {n}]]" for n in range(5_000)), index=False)
        assert Link.objects.filter(source=skill).count() == 2_000

    def test_five_megabytes(self, write: Write) -> None:
        write("Travel")
        text = ("word " * 200 + "\n\n") * 5_000 + "[[Travel]]"
        skill = write("Guide", text, index=False)
        assert targets(skill) == {"Travel": "Travel"}


@pytest.mark.django_db(transaction=True)
def test_a_link_and_its_target_written_at_once(bob: User, queue: Any) -> None:
    """Whoever is first, the link leads there."""
    faults: list[BaseException] = []

    def work(name: str, content: str) -> None:
        try:
            edit.create_skill(bob, name=name, content=content)
        except Exception as fault:  # noqa: BLE001 - told below
            faults.append(fault)
        finally:
            connection.close()

    for n in range(8):
        pair = (f"From {n}", f"[[To {n}]]"), (f"To {n}", f"[[From {n}]]")
        threads = [threading.Thread(target=work, args=args) for args in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not faults
    assert not Link.objects.filter(target=None).exists()
    assert Link.objects.count() == 16
