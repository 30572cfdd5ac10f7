"""When a page is made again, and what becomes of one that can't be."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from documents.models import Folder
from kbsite.accounts.models import User
from skills import edit, trash
from skills.folder_pages import clock, log, make
from skills.folder_pages.compose import compose
from skills.folder_pages.due import due
from skills.models import FolderEvent, FolderPage, Skill
from tests.skills.conftest import Queue
from tests.skills.folder_pages.conftest import LEAVE, TRAVEL, Made, later, work

pytestmark = pytest.mark.django_db
State = FolderPage.State


def test_the_clock_makes_a_page_once_it_is_quiet(
    folder: Folder, skill: Made, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """Fifty files make one page, not fifty; the pages above follow."""
    for n in range(3):
        skill(f"规则 {n}", f"第 {n} 条规则限 {n} 天。", folder)
    assert clock.refresh_due() == 0
    later()
    queue.sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert clock.refresh_due() == 1
    assert queue.sent == [("skills.make_folder_page", [str(folder.pk)])]
    with django_capture_on_commit_callbacks(execute=True):
        assert clock.refresh_due() == 0  # it is open: no double work
    work(queue, django_capture_on_commit_callbacks)
    root = Folder.objects.get(is_system=True)
    assert due(timezone.now()) == [root.pk]


def test_a_tenth_has_to_change(folder: Folder, bob: User, skill: Made, make_page: Any) -> None:
    """Two of 21 are not enough, three are; what only sorts a skill doesn't count."""
    made = [skill(f"规则 {n}", f"第 {n} 条规则限 {n} 天。", folder) for n in range(21)]
    later()
    make_page(folder)
    later()
    for n in (0, 1):
        edit.update_skill(made[n].pk, bob, content="另一条。")
    edit.update_skill(made[2].pk, bob, priority=7)
    Skill.objects.update(index_state="ready")
    soon = timezone.now() + timedelta(minutes=5)
    assert folder.pk not in due(soon)
    edit.update_skill(made[2].pk, bob, content="另一条。")
    Skill.objects.update(index_state="ready")
    assert folder.pk not in due(timezone.now())
    assert folder.pk in due(soon)


def test_a_folder_waits_for_what_is_being_indexed(folder: Folder, skill: Made) -> None:
    skill("年假", LEAVE, folder)
    skill("差旅", TRAVEL, folder, index_state="running")
    later()
    assert due(timezone.now()) == []


def test_an_upgrade_sets_nothing_off(folder: Folder, skill: Made) -> None:
    """Folders in which nothing has happened since are made when somebody asks."""
    skill("年假", LEAVE, folder)
    FolderEvent.objects.all().delete()
    assert due(timezone.now()) == []


def test_a_deleted_sub_folder_makes_its_parent_due(
    folder: Folder, secret: Folder, alice: User, skill: Made, make_page: Any
) -> None:
    skill("工资表", LEAVE, secret)
    make_page(folder)
    later()
    FolderEvent.objects.all().delete()
    Folder.objects.filter(pk=secret.pk).delete()
    assert folder.pk in due(timezone.now())


def test_a_withdrawn_page_is_due_however_little_changed(
    folder: Folder, bob: User, skill: Made, make_page: Any
) -> None:
    made = [skill(f"规则 {n}", f"第 {n} 条规则限 {n} 天。", folder) for n in range(21)]
    make_page(folder)
    trash.delete_skill(made[0].pk, bob)
    later()
    assert due(timezone.now()) == [folder.pk]


def test_it_can_be_turned_off(folder: Folder, skill: Made, settings: Any) -> None:
    skill("年假", LEAVE, folder)
    later()
    settings.KB_FOLDER_PAGES = False
    assert clock.refresh_due() == 0


def test_a_page_whose_worker_died_is_taken_up_again(
    folder: Folder, bob: User, skill: Made, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    skill("年假", LEAVE, folder)
    make.request(folder, bob)
    for attempt in range(1, 4):
        assert make.claim(folder.pk).attempts == attempt  # type: ignore[union-attr]
        assert make.claim(folder.pk) is None
        FolderPage.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
        make.sweep()
    page = FolderPage.objects.get(pk=folder.pk)
    assert page.state == State.FAILED
    assert "stopped" in page.why


def test_a_folder_deleted_while_its_page_is_made_leaves_nothing(
    folder: Folder, bob: User, skill: Made, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill("年假", LEAVE, folder)
    make.request(folder, bob)

    def gone(*given: Any) -> Any:
        Folder.objects.filter(pk=folder.pk).delete()
        return compose(*given)

    monkeypatch.setattr(make, "compose", gone)
    make.make(folder.pk)
    make.make(folder.pk)
    assert not FolderPage.objects.filter(pk=folder.pk).exists()


def test_asking_twice_makes_it_once(folder: Folder, bob: User, skill: Made, queue: Queue) -> None:
    skill("年假", LEAVE, folder)
    assert make.request(folder, bob).state == State.QUEUED
    assert make.enqueue(folder.pk) is False


def test_logs_keep_the_newest_and_nothing_old(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "KEPT_EVENTS", 3)
    now = timezone.now()
    ages = [timedelta(days=d) for d in (1, 2, 3, 4, 500)]
    FolderEvent.objects.bulk_create(FolderEvent(folder=folder, what="changed", at=now - age) for age in ages)
    assert log.prune() == 2
    assert {(now - at).days for at in FolderEvent.objects.values_list("at", flat=True)} == {1, 2, 3}
