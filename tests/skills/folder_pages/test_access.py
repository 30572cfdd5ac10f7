"""What people may not see is on no page they read, however it got there."""

from __future__ import annotations

from typing import Any

import pytest

from documents import folder_trash, folders
from documents.abstracts import abstracts
from documents.models import Folder
from kbsite.accounts.models import User
from skills import edit, moves, review, trash
from skills.folder_pages import make
from skills.folder_pages.compose import compose
from skills.folder_pages.page import found, view_of
from skills.models import FolderPage, Skill
from tests.skills.folder_pages.conftest import LEAVE, Made, closed, everything

pytestmark = pytest.mark.django_db
State = FolderPage.State

SECRET = "总监的工资为每月 77777 元。"


def test_a_closed_sub_folder_never_flows_up(
    folder: Folder, secret: Folder, alice: User, skill: Made, make_page: Any
) -> None:
    skill("年假", LEAVE, folder), skill("工资表", SECRET, secret)
    under = Folder.objects.create(name="奖金", parent=secret)
    skill("奖金表", "奖金为 66666 元。", under)
    closed(secret, alice)
    own = make_page(secret, alice)
    assert "77777" in own.abstract
    root = Folder.objects.get(is_system=True)
    for folder_ in (folder, root):
        said = everything(make_page(folder_, alice))
        assert "15 天" in said
        assert not any(n in said for n in ("77777", "66666", "工资"))


def test_closing_a_folder_takes_what_flowed_up_away(
    folder: Folder, secret: Folder, alice: User, skill: Made, make_page: Any
) -> None:
    skill("工资表", SECRET, secret)
    root = Folder.objects.get(is_system=True)
    assert "77777" in everything(make_page(root))
    closed(secret, alice)
    for above in (folder, root):
        page = FolderPage.objects.get(pk=above.pk)
        assert (page.abstract, page.key_facts, page.overview, page.state) == ("", [], "", State.STALE)
    assert "77777" in FolderPage.objects.get(pk=secret.pk).abstract


@pytest.mark.parametrize("away", ["trash", "reject", "move", "switch off"])
def test_what_goes_is_withdrawn_at_once(
    folder: Folder, alice: User, bob: User, skill: Made, make_page: Any, away: str
) -> None:
    """From the page it was on, and from those above."""
    one = skill("工资表", SECRET, folder)
    skill("年假", LEAVE, folder)
    root = Folder.objects.get(is_system=True)
    assert "77777" in everything(make_page(root))
    if away == "trash":
        trash.delete_skill(one.pk, bob)
    elif away == "move":
        apart = Folder.objects.create(name="密")
        closed(apart, alice, bob)
        moves.move_skills([one.pk], bob, apart.pk)
    elif away == "reject":
        review.set_status([one.pk], alice, "rejected")
    else:
        edit.update_skill(one.pk, bob, is_active=False)
    for above in (folder, root):
        page = FolderPage.objects.get(pk=above.pk)
        assert page.is_withdrawn
        assert "77777" not in everything(page)
    again = everything(make_page(root))
    assert "77777" not in again
    assert "15 天" in again


def test_a_page_is_withheld_while_what_it_rests_on_cannot_be_found(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    """Even if nobody said that something changed."""
    one = skill("工资表", SECRET, folder)
    make_page(folder)
    Skill.objects.filter(pk=one.pk).update(status="rejected")
    view = view_of(found(folder.pk, bob), bob)
    assert view.is_withheld
    assert view.text.abstract == ""


def test_a_move_within_what_all_may_see_withdraws_nothing(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    one = skill("年假", LEAVE, folder)
    make_page(folder)
    moves.move_skills([one.pk], bob, folders.create(bob, "别处").pk)
    assert FolderPage.objects.get(pk=folder.pk).state == State.READY


def test_a_skill_that_goes_while_the_page_is_made_is_not_on_it(
    folder: Folder, bob: User, skill: Made, make_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = skill("工资表", SECRET, folder)
    skill("年假", LEAVE, folder)

    def slow(*given: Any) -> Any:
        if one.deleted_at is None:
            trash.delete_skill(one.pk, bob)
            one.refresh_from_db()
        return compose(*given)

    monkeypatch.setattr(make, "compose", slow)
    page = make_page(folder)
    assert page.state == State.READY
    assert page.attempts == 2
    assert "77777" not in everything(page)


def test_a_folder_that_moves_to_a_narrower_place_leaves_the_page(
    folder: Folder, secret: Folder, alice: User, skill: Made, make_page: Any
) -> None:
    skill("工资表", SECRET, secret)
    make_page(folder)
    apart = Folder.objects.create(name="密")
    closed(apart, alice)
    folders.move(Folder.objects.get(pk=secret.pk), alice, apart.pk)
    assert "77777" not in everything(FolderPage.objects.get(pk=folder.pk))


def test_a_key_limited_to_the_root_folder_reads_nothing_of_the_base(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    skill("年假", LEAVE, folder)
    root = Folder.objects.get(is_system=True)
    make_page(root)
    bob.narrowed_to = root.pk
    view = view_of(found(root.pk, bob), bob)
    assert (view.text.abstract, view.is_withheld, view.folders, view.unfiled) == ("", True, [], None)


def test_what_is_closed_again_with_its_folder_leaves_the_page_of_what_was_unfiled(
    folder: Folder, secret: Folder, alice: User, bob: User, skill: Made, make_page: Any
) -> None:
    """While its folder was in the trash it was unfiled, for all to read; then the folder came back."""
    skill("工资表", SECRET, secret)
    closed(secret, alice)
    gone = folder_trash.delete(secret, alice).deletion_id
    assert gone
    root = Folder.objects.get(is_system=True)
    assert "77777" in everything(make_page(root))
    folder_trash.restore(gone, alice)
    assert FolderPage.objects.get(pk=root.pk).is_withdrawn
    assert not abstracts([root.pk], bob)
