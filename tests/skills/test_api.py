"""``/api/skills`` as a program uses it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import export, trash
from skills.models import Relation, Skill
from tests.people import bearer
from tests.skills.conftest import Queue

Write = Callable[..., Skill]


class Api:
    """Calls ``/api/skills`` with a key."""

    def __init__(self, user: User, **narrower: object) -> None:
        self.client, self.headers = Client(), bearer(user, **narrower)

    def __call__(self, method: str, path: str = "", body: Any = None, **headers: str) -> Any:
        response = self.client.generic(
            method,
            f"/api/skills{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers={**self.headers, **headers},
        )
        return response.status_code, json.loads(response.content or "null")


@pytest.fixture
def api(bob: User) -> Api:
    return Api(bob)


def test_a_skill_is_made_read_changed_and_deleted(api: Api, queue: Queue) -> None:
    """The whole life of one, with every field of the contract."""
    status, made = api("POST", "", {"name": "Travel", "content": "Trains first.", "tags": ["hr"]})
    assert status == 201
    assert made["uri"] == "sk://skills/travel"
    assert (made["type"], made["status"], made["index_state"], made["version"]) == (
        "user",
        "pending",
        "queued",
        1,
    )
    path = f"/{made['id']}"
    status, changed = api("PUT", path, {"description": "How we travel"})
    assert (status, changed["description"], changed["name"], changed["version"]) == (
        200,
        "How we travel",
        "Travel",
        2,
    )
    status, added = api("POST", f"{path}/append", {"content": "Then planes."})
    assert added["content"] == "Trains first.\n\nThen planes.\n"
    status, revisions = api("GET", f"{path}/revisions")
    assert [r["number"] for r in revisions["items"]] == [3, 2, 1]
    status, restored = api("POST", f"{path}/revisions/1/restore")
    assert (status, restored["content"], restored["version"]) == (200, "Trains first.", 4)
    assert api("DELETE", path) == (200, {"success": True})
    assert api("GET", path)[0] == 404
    assert set(made) >= {
        *("id", "uri", "name", "slug", "type", "category", "description", "abstract", "overview", "content"),
        *("tags", "trigger_keywords", "trigger_intents", "always_apply", "priority", "folder_id", "path"),
        *("status", "version", "author", "source_document_id", "active_count", "is_editable", "is_deletable"),
        *("created_at", "updated_at"),
    }


def test_if_match_refuses_a_lost_update(api: Api, write: Write) -> None:
    """412 with the version that is there now; with the right one it goes through."""
    skill = write()
    assert api("PUT", f"/{skill.pk}", {"name": "A"}, **{"if-match": '"1"'})[0] == 200
    status, refusal = api("PUT", f"/{skill.pk}", {"name": "B"}, **{"if-match": '"1"'})
    assert (status, refusal["code"], refusal["current"]) == (412, "lost_update", 2)
    assert api("PUT", f"/{skill.pk}", {"name": "B"}, **{"if-match": 'W/"2"'})[0] == 200
    assert api("PUT", f"/{skill.pk}", {"name": "B"}, **{"if-match": '"x"'})[0] == 422


def test_system_skills_answer_403(api: Api, write: Write) -> None:
    """On PUT and DELETE."""
    skill = write()
    Skill.objects.update(type="system")
    for method in ("PUT", "DELETE"):
        status, refusal = api(method, f"/{skill.pk}", {"name": "Mine"})
        assert (status, refusal["code"]) == (403, "system_skill")
    assert api("GET", f"/{skill.pk}")[1]["is_editable"] is False


def test_readers_and_read_only_keys_answer_403(dave: User, bob: User, write: Write) -> None:
    """Each with its own sentence."""
    skill = write()
    for api in (Api(dave), Api(bob, read_only=True)):
        assert api("GET", f"/{skill.pk}")[0] == 200
        assert api("POST", "", {"name": "x", "content": "y"})[0] == 403
        assert api("PUT", f"/{skill.pk}", {"name": "x"})[0] == 403
        assert api("DELETE", f"/{skill.pk}")[0] == 403


def test_another_persons_skills_are_404_everywhere(write: Write, bob: User, carol: User) -> None:
    """B50: on every route, for a person and for a key that is limited to another folder."""
    closed, open_ = Folder.objects.create(name="Closed"), Folder.objects.create(name="Open")
    skill = write(folder_id=closed.pk)
    FolderGrant.objects.create(folder=closed, user=carol)
    for api in (Api(bob), Api(carol, folder_id=open_.pk)):
        for method, path, body in (
            ("GET", "", None),
            ("PUT", "", {"name": "x"}),
            ("DELETE", "", None),
            ("POST", "/move", None),
            ("POST", "/append", {"content": "x"}),
            ("POST", "/layers", None),
            ("POST", "/retry", None),
            ("GET", "/revisions", None),
            ("POST", "/revisions/1/restore", None),
            ("GET", "/relations", None),
        ):
            assert api(method, f"/{skill.pk}{path}", body)[0] == 404, (method, path)
        assert api("POST", "/move", {"ids": [str(skill.pk)], "folder_id": None})[0] == 404
        assert api("GET")[1]["total"] == 0


def test_what_is_wrong_with_a_request_is_said(api: Api) -> None:
    """422 with a sentence and the field."""
    assert api("POST", "", {"name": "", "content": "x"})[1]["field"] == "name"
    assert api("POST", "", {"name": "x", "content": " "})[0] == 422
    assert api("POST", "", {"content": "x"})[0] == 422
    assert api("GET", "?type=poem")[0] == 422
    assert api("GET", "?order=luck")[0] == 422
    assert api("GET", "?page_size=1000")[0] == 422
    assert api("GET", "?cursor=nonsense")[0] == 422


def seeds_tree(write: Write) -> None:
    """The folder protocol's example tree, in the order that it lists, made in another."""

    def folder(name: str, parent: Folder | None, order: int) -> Folder:
        made: Folder = Folder.objects.create(name=name, parent=parent, sort_order=order)
        return made

    product = folder("产品文档", None, 20)
    tech = folder("技术文档", None, 10)
    back, front = folder("后端开发", tech, 1), folder("前端开发", tech, 0)
    vue, react, fastapi = folder("Vue", front, 1), folder("React", front, 0), folder("FastAPI", back, 0)
    for name, place, priority in (
        ("未分类笔记", None, 1),
        ("需求分析模板", product, 5),
        ("FastAPI 路由最佳实践", fastapi, 20),
        ("FastAPI 依赖注入", fastapi, 10),
        ("Vue 3 组合式 API", vue, 15),
        ("React Router 指南", react, 20),
        ("React Hooks 入门", react, 10),
        ("技术总览", tech, 900),
    ):
        write(name, index=False, folder_id=place.pk if place else None, priority=priority)


