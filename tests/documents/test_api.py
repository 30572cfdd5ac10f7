"""The documents, folders and uploads of the JSON API, each with its refusals."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client

from documents import runs
from documents.faults import unreadable
from documents.models import Document, Folder, FolderDeletion, IngestRun
from documents.progress import batch_events
from documents.read import read
from documents.upload import receive
from kbsite.accounts.models import User
from tests import people

Sent = list[tuple[str, Any]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def api(bob: User, sent: Sent) -> Client:
    return Client(headers=people.bearer(bob))


def post(api: Client, path: str, body: Any = None) -> Any:
    return api.post(f"/api{path}", json.dumps(body), content_type="application/json")


def upload(api: Client, *files: tuple[str, bytes], **fields: str) -> Any:
    parts = [SimpleUploadedFile(name, data) for name, data in files]
    return api.post("/api/documents/upload", {"file": parts, **fields})


def finished(document_id: str) -> None:
    """What a worker does, as far as this app knows."""
    run = runs.claim(Document.objects.get(pk=document_id).run_id)
    assert run is not None
    try:
        read(run)
        runs.finish(run)
    except Exception as error:  # noqa: BLE001 - as the pipeline does
        runs.fail(run, error)


def test_upload_read_list_and_download(api: Client, django_assert_max_num_queries: Any) -> None:
    answer = upload(api, ("测试#1?.md", "# 标题\n\n正文".encode()), ("empty.txt", b""))
    assert answer.status_code == 202
    taken = answer.json()
    assert taken["stream_url"] == f"/api/upload/tasks/{taken['task_id']}/stream"
    ids = {file["filename"]: file["document_id"] for file in taken["files"]}
    for id in ids.values():
        finished(id)
    with django_assert_max_num_queries(8):
        listing = api.get("/api/documents").json()
    rows = {row["filename"]: row for row in listing["items"]}
    assert listing["total"] == 2
    good, bad = rows["测试#1?.md"], rows["empty.txt"]
    assert (good["status"], good["title"], good["encoding"], good["language"]) == (
        "done",
        "标题",
        "utf-8",
        "zh",
    )
    assert good["uri"] == f"sk://documents/{good['id']}" and good["skill_ids"] == []
    assert (bad["status"], bad["code"]) == ("failed", "empty") and "empty" in bad["reason"]
    content = api.get(f"/api/documents/{good['id']}/content")
    assert content.content.decode() == "# 标题\n\n正文" and content["Content-Type"].startswith(
        "text/markdown"
    )
    download = api.get(f"/api/documents/{good['id']}/download")
    assert b"".join(download) == "# 标题\n\n正文".encode()  # type: ignore[arg-type]
    assert download["Content-Disposition"] == f"attachment; filename*=utf-8''{quote('测试#1?.md')}"
    assert download["X-Content-Type-Options"] == "nosniff"
    assert download["Content-Type"] == "application/octet-stream"


def test_lists_filter_and_page(api: Client, bob: User) -> None:
    folder = Folder.objects.create(name="F")
    for n in range(5):
        where = {"folder_id": str(folder.pk)} if n % 2 else {}
        upload(api, (f"doc{n}.txt", str(n).encode()), **where)
    assert api.get("/api/documents", {"folder_id": str(folder.pk)}).json()["total"] == 2
    assert api.get("/api/documents", {"unfiled": "true"}).json()["total"] == 3
    assert api.get("/api/documents", {"status": "queued", "q": "doc3"}).json()["total"] == 1
    assert api.get("/api/documents", {"status": "ready"}).json()["total"] == 0
    assert api.get("/api/documents", {"status": "odd"}).status_code == 422
    first = api.get("/api/documents", {"page_size": "2"}).json()
    second = api.get("/api/documents", {"page_size": "2", "cursor": first["next_cursor"]}).json()
    assert [row["filename"] for row in first["items"] + second["items"]] == [
        f"doc{n}.txt" for n in (4, 3, 2, 1)
    ]


def test_the_same_key_answers_with_the_first_upload(api: Client) -> None:
    def send() -> Any:
        file = SimpleUploadedFile("a.txt", b"x")
        return api.post("/api/upload/batch", {"file": file}, headers={"Idempotency-Key": "k1"}).json()

    assert send() == send()
    assert Document.objects.count() == 1


@pytest.mark.parametrize("fields", [{"folder_id": "not-an-id"}, {"on_duplicate": "perhaps"}])
def test_an_upload_that_makes_no_sense(api: Client, fields: dict[str, str]) -> None:
    assert upload(api, ("a.txt", b"x"), **fields).status_code == 422
    assert api.post("/api/documents/upload", {}).status_code == 422
    assert not Document.objects.exists()


def test_a_duplicate_is_told_and_decided(api: Client) -> None:
    first = upload(api, ("a.txt", b"same")).json()["files"][0]
    again = upload(api, ("a.txt", b"same")).json()
    assert again["files"][0]["status"] == "skipped"
    assert again["files"][0]["document_id"] == first["document_id"]
    task = api.get(f"/api/upload/tasks/{again['task_id']}").json()
    assert (task["status"], task["total"], task["completed"]) == ("completed", 1, 1)
    held = upload(api, ("b.txt", b"same")).json()["files"][0]
    assert (held["status"], held["needs"]) == ("held", "decision") and "“a”" in held["reason"]
    assert api.get(f"/api/documents/{held['document_id']}").json()["duplicate_of"] == first["document_id"]
    kept = post(api, f"/documents/{held['document_id']}/decide", {"choice": "keep"})
    assert kept.json()["status"] == "queued"
    assert post(api, f"/documents/{held['document_id']}/decide", {"choice": "keep"}).status_code == 409


def test_a_new_version(api: Client) -> None:
    first = upload(api, ("a.txt", b"old")).json()["files"][0]["document_id"]
    assert upload(api, ("a.txt", b"new"), on_duplicate="version").json()["files"][0]["document_id"] == first
    assert [v["number"] for v in api.get(f"/api/documents/{first}/versions").json()] == [2, 1]
    assert api.get(f"/api/documents/{first}").json()["version"] == 2
    assert b"".join(api.get(f"/api/documents/{first}/download?version=1")) == b"old"  # type: ignore[arg-type]
    assert api.get(f"/api/documents/{first}/download?version=7").status_code == 404


def test_retry_unlock_move_and_delete(api: Client) -> None:
    id = upload(api, ("a.txt", b"x")).json()["files"][0]["document_id"]
    run = runs.claim(IngestRun.objects.get().pk)
    assert run is not None
    runs.fail(run, unreadable("password"))
    row = api.get(f"/api/documents/{id}").json()
    assert (row["status"], row["needs"], row["code"]) == ("held", "password", "password")
    assert post(api, f"/documents/{id}/unlock", {"password": ""}).status_code == 422
    assert post(api, f"/documents/{id}/unlock", {"password": "s"}).json()["status"] == "queued"
    runs.cancel(Document.objects.get())
    assert post(api, f"/documents/{id}/retry").json()["status"] == "queued"
    folder = Folder.objects.create(name="F")
    assert post(api, f"/documents/{id}/move", {"folder_id": str(folder.pk)}).json()["folder_id"] == str(
        folder.pk
    )
    assert post(api, f"/documents/{id}/move", {"folder_id": None}).json()["folder_id"] is None
    assert api.delete(f"/api/documents/{id}").json() == {"success": True}
    assert api.get(f"/api/documents/{id}").status_code == 404
    assert api.get("/api/documents").json()["total"] == 0


def test_words_are_found_in_names_and_texts(api: Client) -> None:
    for name, text in (("report.md", "budget 100% 预算"), ("预算.txt", "nothing"), ("other.txt", "else")):
        finished(upload(api, (name, text.encode())).json()["files"][0]["document_id"])
    found = api.get("/api/documents/search", {"q": "预算"}).json()
    assert [row["filename"] for row in found["items"]] == ["预算.txt", "report.md"]
    assert "100% 预算" in found["items"][1]["snippet"]
    assert api.get("/api/documents/search", {"q": "%"}).json()["total"] == 1
    assert api.get("/api/documents/search", {"q": " "}).json() == {"items": [], "total": 0}


def test_folders(api: Client) -> None:
    made = post(api, "/folders", {"name": "技术文档", "sort_order": 10})
    assert made.status_code == 201
    top = made.json()
    child = post(api, "/documents/folders", {"name": "前端开发", "parent_id": top["id"]}).json()
    assert child["path"] == ["技术文档", "前端开发"]
    upload(api, ("a.txt", b"x"), folder_id=child["id"])
    tree = api.get("/api/folders", {"tree": "true"}).json()
    [branch] = [row for row in tree if not row["is_system"]]
    assert branch["children"][0]["name"] == "前端开发" and branch["counts"]["documents_below"] == 1
    assert [row["name"] for row in api.get("/api/folders", {"parent_id": top["id"]}).json()] == ["前端开发"]
    assert post(api, f"/folders/{top['id']}/move", {"parent_id": child["id"]}).status_code == 409
    assert post(api, "/folders", {"name": "技术文档"}).status_code == 409
    assert post(api, "/folders", {"name": " "}).status_code == 422
    changed = api.put(
        f"/api/folders/{child['id']}", json.dumps({"name": "前端"}), content_type="application/json"
    ).json()
    assert changed["name"] == "前端" and changed["parent_id"] == top["id"]
    other = post(api, "/folders", {"name": "B"}).json()
    assert post(api, f"/folders/{child['id']}/move-contents", {"folder_id": other["id"]}).json()["moved"] == 1
    gone = api.delete(f"/api/folders/{other['id']}").json()
    assert gone.pop("deletion_id") == str(FolderDeletion.objects.get().pk)
    assert gone == {"success": True, "folders": 1, "documents_unfiled": 1, "skills_unfiled": 0}
    assert api.get(f"/api/folders/{other['id']}").status_code == 404


def test_the_system_folder_is_not_changed(api: Client) -> None:
    root = Folder.objects.filter(is_system=True).first() or Folder.objects.create(
        name="根目录", is_system=True
    )
    for answer in (
        api.put(f"/api/folders/{root.pk}", '{"name": "x"}', content_type="application/json"),
        api.delete(f"/api/folders/{root.pk}"),
    ):
        assert answer.status_code == 403


def test_readers_read_only_and_strangers_nothing(api: Client, dave: User) -> None:
    id = upload(api, ("a.txt", b"x")).json()["files"][0]["document_id"]
    reader = Client(headers=people.bearer(dave))
    assert reader.get(f"/api/documents/{id}").status_code == 200
    assert upload(reader, ("b.txt", b"y")).status_code == 403
    assert reader.delete(f"/api/documents/{id}").status_code == 403
    for action, body in (("retry", None), ("move", {"folder_id": None}), ("decide", {"choice": "keep"})):
        assert post(reader, f"/documents/{id}/{action}", body).status_code == 403
    assert post(reader, "/folders", {"name": "x"}).status_code == 403
    assert Client().get("/api/documents").status_code == 401


def test_what_is_closed_is_not_there_by_any_route(api: Client, dave: User, bob: User) -> None:
    closed = Folder.objects.create(name="Closed")
    closed.grants.create(user=bob)
    taken = upload(api, ("secret.txt", b"secret words"), folder_id=str(closed.pk)).json()
    id, task = taken["files"][0]["document_id"], taken["task_id"]
    other = Client(headers=people.bearer(dave))
    for path in ("", "/content", "/download", "/versions"):
        assert other.get(f"/api/documents/{id}{path}").status_code == 404
    assert other.get(f"/api/folders/{closed.pk}").status_code == 404
    assert other.get(f"/api/upload/tasks/{task}").status_code == 404
    assert other.get(f"/api/upload/tasks/{task}/stream").status_code == 404
    assert other.get("/api/documents").json()["total"] == 0
    assert other.get("/api/documents", {"folder_id": str(closed.pk)}).json()["total"] == 0
    assert other.get("/api/documents/search", {"q": "secret"}).json()["total"] == 0


def test_a_batch_is_stopped(api: Client) -> None:
    task = upload(api, ("a.txt", b"x"), ("b.txt", b"y")).json()["task_id"]
    assert api.delete(f"/api/upload/tasks/{task}").json() == {"success": True}
    answer = api.get(f"/api/upload/tasks/{task}").json()
    assert {file["code"] for file in answer["files"]} == {"cancelled"} and answer["status"] == "completed"


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_progress_is_streamed_to_the_end(bob: User, sent: Sent) -> None:
    receipt = await sync_to_async(receive)(
        [SimpleUploadedFile("a.md", b"# A"), SimpleUploadedFile("b.txt", b"")], bob
    )

    def work() -> None:
        for file in receipt.files:
            assert file.document is not None
            finished(str(file.document.pk))

    events: list[tuple[str, dict[str, Any]]] = []
    stream = batch_events(receipt.batch.pk, bob, "en")
    async with asyncio.timeout(20):
        async for frame in stream:
            name, data = frame.decode().strip().split("\n")
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
            if len(events) == 2:
                await sync_to_async(work)()
    assert [name for name, _ in events][-1] == "task.completed"
    assert events[0][1]["step"] == "queued" and UUID(events[0][1]["file_id"])
    ends = {e["filename"]: e["step"] for name, e in events if name == "file.progress"}
    assert ends == {"a.md": "completed", "b.txt": "failed"}
    assert events[-1][1] | {"task_id": 0} == {
        "task_id": 0,
        "total": 2,
        "completed": 1,
        "failed": 1,
        "status": "partial",
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_the_stream_is_left_alone_by_proxies(bob: User, sent: Sent) -> None:
    receipt = await sync_to_async(receive)([SimpleUploadedFile("a.md", b"# A")], bob)
    headers = await sync_to_async(people.bearer)(bob)
    response = await AsyncClient().get(f"/api/upload/tasks/{receipt.batch.pk}/stream", headers=headers)
    assert response["Content-Type"].startswith("text/event-stream")
    assert response["X-Accel-Buffering"] == "no" and "no-transform" in response["Cache-Control"]
    pieces = aiter(response)  # type: ignore[arg-type]
    assert b"file.progress" in await anext(pieces)
    await pieces.aclose()
