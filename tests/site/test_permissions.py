"""Every door, and who may open it. A door without a row here fails the run.

Two questions are asked of each: does it refuse whoever has too small a role (or nobody at all),
and does it deny that somebody else's thing, or one in a closed folder, exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from chat.models import Conversation, Message
from documents.models import (
    Document,
    DocumentVersion,
    Folder,
    FolderDeletion,
    FolderGrant,
    IngestRun,
    UploadBatch,
)
from kbsite.accounts.keys import make_key
from kbsite.accounts.models import User
from kbsite.api import api
from kbsite.ids import new_id
from kbsite.llm.models import Provider
from skills.models import Move, Passage, Picture, Revision, Skill
from tests import people
from tests.site.doors import ANYONE, API, PAGES, SETUP, kind

pytestmark = pytest.mark.django_db

ROLES = {"reader": people.dave, "editor": people.bob, "curator": people.carol, "admin": people.alice}
RANK = list(ROLES)


class World:
    """Alice's things, all in a folder that only she may see."""

    def __init__(self) -> None:
        self.alice = people.alice()
        self.folder = Folder.objects.create(name="Closed")
        FolderGrant.objects.create(folder=self.folder, user=self.alice)
        self.deletion = FolderDeletion.objects.create(
            name="Secret plan", user=self.alice, was_open=False, folders=[{"id": str(new_id()), "name": "x"}]
        )
        self.document = Document.objects.create(
            title="Secret plan", filename="plan.md", folder=self.folder, added_by=self.alice
        )
        version = DocumentVersion.objects.create(document=self.document, size=1, sha256="0" * 64)
        self.batch = UploadBatch.objects.create(user=self.alice)
        self.run = IngestRun.objects.create(version=version, batch=self.batch, status="failed")
        self.skill = Skill.objects.create(
            slug="a-slug", name="Secret plan", folder=self.folder, status="approved", author=self.alice
        )
        self.picture = Picture.objects.create(
            mime="image/png", size=1, width=1, height=1, sha256="0" * 64, added_by=self.alice
        )
        self.passage = Passage.objects.create(skill=self.skill, ordinal=0, text="x", start=0, end=1, tokens=1)
        self.revision = Revision.objects.create(skill=self.skill, number=1, reason="made")
        self.conversation = Conversation.objects.create(user=self.alice, title="Private")
        self.message = Message.objects.create(
            conversation=self.conversation, role="assistant", content="Private answer"
        )
        self.move = Move.objects.create(user=self.alice, target=self.folder)
        self.key, _ = make_key(self.alice, "alice's")
        self.provider = Provider.objects.create(name="Model", base_url="http://127.0.0.1:9/v1")

    def arguments(self, names: list[str], path: str) -> dict[str, Any]:
        """A value for each parameter of a path: always one of Alice's things."""
        known: dict[str, Any] = {
            "folder_id": self.folder.id,
            "deletion_id": self.deletion.id,
            "thing_id": self.deletion.id,
            "document_id": self.document.id,
            "version_id": self.document.versions.get().id,
            "number": 1,
            "run_id": self.run.id,
            "task_id": self.batch.id,
            "batch_id": self.batch.id,
            "skill_id": self.skill.id,
            "picture_id": self.picture.id,
            "undo_id": self.move.id,
            "passage_id": self.passage.id,
            "slug": self.skill.slug,
            "field": "abstract",
            "kind": "skills",
            "reference": self.skill.id,
            "target_id": self.skill.id,
            "type": "conflict",
            "conversation_id": self.conversation.id,
            "message_id": self.message.id,
            "key_id": self.key.id,
            "provider_id": self.provider.id,
            "key": "chat_answer",
            "n": 1,
            "purpose": "chat",
        }
        known |= {"kind": "folder"} if path.startswith("/api/trash") else {}
        missing = [name for name in names if name not in known]
        assert not missing, f"{path}: say in World.arguments what {missing} stands for"
        return {name: known[name] for name in names}


@pytest.fixture
def world() -> World:
    """Alice and her things."""
    return World()


def api_doors() -> Iterator[str]:
    """``GET /api/skills/{skill_id}`` and so on, as OpenAPI has them."""
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method in methods:
            yield f"{method.upper()} {path}"


def page_doors(patterns: Any = None, prefix: str = "", space: str = "") -> Iterator[tuple[str, str]]:
    """Name and path of every page that is ours."""
    for entry in patterns if patterns is not None else get_resolver().url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            if entry.namespace not in ("admin", "api"):
                yield from page_doors(entry.url_patterns, path, entry.namespace or space)
        elif isinstance(entry, URLPattern):
            yield f"{space}:{entry.name}".lstrip(":"), "/" + path


def filled(path: str, world: World, braces: str = r"{(\w+)}") -> str:
    """The path with Alice's ids in it."""
    for name, value in world.arguments(re.findall(braces, path), path).items():
        path = re.sub(braces.replace(r"(\w+)", name), str(value), path)
    return path


def test_every_door_of_the_api_has_a_row() -> None:
    """Nothing is reachable that nobody thought about."""
    assert set(api_doors()) == set(API)


def test_every_page_has_a_row() -> None:
    """Nothing is reachable that nobody thought about."""
    assert {name for name, _ in page_doors()} == set(PAGES)


