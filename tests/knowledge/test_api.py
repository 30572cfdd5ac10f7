"""``/api/knowledge``: added, listed, found by word and by meaning, changed, deleted, followed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit
from skills.models import Relation, Skill
from tests import people
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


class Api:
    """The quick door with somebody's key."""

    def __init__(self, user: User) -> None:
        self.client, self.headers = Client(), people.bearer(user)

    def __call__(self, method: str, path: str = "", **body: Any) -> Any:
        send = getattr(self.client, method)
        extra = body.pop("headers", {})
        given = {"data": body} if method == "get" else {"data": body, "content_type": "application/json"}
        return send(f"/api/knowledge{path}", headers=self.headers | extra, **given)


@pytest.fixture
def api(bob: User) -> Api:
    return Api(bob)


def test_a_note_is_taken_in_and_found(
    api: Api, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """202 at once; by word right away, by meaning once it is indexed; status tells how far it is."""
    with django_capture_on_commit_callbacks(execute=True):
        taken = api("post", title="部署 checklist", content="1. 运行测试\n2. 检查 diff", tags=["deploy"])
    assert taken.status_code == 202
    answer = taken.json()
    assert (answer["status"], answer["uri"]) == ("pending", "sk://skills/部署-checklist")
    assert api("get", f"/status/{answer['knowledge_id']}").json() == {
        "status": "pending",
        "index_state": "queued",
        "relations": [],
        "decision": None,
        "reason": "",
    }
    assert [row["title"] for row in api("get", "/pending").json()["items"]] == ["部署 checklist"]
    assert api("get", q="运行测试").json()["total"] == 1
    queue.work()
    status = api("get", f"/status/{answer['knowledge_id']}").json()
    assert (status["status"], status["decision"]) == ("approved", "CREATE")
    assert api("get", "/pending").json()["total"] == 0
    for mode in ("semantic", "hybrid"):
        found = api("get", q="部署流程", mode=mode).json()["items"]
        assert [row["title"] for row in found] == ["部署 checklist"]
        assert 0 <= found[0]["score"] <= 1
    found = api("get", "/search", q="部署流程", limit=5).json()
    assert (found["items"][0]["title"], found["found"]) == ("部署 checklist", True)
    assert api("get", "/search", q="运行", semantic=False).json()["total"] == 1
    assert api("get", "/search", q=" ").json()["items"] == []


def test_words_are_counted(api: Api, write: Write) -> None:
    """Most words first, then most often; in title, tags and text; ``%`` and ``_`` are letters."""
    write("One", "asyncio asyncio asyncio", index=False)
    write("Two", "python asyncio", index=False)
    write("Three", "nothing", tags=["Python"], index=False)
    write("Four 100%", "a_b", index=False)

    def named(q: str) -> list[str]:
        return [row["title"] for row in api("get", q=q).json()["items"]]

    assert named("Python asyncio") == ["Two", "One", "Three"]
    assert named("%") == ["Four 100%"]
    assert named("a_b") == ["Four 100%"]
    assert named("missing") == []
    first = api("get", q="python asyncio", page_size=1).json()
    assert first["total"] == 3
    second = api("get", q="python asyncio", page_size=1, cursor=first["next_cursor"]).json()
    assert [row["title"] for row in second["items"]] == ["One"]


def test_only_notes_are_listed(api: Api, write: Write) -> None:
    """Documents' skills and system skills have other doors."""
    skill = write("A document", index=False)
    Skill.objects.update(type="document")
    assert api("get").json()["total"] == 0
    assert api("get", f"/{skill.pk}").status_code == 404
    assert api("put", f"/{skill.pk}", content="x").status_code == 404
    assert api("delete", f"/{skill.pk}").status_code == 404


def test_a_note_has_many_names(api: Api, write: Write) -> None:
    """Its id, its slug, both URIs; also where a proxy made one slash of two."""
    skill = write("HA 地址", "http://192.168.1.9", tags=["地址"], index=False)
    for name in (skill.pk, skill.slug, skill.uri, f"sk://knowledge/{skill.pk}", f"sk:/skills/{skill.slug}"):
        assert api("get", f"/{name}").json()["id"] == str(skill.pk), name
        assert api("get", f"/status/{name}").status_code == 200
    assert api("get", f"/{uuid.uuid4()}").status_code == 404
    assert api("get", "/nobody").status_code == 404


def test_its_file_goes_in_and_out(api: Api) -> None:
    """Pasted text → note → the same text; and that text again → the same note."""
    text = "# 笔记标题\ntags: python, async, 备忘\n\n正文内容，支持 **Markdown**。\n"
    made = api("post", content=text).json()
    note = api("get", f"/{made['knowledge_id']}").json()
    assert (note["title"], note["tags"]) == ("笔记标题", ["python", "async", "备忘"])
    assert note["content"] == "正文内容，支持 **Markdown**。\n"
    assert note["markdown"] == text
    file = api("get", f"/{made['knowledge_id']}", format="md")
    assert (file.content.decode(), file.headers["content-type"]) == (text, "text/markdown; charset=utf-8")
    again = api("post", content=file.content.decode()).json()
    assert again["uri"] == "sk://skills/笔记标题-1"
    assert api("get", f"/{again['knowledge_id']}").json()["markdown"] == text


def test_sent_twice_it_is_made_once(api: Api, alice: User) -> None:
    """By ``Idempotency-Key`` or by ``id``; another person's key makes another note, their id is refused."""
    key = {"Idempotency-Key": "k 1"}
    first, second = (api("post", content="a", headers=key).json() for _ in range(2))
    assert first == second
    assert Api(alice)("post", content="a", headers=key).json()["knowledge_id"] != first["knowledge_id"]
    named = str(uuid.uuid4())
    assert api("post", content="b", id=named).json()["knowledge_id"] == named
    assert api("post", content="b", id=named).status_code == 202
    assert Api(alice)("post", content="b", id=named).status_code == 409
    assert Skill.objects.count() == 3


def test_appending_keeps_title_and_tags(api: Api, write: Write) -> None:
    """The default; a blank line between; a heading that says the title again is dropped, tags are added."""
    skill = write("Token", "First.", tags=["a"], index=False)
    changed = api("put", f"/{skill.pk}", content="# token\ntags: b, A\n\n补充：有效期 10 年").json()
    assert changed["content"] == "First.\n\n补充：有效期 10 年\n"
    assert (changed["title"], changed["tags"], changed["version"]) == ("Token", ["a", "b"], 2)
    assert skill.revisions.get(number=2).reason == "Added to"
    only_tags = api("put", f"/{skill.pk}", content="tags: c").json()
    assert (only_tags["content"], only_tags["tags"]) == (changed["content"], ["a", "b", "c"])
    assert api("put", f"/{skill.pk}", content=" \n").status_code == 422


def test_replacing(api: Api, write: Write) -> None:
    """Title and tags stay unless they are given; what is not given stays."""
    skill = write("Token", "First.", tags=["a"], index=False)
    changed = api("put", f"/{skill.uri}", mode="replace", content="# Token\n\nSecond.").json()
    assert (changed["content"], changed["title"], changed["tags"]) == ("Second.\n", "Token", ["a"])
    changed = api("put", f"/{skill.pk}", mode="replace", content="Third.", title="New", tags=["x"]).json()
    assert (changed["title"], changed["tags"], changed["uri"]) == ("New", ["x"], "sk://skills/token")
    assert api("put", f"/{skill.pk}", tags=[]).json()["tags"] == []
    assert api("put", f"/{skill.pk}", title="Only").json()["content"] == "Third.\n"
    assert api("put", f"/{skill.pk}", mode="replace", content="").status_code == 422
    assert api("put", f"/{skill.pk}", mode="sideways", content="x").status_code == 422


def test_a_lost_update_is_refused(api: Api, write: Write) -> None:
    """``If-Match`` with an old version: 412, and nothing changed."""
    skill = write("Token", "First.", index=False)
    tag = api("get", f"/{skill.pk}").headers["etag"]
    assert api("put", f"/{skill.pk}", content="b", headers={"If-Match": tag}).headers["etag"] == '"2"'
    late = api("put", f"/{skill.pk}", mode="replace", content="c", headers={"If-Match": tag})
    assert (late.status_code, late.json()["current"]) == (412, 2)
    assert api("put", f"/{skill.pk}", content="c", headers={"If-Match": "x"}).status_code == 422


def test_deleting(api: Api, write: Write) -> None:
    """Gone from lists and searches at once."""
    skill = write("Deploy list", "Run the tests.")
    assert api("delete", f"/{skill.pk}").json() == {"success": True}
    assert api("get").json()["total"] == 0
    assert api("get", q="tests", mode="hybrid").json()["items"] == []
    assert api("get", f"/{skill.pk}").status_code == 404


def test_waiting_notes_are_handed_out_again(
    api: Api, write: Write, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """Queued ones; with force those whose worker stopped or that failed; never one that is being done."""
    queued, busy, stopped, failed, ready = (write(name, index=False) for name in "abcde")
    queue.sent.clear()
    ago = timezone.now() - timedelta(hours=1)
    Skill.objects.filter(pk=busy.pk).update(index_state="running")
    Skill.objects.filter(pk=stopped.pk).update(index_state="running", heartbeat_at=ago, status="processing")
    Skill.objects.filter(pk=failed.pk).update(index_state="failed", attempts=3)
    Skill.objects.filter(pk=ready.pk).update(index_state="ready")
    with django_capture_on_commit_callbacks(execute=True):
        assert api("post", "/process").json() == {"processed": 1}
    assert queue.sent == [("skills.refresh", [str(queued.pk)])]
    with django_capture_on_commit_callbacks(execute=True):
        assert api("post", "/process?force=true").json() == {"processed": 3}
    stopped.refresh_from_db()
    failed.refresh_from_db()
    assert (stopped.status, stopped.index_state, failed.attempts) == ("pending", "queued", 0)


def test_at_most_fifty_at_a_time(api: Api, write: Write) -> None:
    """The rest with the next call."""
    for n in range(52):
        write(f"n{n}", index=False)
    assert api("post", "/process").json() == {"processed": 50}


def test_status_says_what_became_of_it(api: Api, write: Write, carol: User) -> None:
    """Rejected, merged, failed, related: the decision and the reason."""
    skill, other = write("A", index=False), write("B", index=False)
    Relation.objects.create(source=skill, target=other, type="conflict", reason="Two ports.")
    Skill.objects.filter(pk=skill.pk).update(status="rejected", merged_into=other)
    status = api("get", f"/status/{skill.pk}").json()
    assert (status["decision"], status["reason"]) == ("MERGE", "It was merged into another skill.")
    assert status["relations"][0] | {"target_id": ""} == {
        "type": "conflict",
        "reason": "Two ports.",
        "target_id": "",
        "target_uri": other.uri,
        "target_name": "B",
    }
    Skill.objects.filter(pk=skill.pk).update(merged_into=None)
    assert api("get", f"/status/{skill.pk}").json()["decision"] == "SKIP"


def test_what_is_closed_stays_closed(api: Api, write: Write, alice: User) -> None:
    """B50: lists, counts, relations, every call by id."""
    closed = Folder.objects.create(name="Closed")
    secret, mine = write("Secret", folder_id=closed.pk, index=False), write("Mine", index=False)
    Relation.objects.create(source=mine, target=secret, type="conflict")
    FolderGrant.objects.create(folder=closed, user=alice)
    assert [row["title"] for row in api("get").json()["items"]] == ["Mine"]
    assert api("get", "/pending").json()["total"] == 1
    assert api("get", f"/status/{mine.pk}").json()["relations"] == []
    for method, path in (("get", ""), ("put", ""), ("delete", "")):
        assert api(method, f"/{secret.pk}{path}", content="x").status_code == 404
    assert api("get", f"/status/{secret.slug}").status_code == 404
    assert api("post", "/process?force=true").json() == {"processed": 1}


def test_readers_read(dave: User, write: Write) -> None:
    """What is found; nothing else, and no change."""
    seen, unseen = write("Seen"), write("Unseen", index=False)
    reader = Api(dave)
    assert [row["title"] for row in reader("get").json()["items"]] == ["Seen"]
    assert reader("get", f"/{unseen.pk}").status_code == 404
    assert reader("post", content="x").status_code == 403
    assert reader("put", f"/{seen.pk}", content="x").status_code == 403
    assert reader("delete", f"/{seen.pk}").status_code == 403
    assert reader("post", "/process").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"content": ""},
        {"content": "  \n"},
        {"title": "x", "content": "tags: a"},
        {"content": "---"},
        {"title": "n" * 101, "content": "x"},
        {"content": "x", "tags": ["t" * 61]},
        {"content": "x", "tags": [str(n) for n in range(51)]},
        {"tags": []},
        {"content": "x", "folder_id": str(uuid.uuid4())},
    ],
    ids=str,
)
def test_bad_notes_are_refused(api: Api, body: dict[str, Any]) -> None:
    """With a sentence; nothing is kept."""
    answer = api("post", **body)
    assert answer.status_code in (404, 422)
    assert answer.json()["detail"]
    assert Skill.objects.count() == 0


