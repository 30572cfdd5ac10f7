"""Files and a queue that only takes note."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from kbsite.accounts.models import User
from kbsite.celery import app
from tests import people


@pytest.fixture(autouse=True)
def _own_files(settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Any]]]:
    """The tasks sent to the queue, as (name, args)."""
    tasks: list[tuple[str, Any]] = []
    monkeypatch.setattr(app, "send_task", lambda name, args=(), **_: tasks.append((name, args)))
    yield tasks


@pytest.fixture
def bob(db: None) -> User:
    return people.bob()


@pytest.fixture
def dave(db: None) -> User:
    return people.dave()


@pytest.fixture
def file() -> Callable[..., SimpleUploadedFile]:
    """Makes an uploaded file from a name and its content."""

    def make(name: str = "notes.md", content: bytes | str = "# Notes\n\nText.") -> SimpleUploadedFile:
        data = content.encode() if isinstance(content, str) else content
        return SimpleUploadedFile(name, data)

    return make
