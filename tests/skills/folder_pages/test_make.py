"""A folder's page: made bottom-up from what is in it, in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from documents import folders
from documents.models import Folder
from kbsite.accounts.models import User
from skills.folder_pages.compose import MOST_FACTS
from skills.models import FolderEvent, FolderPage, Skill
from tests.skills.folder_pages.conftest import LEAVE, TRAVEL, Made, everything

pytestmark = pytest.mark.django_db
State = FolderPage.State


def test_a_page_is_made_from_the_abstracts_in_the_folder(folder: Folder, skill: Made, make_page: Any) -> None:
    leave, travel = skill("年假", LEAVE, folder), skill("差旅", TRAVEL, folder)
    page = make_page(folder)
    assert page.state == State.READY
    assert (page.made_from, page.out_of, page.made_by, page.language) == (2, 2, "", "zh")
    assert "15 天" in page.abstract
    assert {fact["text"]: fact["skill"] for fact in page.key_facts} == {
        LEAVE: str(leave.pk),
        TRAVEL: str(travel.pk),
    }
    assert "## 年假" in page.overview
    assert FolderEvent.objects.filter(folder=folder, what="remade").count() == 1


def test_an_empty_folder_has_an_empty_page(folder: Folder, make_page: Any) -> None:
    page = make_page(folder)
    assert (page.state, page.abstract, page.key_facts, page.made_from) == (State.READY, "", [], 0)


def test_sub_folders_are_made_first_and_flow_up(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    """One request makes what was never made below, deepest first; facts keep the skill they come from."""
    middle = folders.create(bob, "人事", parent_id=folder.pk)
    deep = folders.create(bob, "休假", parent_id=middle.pk)
    leave = skill("年假", LEAVE, deep)
    page = make_page(folder)
    assert [p.state for p in FolderPage.objects.all()] == [State.READY] * 3
    assert "15 天" in page.abstract
    assert [fact["skill"] for fact in page.key_facts] == [str(leave.pk)]
    assert page.from_folders == [middle.pk]
    made = list(FolderEvent.objects.filter(what="remade").order_by("id").values_list("folder", flat=True))
    assert made == [deep.pk, middle.pk, folder.pk]


def test_what_cannot_be_found_feeds_no_page(folder: Folder, skill: Made, make_page: Any) -> None:
    skill("年假", LEAVE, folder)
    skill("旧制度", "旧的年假是 99 天。", folder, status="rejected")
    skill("草稿", "草稿里写着 98 天。", folder, status="pending")
    skill("停用", "停用的写着 97 天。", folder, is_active=False)
    page = make_page(folder)
    assert page.made_from == 1
    assert not any(days in everything(page) for days in ("99", "98", "97"))


def test_many_skills_are_read_within_bounds(folder: Folder, skill: Made, make_page: Any) -> None:
    """The most used first; the page says how many of how many."""
    rows = [
        Skill(
            name=f"Rule {n}",
            slug=f"rule-{n}",
            folder=folder,
            status="approved",
            index_state="ready",
            abstract=f"Rule {n} allows {n} euros a night in city number {n}.",
            active_count=n,
            language="en",
        )
        for n in range(230)
    ]
    Skill.objects.bulk_create(rows)
    page = make_page(folder)
    assert (page.made_from, page.out_of) == (200, 230)
    assert len(page.key_facts) <= MOST_FACTS
    assert rows[229].pk in page.from_skills
    assert rows[0].pk not in page.from_skills
    assert page.language == "en"


def test_the_root_folder_stands_for_the_whole_base(folder: Folder, skill: Made, make_page: Any) -> None:
    skill("年假", LEAVE, folder)
    loose = skill("门禁", "门禁卡在前台办理，押金 50 元。", None)
    root = Folder.objects.get(is_system=True)
    page = make_page(root)
    assert page.made_from == 2
    assert page.from_skills == [loose.pk]
    assert page.from_folders == [folder.pk]
    assert "15 天" in everything(page)