@pytest.mark.parametrize("door", sorted(API))
def test_the_api_refuses_smaller_roles(door: str, client: Client, world: World) -> None:
    """Without a key 401; with one of too small a role never a success."""
    who, body = API[door]
    method, path = door.split()
    path = filled(path, world)
    if who not in (ANYONE, SETUP):
        assert client.generic(method, path, body, kind(body)).status_code == 401
    for role in RANK[: RANK.index(who)] if who in RANK else []:
        headers = people.bearer(ROLES[role]())
        answer = client.generic(method, path, body, kind(body), headers=headers)
        assert answer.status_code in (403, 404), f"{door} lets a {role} in: {answer.status_code}"


@pytest.mark.parametrize("door", sorted(d for d in API if "{" in d and API[d][0] != ANYONE))
def test_the_api_denies_what_one_may_not_see(door: str, client: Client, world: World) -> None:
    """An editor without a grant gets 404 (or a plain refusal), and nothing of Alice's shows."""
    method, path = door.split()
    if "/prompts/" in path:
        return
    body = API[door][1]
    headers = people.bearer(people.bob())
    answer = client.generic(method, filled(path, world), body, kind(body), headers=headers)
    assert answer.status_code in (403, 404), f"{door}: {answer.status_code}"
    assert_nothing_shows(answer.content)


@pytest.mark.parametrize("door", sorted(d for d in API if "{" not in d and d.startswith("GET")))
def test_lists_hold_nothing_one_may_not_see(door: str, client: Client, world: World) -> None:
    """Lists, searches and counts leave out what is closed."""
    path = door.split()[1]
    if path.endswith("/sql") or path.endswith("/tables"):
        return
    answer = client.get(path, {"q": "Secret plan"}, headers=people.bearer(people.bob()))
    assert answer.status_code in (200, 403), f"{door}: {answer.status_code} {answer.content[:300]!r}"
    assert_nothing_shows(answer.content)


@pytest.mark.parametrize("door", sorted(d for d in API if API[d][0] in ("editor", "curator", "admin")))
def test_a_read_only_key_changes_nothing(door: str, client: Client, world: World) -> None:
    """Even an admin's."""
    method, path = door.split()
    if method == "GET":
        return
    headers = people.bearer(world.alice, read_only=True)
    body = API[door][1]
    answer = client.generic(method, filled(path, world), body, kind(body), headers=headers)
    assert answer.status_code == 403, f"{door}: {answer.status_code}"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_refuse_smaller_roles(name: str, client: Client, world: World) -> None:
    """Strangers are led to sign in; people of too small a role are refused."""
    who = PAGES[name]
    path = page_path(name, world)
    if who not in (ANYONE, SETUP):
        for method in ("GET", "POST"):
            answer = client.generic(method, path)
            sent_away = answer.status_code == 302 and "/login/" in answer.headers["location"]
            assert sent_away or answer.status_code in (401, 403, 404, 405), (
                f"{name} {method}: {answer.status_code}"
            )
    for role in RANK[: RANK.index(who)] if who in RANK else []:
        client.force_login(ROLES[role]())
        for method in ("GET", "POST"):
            answer = client.generic(method, path)
            assert answer.status_code in (403, 404, 405), (
                f"{name} {method} lets a {role} in: {answer.status_code}"
            )


@pytest.mark.parametrize("name", sorted(n for n in PAGES if PAGES[n] in RANK))
def test_pages_deny_what_one_may_not_see(name: str, client: Client, world: World) -> None:
    """An editor without a grant: 404 for Alice's things, and lists without them."""
    client.force_login(people.bob())
    answer = client.get(page_path(name, world), {"q": "Secret"})
    if "<" in dict(page_doors())[name]:
        assert answer.status_code in (302, 403, 404, 405), f"{name}: {answer.status_code}"
    if not answer.streaming:
        assert_nothing_shows(answer.content)


def page_path(name: str, world: World) -> str:
    """A page's path with Alice's ids in it."""
    return filled(dict(page_doors())[name], world, r"<(?:\w+:)?(\w+)>")


def assert_nothing_shows(content: bytes) -> None:
    """Neither the name of Alice's folder, document or skill nor a word of her conversation."""
    text = content.decode()
    for word in ("Secret plan", "Private answer"):
        assert word not in text.replace("q=Secret+plan", "").replace('"query": "Secret plan"', "")


def test_a_narrowed_key_sees_its_folder_only(client: Client, world: World) -> None:
    """A key for one folder opens nothing outside it, for its owner either."""
    open_folder = Folder.objects.create(name="Open")
    inside = Document.objects.create(title="Inside", filename="in.md", folder=open_folder)
    headers = people.bearer(world.alice, folder_id=open_folder.id)
    listed = client.get("/api/documents", headers=headers).json()["items"]
    assert [UUID(row["id"]) for row in listed] == [inside.id]
    assert client.get(f"/api/documents/{world.document.id}", headers=headers).status_code == 404


def test_a_person_with_a_grant_sees_it(client: Client, world: World) -> None:
    """The grant is what decides, not the role."""
    bob: User = people.bob()
    FolderGrant.objects.create(folder=world.folder, user=bob)
    assert client.get(f"/api/skills/{world.skill.id}", headers=people.bearer(bob)).status_code == 200
