"""A folder, skills that can be found, and workers that make pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from documents import folders
from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit
from skills.folder_pages import make
from skills.models import FolderEvent, FolderPage, Skill
from tests.skills.conftest import Queue

Made = Callable[..., Skill]

LEAVE = "年假每年 15 天，须提前 3 天申请。"
TRAVEL = "出差住宿上限为每晚 500 元，须附发票。"


@pytest.fixture
def folder(bob: User) -> Folder:
    return folders.create(bob, "制度")


@pytest.fixture
def skill(bob: User) -> Made:
    """A skill that can be found, without the indexing; as if written at the front door."""

    def make_one(name: str, abstract: str, folder: Folder | None, **more: Any) -> Skill:
        one = edit.create_skill(
            bob,
            name=name,
            content=abstract,
            abstract=abstract,
            overview=abstract,
            folder_id=folder and folder.pk,
        )
        values = {"status": "approved", "index_state": "ready", "language": "zh"} | more
        Skill.objects.filter(pk=one.pk).update(**values)
        one.refresh_from_db()
        return one

    return make_one


@pytest.fixture
def make_page(queue: Queue, bob: User, django_capture_on_commit_callbacks: Any) -> Callable[..., FolderPage]:
    """Ask for a folder's page as Bob, and let the workers make it."""

    def ask(folder: Folder, user: User | None = None) -> FolderPage:
        with django_capture_on_commit_callbacks(execute=True):
            make.request(folder, user or bob)
        work(queue, django_capture_on_commit_callbacks)
        return FolderPage.objects.get(pk=folder.pk)

    return ask


def work(queue: Queue, capture: Any) -> None:
    """Run what is queued, and what that sends on commit."""
    while queue.sent:
        with capture(execute=True):
            queue.work()


def later(hours: float = 1.0) -> None:
    """Let everything that happened lie back in time."""
    back = timedelta(hours=hours)
    for event in FolderEvent.objects.all():
        FolderEvent.objects.filter(pk=event.pk).update(at=event.at - back)
    for page in FolderPage.objects.exclude(made_at=None):
        FolderPage.objects.filter(pk=page.pk).update(made_at=page.made_at - back)  # type: ignore[operator]


def everything(page: FolderPage) -> str:
    facts = [fact["text"] for fact in page.key_facts]
    return "\n".join([page.abstract, *facts, page.overview])


@pytest.fixture
def secret(folder: Folder, bob: User) -> Folder:
    """A folder inside it."""
    inside: Folder = folders.create(bob, "工资", parent_id=folder.pk)
    return inside


def closed(folder: Folder, *people: User) -> None:
    """Narrow ``folder`` to ``people``."""
    for person in people:
        FolderGrant.objects.create(folder=folder, user=person)