IN_ORDER = [
    "技术总览",
    "React Hooks 入门",
    "React Router 指南",
    "Vue 3 组合式 API",
    "FastAPI 依赖注入",
    "FastAPI 路由最佳实践",
    "需求分析模板",
    "未分类笔记",
]


def test_lists_are_in_the_order_of_the_folder_protocol(api: Api, write: Write) -> None:
    """Every sort_order on the path, then priority; the seeds' tree is the test. By page and by cursor."""
    seeds_tree(write)
    _, page = api("GET", "?page_size=100")
    assert [item["name"] for item in page["items"]] == IN_ORDER
    assert page["items"][1]["path"] == ["技术文档", "前端开发", "React"]
    assert page["items"][-1]["path"] == []
    walked: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        _, page = api("GET", f"?page_size=3&cursor={cursor}" if cursor else "?page_size=3")
        walked += [item["name"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert walked == IN_ORDER


def test_lists_are_narrowed_and_sorted(api: Api, write: Write) -> None:
    """By folder with or without what is below, type, category, tag, words; hot and new ones first."""
    seeds_tree(write)
    tech = Folder.objects.get(name="技术文档").pk
    assert api("GET", f"?folder_id={tech}&recursive=true")[1]["total"] == 6
    assert api("GET", f"?folder_id={tech}")[1]["total"] == 1
    assert api("GET", "?q=fastapi 注入")[1]["total"] == 1
    assert api("GET", "?q=%25")[1]["total"] == 0
    assert api("GET", "?type=document")[1]["total"] == 0
    assert api("GET", "?category=knowledge&status=pending")[1]["total"] == 8
    Skill.objects.filter(name="Vue 3 组合式 API").update(tags=["前端"], active_count=50)
    assert api("GET", "?tag=前端")[1]["total"] == 1
    assert api("GET", "?order=hot")[1]["items"][0]["name"] == "Vue 3 组合式 API"
    names = [item["name"] for item in api("GET", "?order=name")[1]["items"]]
    assert sorted(names) == sorted(IN_ORDER)
    for order in ("hot", "updated", "name"):
        first = api("GET", f"?order={order}&page_size=5")[1]
        rest = api("GET", f"?order={order}&page_size=5&cursor={first['next_cursor']}")[1]
        assert len({item["id"] for item in first["items"] + rest["items"]}) == 8


def test_moving_one_and_many(api: Api, write: Write) -> None:
    """Null is unfiled."""
    folder = Folder.objects.create(name="Travel")
    one, two = write("One", index=False), write("Two", index=False)
    assert api("POST", f"/{one.pk}/move?folder_id={folder.pk}")[1]["path"] == ["Travel"]
    both = {"ids": [str(one.pk), str(two.pk)]}
    status, moved = api("POST", "/move", {**both, "folder_id": str(folder.pk)})
    assert (status, moved["moved"]) == (200, 1)  # the other lies there already
    assert api("POST", f"/{one.pk}/move")[1]["folder_id"] is None
    assert api("PUT", f"/{two.pk}", {"folder_id": None})[1]["folder_id"] is None


def test_relations_lead_only_to_what_may_be_seen(api: Api, write: Write, carol: User) -> None:
    """The name of a closed skill is not told."""
    one, two, three = write("One", index=False), write("Two", index=False), write("Three", index=False)
    Relation.objects.create(source=one, target=two, type="complement")
    Relation.objects.create(source=one, target=three, type="conflict")
    closed = Folder.objects.create(name="Closed")
    Skill.objects.filter(pk=three.pk).update(folder=closed)
    FolderGrant.objects.create(folder=closed, user=carol)
    items = api("GET", f"/{one.pk}/relations")[1]["items"]
    assert [item["target_name"] for item in items] == ["Two"]


def test_a_list_takes_the_same_queries_however_long(
    api: Api, write: Write, django_assert_max_num_queries: Any
) -> None:
    """Key, folders closed to the person, count, rows, sources, paths."""
    seeds_tree(write)
    api("GET")
    with django_assert_max_num_queries(8):
        api("GET", "?page_size=2")
    with django_assert_max_num_queries(8):
        api("GET", "?page_size=8")


def test_a_key_for_a_folder_tells_no_name_above_it(bob: User, write: Write) -> None:
    """In lists, searches, folders, the trash and exports alike."""
    above = Folder.objects.create(name="Topmost")
    inside = Folder.objects.create(name="Inside", parent=above)
    skill = write("Trains", folder_id=inside.pk)
    gone = write("Gone", folder_id=inside.pk, index=False)
    trash.delete_skill(gone.pk, bob)
    api = Api(bob, folder_id=inside.pk)
    assert api("GET", f"/{skill.pk}")[1]["path"] == ["Inside"]
    for address in (
        *("skills", f"skills/{skill.pk}", "search?q=trains", "trash", "folders", "folders?tree=true"),
        *(f"folders/{inside.pk}", f"folders/{inside.pk}/page"),
    ):
        answer = api.client.get(f"/api/{address}", headers=api.headers)
        assert answer.status_code == 200
        assert "Inside" in answer.content.decode()
        assert "Topmost" not in answer.content.decode(), address
    user = User.objects.get(pk=bob.pk)
    user.narrowed_to = inside.pk
    data = b"".join(export.export(Skill.objects.filter(pk=skill.pk), user))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["Inside/Trains.md"]
        assert "Topmost" not in archive.read("Inside/Trains.md").decode()
