"""A small library, a served site to ask it through, and a model double in its place.

Answers run in threads with connections of their own, so nothing here hides in a transaction: the
rows are real for the whole package, and each test takes its own away.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn
from django.core.management import call_command
from django.test import Client

from chat.models import Conversation
from kbsite.accounts.models import User
from kbsite.asgi import application
from kbsite.llm.models import Provider, Purpose, PurposeModel
from kbsite.llm.secrets import encrypt
from skills.edit import create_skill
from skills.models import Skill
from skills.pipeline import refresh
from tests import people
from tests.model_double import KEY, ModelDouble, Reply

TRAVEL = """# 差旅费用报销办法

## 第三章 交通费

第十条 城市间交通费按等级标准凭票据实报销，超出标准的部分由个人承担。

第十一条 铁路交通费凭铁路电子客票的电子发票报销。纸质车票遗失、损毁的，不影响报销，
员工应自行登录 12306 申请开具并下载电子发票。

第十二条 出租车与网约车凭发票和行程单报销，行程单应能看出起止地点与时间。
"""

LEAVE = """# Leave policy

## Carry-over

Unused annual leave can be carried over until the end of March of the next year. Days left after that
date are lost. Managers may allow an exception in writing.

## Sick leave

A doctor's note is needed from the third day of sickness.
"""


@dataclass
class Library:
    """Who is there and what they can find."""

    alice: User
    bob: User
    dave: User
    travel: Skill
    leave: Skill


def ready_skill(author: User, name: str, content: str, **more: Any) -> Skill:
    """A skill that can be found at once."""
    skill = create_skill(author, name=name, content=content, **more)
    refresh(skill.pk)
    skill.refresh_from_db()
    return skill


@pytest.fixture(scope="package")
def _library(django_db_setup: None, django_db_blocker: Any) -> Iterator[Library]:
    with django_db_blocker.unblock():
        alice, bob, dave = people.alice(), people.bob(), people.dave()
        travel = ready_skill(bob, "差旅费用报销办法", TRAVEL)
        leave = ready_skill(bob, "Leave policy", LEAVE)
    yield Library(alice, bob, dave, travel, leave)
    time.sleep(0.3)  # titles of the last answers are given up
    with django_db_blocker.unblock():
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def transactional_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Rows that other threads see too, without pytest-django's flush after each test."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def library(_library: Library, transactional_db: None) -> Iterator[Library]:
    """The library; what a test asks, connects or adds is taken away after it."""
    kept = set(Skill.objects.values_list("pk", flat=True))
    yield _library
    deadline = time.monotonic() + 5
    while _running() and time.monotonic() < deadline:
        time.sleep(0.02)
    Conversation.objects.all().delete()
    PurposeModel.objects.all().delete()
    Provider.objects.all().delete()
    Skill.objects.exclude(pk__in=kept).delete()


def _running() -> bool:
    return Conversation.objects.filter(messages__status="streaming").exists()


class ChatDouble(ModelDouble):
    """What is asked without a stream is a title; it takes nothing from the queue."""

    title = "A title"

    def _next(self, body: dict[str, Any]) -> Reply:
        return super()._next(body) if body.get("stream") else Reply(text=self.title)


@pytest.fixture
def double(library: Library) -> Iterator[ChatDouble]:
    """The model double, connected for the chat."""
    double = ChatDouble().start()
    connect(double)
    yield double
    double.stop()


def connect(double: ModelDouble, **known: bool) -> PurposeModel:
    """Let ``double`` serve the chat."""
    provider = Provider.objects.create(name="Double", base_url=double.url, key_encrypted=encrypt(KEY))
    return PurposeModel.objects.create(purpose=Purpose.CHAT, provider=provider, model="double-chat", **known)


# ── The site ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def served() -> Iterator[str]:
    """The site on a free port of loopback, in a thread of this process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(application, port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    server.force_exit = True
    thread.join(5)


@pytest.fixture(scope="package")
def _site(_library: Library) -> Iterator[str]:
    with served() as url:
        yield url


@pytest.fixture
def site(_site: str, library: Library) -> str:
    """The site's address."""
    return _site


class Frames:
    """A stream of the API, read frame by frame."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.seen: list[dict[str, Any]] = []
        self.ids: list[int] = []
        self._rest = self._read()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._rest

    def _read(self) -> Iterator[dict[str, Any]]:
        for line in self.response.iter_lines():
            if line.startswith("id: "):
                self.ids.append(int(line[4:]))
            elif line.startswith("data: "):
                self.seen.append(json.loads(line[6:]))
                yield self.seen[-1]

    def all(self) -> list[dict[str, Any]]:
        """Every frame, to the end."""
        for _ in self:
            pass
        return self.seen

    def text(self) -> str:
        """The answer's deltas joined."""
        return "".join(f["payload"]["text"] for f in self.seen if f["type"] == "assistant.delta")

    def of(self, type: str) -> list[dict[str, Any]]:
        """The payloads of one type."""
        return [f["payload"] for f in self.seen if f["type"] == type]


class Api:
    """A program with a person's key."""

    def __init__(self, site: str, user: User, **narrower: Any) -> None:
        headers = people.bearer(user, **narrower)
        self.http = httpx.Client(base_url=f"{site}/api", headers=headers, timeout=30)

    @contextmanager
    def asking(self, message: str, **more: Any) -> Iterator[Frames]:
        """The frames of an answer while it runs."""
        body = {"message": message, **more}
        with self.http.stream("POST", "/chat/stream", json=body) as response:
            assert response.status_code == 200, response.read()
            yield Frames(response)

    def ask(self, message: str, **more: Any) -> Frames:
        """The frames of a whole answer."""
        with self.asking(message, **more) as frames:
            frames.all()
        return frames

    def resume(self, message_id: str, after: int | None = None) -> Frames:
        """The rest of an answer."""
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        with self.http.stream("GET", f"/chat/messages/{message_id}/stream", headers=headers) as response:
            assert response.status_code == 200, response.read()
            frames = Frames(response)
            frames.all()
        return frames

    def get(self, path: str, **params: Any) -> Any:
        """JSON of an address that must be there."""
        response = self.http.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture
def bob(site: str, library: Library) -> Api:
    """Bob's program."""
    return Api(site, library.bob)


@pytest.fixture
def dave(site: str, library: Library) -> Api:
    """Dave's program."""
    return Api(site, library.dave)


@pytest.fixture
def page(library: Library) -> Client:
    """Bob's browser, as far as pages go without JavaScript."""
    client = Client()
    client.force_login(library.bob)
    return client


def last(frames: Frames) -> dict[str, Any]:
    """The payload of the last frame."""
    return dict(frames.seen[-1]["payload"])
