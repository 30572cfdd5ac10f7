"""The page of a folder as people and programs read it: live index and log, text that was made."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents import folders
from documents.models import Folder
from kbsite.accounts.models import User
from skills import edit, moves, trash
from skills.folder_pages import make
from skills.models import FolderEvent, FolderPage, Relation, Skill
from skills.system import load
from tests import people
from tests.skills.conftest import Queue
from tests.skills.folder_pages.conftest import LEAVE, TRAVEL, Made, closed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("alice")]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text(response: Any) -> str:
    shown = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(shown))


def address(folder: Folder, more: str = "") -> str:
    return f"/folders/{folder.pk}/page/{more}"


def test_the_page_shows_text_index_sub_folders_and_log(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    sub = folders.create(bob, "差旅", parent_id=folder.pk)
    skill("年假", LEAVE, folder), skill("住宿", TRAVEL, sub)
    make_page(folder)
    response = signed_in(bob).get(address(folder))
    shown = text(response)
    for words in ("制度", "Key facts", "15 天", "500 元", "年假", "差旅", "Written", "This page was made"):
        assert words in shown
    assert "Quoted from 1 skill and 1 folder, without a model" in shown
    assert f'href="/folders/{sub.pk}/page/"' in response.content.decode()
    assert "Make again" in shown


def test_a_reader_sees_only_what_can_be_found(
    folder: Folder, bob: User, dave: User, skill: Made, make_page: Any
) -> None:
    """In the index, the log and the counts."""
    skill("年假", LEAVE, folder)
    skill("Draft plan", "Secret draft of 5 pages.", folder, status="pending")
    make_page(folder)
    shown = text(signed_in(dave).get(address(folder)))
    assert "年假" in shown
    assert "Draft plan" not in shown
    assert "1 skill " in shown
    assert "Make again" not in shown
    assert "Draft plan" in text(signed_in(bob).get(address(folder)))


def test_states_say_what_to_do(folder: Folder, bob: User, dave: User, skill: Made, queue: Queue) -> None:
    page, reader = signed_in(bob), signed_in(dave)
    assert "Nothing is in this folder yet" in text(page.get(address(folder)))
    skill("年假", LEAVE, folder)
    assert "Make the page" in text(page.get(address(folder)))
    assert "An editor can have it made" in text(reader.get(address(folder)))
    assert page.post(address(folder, "refresh/")).status_code == 302
    assert "waits to be made" in text(page.get(address(folder)))
    assert "hx-get" in page.get(address(folder, "state/")).content.decode()
    FolderPage.objects.update(state="failed", reason="The model did not answer.")
    assert "could not be made. The model did not answer." in text(page.get(address(folder)))
    assert page.get(address(folder, "state/")).headers["HX-Refresh"] == "true"
    assert reader.post(address(folder, "refresh/")).status_code == 403


def test_conflicts_name_both_sides_once_and_only_to_those_who_see_both(
    folder: Folder, alice: User, bob: User, skill: Made
) -> None:
    one = skill("年假", LEAVE, folder)
    apart = Folder.objects.create(name="密")
    other = skill("旧年假", "年假 10 天。", folder)
    hidden = skill("秘密", "年假 77 天。", apart)
    for target in (other, hidden):
        Relation.objects.create(source=one, target=target, type="conflict", reason="天数不同")
        Relation.objects.create(source=target, target=one, type="conflict", reason="天数不同")
    closed(apart, alice)
    shown = text(signed_in(bob).get(address(folder)))
    assert "1 conflict in here" in shown
    assert shown.count("天数不同") == 1
    assert "秘密" not in shown
    assert "2 conflicts in here" in text(signed_in(alice).get(address(folder)))


def test_the_page_of_the_root_folder_is_that_of_the_whole_base(
    folder: Folder, bob: User, skill: Made
) -> None:
    skill("年假", LEAVE, folder), skill("门禁", "押金 50 元。", None)
    root = Folder.objects.get(is_system=True)
    shown = text(signed_in(bob).get(address(root)))
    for words in ("Root folder", "2 skills", "制度", "Unfiled", "门禁"):
        assert words in shown


def test_a_closed_folder_is_not_there(folder: Folder, alice: User, bob: User, dave: User) -> None:
    closed(folder, alice)
    for user in (bob, dave):
        client = signed_in(user)
        for path in (address(folder), address(folder, "log/"), f"/folders/{folder.pk}/page.md"):
            assert client.get(path).status_code == 404
        assert client.post(address(folder, "refresh/")).status_code == 404
        headers = people.bearer(user)
        assert client.get(f"/api/folders/{folder.pk}/page", headers=headers).status_code == 404


def test_the_index_is_paged_by_keyset_in_either_order(folder: Folder, bob: User, skill: Made) -> None:
    Skill.objects.bulk_create(
        Skill(name=f"Rule {n:03}", slug=f"rule-{n}", folder=folder, status="approved", index_state="ready")
        for n in range(120)
    )
    page = signed_in(bob)
    seen: list[str] = []
    query: str | None = ""
    while query is not None:
        shown = page.get(address(folder, f"?order=order{query}")).content.decode()
        seen += re.findall(r">(Rule \d{3})<", shown)
        found = re.search(r'rel="next" href="\?order=order&amp;(cursor=[^"#]+)', shown)
        query = "&" + found[1] if found else None
    assert seen == [f"Rule {n:03}" for n in range(120)]
    assert page.get(address(folder, "?cursor=nonsense&order=x&log=%00")).status_code == 200
    part = page.get(address(folder, "?order=updated"), headers={"HX-Request": "true", "HX-Target": "index"})
    assert part.content.decode().lstrip().startswith('<div id="index">')


def test_the_page_takes_as_many_queries_for_five_skills_as_for_fifty(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    page = signed_in(bob)

    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert page.get(address(folder)).status_code == 200
        return len(queries)

    def fill(start: int, end: int) -> None:
        for n in range(start, end):
            skill(f"规则 {n}", f"第 {n} 条规则限 {n} 天。", folder)
            folders.create(bob, f"子 {n}", parent_id=folder.pk)
        make_page(folder)

    fill(0, 5)
    few = count()
    fill(5, 50)
    assert count() <= few <= 24


def test_the_log_gathers_what_happened_together(folder: Folder, bob: User, dave: User, skill: Made) -> None:
    """Names are those of now; moves, deletions and restorations are one line each, with a count."""
    made = [skill(f"规则 {n}", f"第 {n} 条。", folder) for n in range(8)]
    elsewhere = folders.create(bob, "别处")
    moves.move_skills([s.pk for s in made[:7]], bob, elsewhere.pk)
    edit.update_skill(made[7].pk, bob, name="改名")
    Skill.objects.filter(pk=made[7].pk).update(status="approved")
    trash.delete_skill(made[7].pk, bob)
    assert FolderEvent.objects.filter(folder=elsewhere).get().count == 7
    shown = text(signed_in(bob).get(address(folder)))
    assert "Deleted 改名" in shown
    assert "Moved out 规则 0 , 规则 1 , 规则 2 , 规则 3 , 规则 4 and 2 more" in shown
    assert "改名 , 规则 6" in shown  # one line for the eight that were written
    reader = text(signed_in(dave).get(address(folder)))
    assert "改名" not in reader
    assert "Deleted 1 skill" in reader
    trash.undelete_skill(made[7].pk, bob)
    assert "Restored 改名" in text(signed_in(bob).get(address(folder)))


def test_the_log_goes_on_in_place(folder: Folder, bob: User) -> None:
    FolderEvent.objects.bulk_create(FolderEvent(folder=folder, what="remade") for _ in range(70))
    page = signed_in(bob)
    shown = page.get(address(folder)).content.decode()
    older = html.unescape(re.search(r'href="(/folders/[^"]+/page/log/\?log=[^"]+)"', shown)[1])  # type: ignore[index]
    more = page.get(older, headers={"HX-Request": "true"}).content.decode()
    assert more.count("This page was made") == 30
    assert "Update log" in text(page.get(older))


def test_as_markdown(folder: Folder, bob: User, skill: Made, make_page: Any) -> None:
    """In the form of a project.md, in the language of what is in it."""
    skill("年假", LEAVE, folder), skill("差旅|<b>", TRAVEL, folder)
    make_page(folder)
    response = signed_in(bob).get(f"/folders/{folder.pk}/page.md")
    assert response.headers["Content-Type"] == "text/markdown; charset=utf-8"
    said = response.content.decode()
    headings = [line for line in said.splitlines() if re.match("##? ", line)]
    assert headings == ["# 制度", "## 概述", "## 关键信息", "## 文件索引", "## 更新记录"]
    assert f"- {LEAVE} [[年假]]" in said
    assert "| [年假](sk://skills/年假) | 年假每年 15 天" in said
    assert r"差旅\|\<b\>" in said
    assert re.search(r"^- \d{4}-\d\d-\d\d \d\d:\d\d: 编写：", said, re.M)
    english = folders.create(bob, "Rules")
    plain = signed_in(bob).get(f"/folders/{english.pk}/page.md").content.decode()
    assert "## Key facts\n\nNothing yet." in plain


@pytest.mark.parametrize("name", ["🙂", "a/b|c", "\u202eevil", "<script>alert(1)</script>", "长" * 100])
def test_odd_names_are_shown_as_they_are(
    folder: Folder, bob: User, skill: Made, make_page: Any, name: str
) -> None:
    skill(
        name,
        "It costs 15 euros a day in total.\n\n<script>alert(1)</script> [x](javascript:alert(1))",
        folder,
    )
    make_page(folder)
    page = signed_in(bob)
    shown = page.get(address(folder)).content.decode()
    assert "<script>alert" not in shown
    assert "javascript:" not in re.sub(r">[^<]*<", "><", shown)
    assert page.get(f"/folders/{folder.pk}/page.md").status_code == 200


def test_programs_read_and_refresh_it(
    folder: Folder, bob: User, dave: User, skill: Made, make_page: Any, client: Client, queue: Queue
) -> None:
    one = skill("年假", LEAVE, folder)
    make_page(folder)
    headers = people.bearer(dave)
    page = client.get(f"/api/folders/{folder.pk}/page", headers=headers).json()
    assert page["path"] == ["制度"]
    assert page["key_facts"] == [
        {"text": LEAVE, "skill_uri": one.uri, "skill_name": "年假", "folder_id": None}
    ]
    assert (page["state"], page["made_from"], page["out_of"], page["skills"]) == ("ready", 1, 1, 1)
    assert [row["name"] for row in page["index"]["items"]] == ["年假"]
    assert [line["what"] for line in page["log"]] == ["remade", "written"]
    path = f"/api/folders/{folder.pk}/page/refresh"
    assert client.post(path, headers=headers).status_code == 403
    answer = client.post(path, headers=people.bearer(bob))
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert make.claim(folder.pk)


def test_lists_of_folders_say_what_each_is_about(
    folder: Folder, alice: User, bob: User, skill: Made, make_page: Any, client: Client
) -> None:
    skill("年假", LEAVE, folder)
    make_page(folder)
    headers = people.bearer(bob)
    for path in ("/api/folders", "/api/folders?tree=true"):
        listed = {row["name"]: row["abstract"] for row in client.get(path, headers=headers).json()}
        assert listed["制度"] == LEAVE
    assert client.get(f"/api/folders/{folder.pk}", headers=headers).json()["abstract"] == LEAVE


def test_the_root_folders_page_leaves_out_what_ships_with_the_product(
    bob: User, skill: Made, queue: Queue
) -> None:
    """System skills lie in no folder, and are not the base's own."""
    load.load()
    skill("住宿", TRAVEL, None)
    shown = text(signed_in(bob).get(address(Folder.objects.get(is_system=True))))
    assert "住宿" in shown
    assert Skill.objects.filter(type="system").exists()
    for name in Skill.objects.filter(type="system").values_list("name", flat=True):
        assert name not in shown


def test_the_root_folder_is_named_in_the_readers_language(bob: User, skill: Made) -> None:
    """On its page and on its log's."""
    root = Folder.objects.get(is_system=True)
    client = signed_in(bob)
    for more in ("", "log/"):
        shown = text(client.get(address(root, more)))
        assert "Root folder" in shown
        assert root.name not in shown