@pytest.mark.parametrize("q", ["'\":*", "a & !b", "(", "\\", "\x00", "x" * 5000, "⁧אב", "🙂"])
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_odd_queries_never_fail(api: Api, write: Write, q: str, mode: str) -> None:
    """B32."""
    write("Any", "text")
    assert api("get", q=q, mode=mode).status_code == 200


def test_names_that_people_give(api: Api) -> None:
    """Odd titles are kept; those without a word are refused."""
    for title in ("🙂", "a/b\\c", "עברית", "<script>alert(1)</script>", "C# & C++", "*bold* [x](y)"):
        made = api("post", title=title, content="x").json()
        note = api("get", f"/{made['knowledge_id']}").json()
        assert note["title"] == title
        again = api("post", content=note["markdown"]).json()
        assert api("get", f"/{again['knowledge_id']}").json()["title"] == title


def test_lists_take_a_fixed_number_of_queries(
    api: Api, write: Write, django_assert_max_num_queries: Any
) -> None:
    """However many notes there are."""
    for n in range(8):
        write(f"n{n}", index=False)
    with django_assert_max_num_queries(6):
        assert len(api("get").json()["items"]) == 8
    with django_assert_max_num_queries(6):
        assert len(api("get", q="trains").json()["items"]) == 8


def test_two_appending_at_once_both_stay(bob: User, write: Write) -> None:
    """Each adds to what is there when it is saved."""
    skill = write("Log", "0", index=False)
    for n in "12":
        edit.append_content(skill.pk, bob, n)
    skill.refresh_from_db()
    assert skill.content == "0\n\n1\n\n2\n"
