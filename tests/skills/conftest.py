"""Skills, people, and a queue that runs when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Folder
from documents.upload import FileReceipt, receive
from kbsite.accounts.models import User
from skills import edit, tasks
from skills.models import Skill
from tests import people


class Queue:
    """What was sent to the workers; :meth:`work` does it, as a worker would."""

    NAMES = {
        "skills.ingest": tasks.ingest,
        "skills.refresh": tasks.refresh,
        "skills.make_folder_page": tasks.make_folder_page,
    }

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[str]]] = []

    def send_task(self, name: str, args: Any = (), **_: Any) -> None:
        self.sent.append((name, list(args)))

    def work(self) -> int:
        """Run what is waiting, and what that sends; returns how many tasks ran."""
        done = 0
        while self.sent:
            name, args = self.sent.pop(0)
            self.NAMES[name](*args)
            done += 1
        return done


@pytest.fixture(autouse=True)
def _own_files(settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    queue = Queue()
    monkeypatch.setattr(current_app, "send_task", queue.send_task)
    return queue


@pytest.fixture
def alice(db: None) -> User:
    return people.alice()


@pytest.fixture
def bob(db: None) -> User:
    return people.bob()


@pytest.fixture
def carol(db: None) -> User:
    return people.carol()


@pytest.fixture
def dave(db: None) -> User:
    return people.dave()


@pytest.fixture
def page(bob: User) -> Client:
    """Bob's browser."""
    client = Client()
    client.force_login(bob)
    return client


@pytest.fixture
def travel(db: None) -> Folder:
    return Folder.objects.create(name="Travel")


@pytest.fixture
def upload(queue: Queue, bob: User, django_capture_on_commit_callbacks: Any) -> Callable[..., FileReceipt]:
    """Uploads one file as Bob, through the front door; ``queue.work()`` reads it."""

    def send(name: str, content: str | bytes, **options: Any) -> FileReceipt:
        data = content.encode() if isinstance(content, str) else content
        with django_capture_on_commit_callbacks(execute=True):
            return receive([SimpleUploadedFile(name, data)], bob, **options).files[0]

    return send


@pytest.fixture
def write(queue: Queue, bob: User, django_capture_on_commit_callbacks: Any) -> Callable[..., Skill]:
    """Writes a skill as Bob; indexed at once unless ``index=False``."""

    def make(
        name: str = "Travel", content: str = "Trains first.\n", *, index: bool = True, **more: Any
    ) -> Skill:
        with django_capture_on_commit_callbacks(execute=True):
            skill = edit.create_skill(bob, name=name, content=content, **more)
        if index:
            queue.work()
            skill.refresh_from_db()
        return skill

    return make
