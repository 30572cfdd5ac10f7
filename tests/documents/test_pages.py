"""What people do on the documents pages, with and without JavaScript."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from documents import runs
from documents.faults import unreadable
from documents.listing import Row
from documents.live import page_events
from documents.models import Document, Folder, IngestRun
from documents.read import read
from documents.upload import receive
from documents.wording import strokes, wording
from kbsite.accounts.models import User
from tests import people

Sent = list[tuple[str, Any]]
pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _set_up(db: None) -> None:
    people.alice()


@pytest.fixture
def page(bob: User, sent: Sent) -> Client:
    client = Client()
    client.force_login(bob)
    return client


def added(user: User, name: str = "a.md", text: str = "# A\n\ntext", **where: Any) -> Document:
    document = receive([SimpleUploadedFile(name, text.encode())], user, **where).files[0].document
    assert document is not None
    return document


def ended(document: Document, error: Exception | None = None) -> Document:
    assert document.run_id
    run = runs.claim(document.run_id)
    assert run is not None
    runs.at_step(run, "parsing")
    if error is None:
        read(run)
        runs.finish(run)
    else:
        runs.fail(run, error)
    return Document.objects.select_related("run").get(pk=document.pk)


def at(name: str, document: Document) -> str:
    return reverse(f"documents:{name}", args=[document.pk])


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_the_first_visit_teaches(page: Client) -> None:
    text = page.get("/documents/").content.decode()
    assert "No documents yet" in text and "Choose files" in text


def test_every_state_says_what_it_is(page: Client, bob: User, django_assert_max_num_queries: Any) -> None:
    ended(added(bob, "ready.md"))
    ended(added(bob, "gbk.txt", "x"), unreadable("damaged"))
    ended(added(bob, "locked.pdf", "y"), unreadable("password"))
    added(bob, "copy.md")
    added(bob, "waiting.md", "z")
    with django_assert_max_num_queries(16):
        text = page.get("/documents/").content.decode()
    for words in ("Ready", "Failed in parsing", "Needs a password", "Already here?", "Next in line"):
        assert words in text, words
    for deed in (
        "Retry",
        "Remove",
        "Unlock",
        "Keep both",
        "New version",
        "Skip",
        "Cancel",
        "Used once, not kept.",
    ):
        assert deed in text, deed
    assert "No worker is running" in text


def test_a_long_list_costs_the_same(page: Client, bob: User, django_assert_max_num_queries: Any) -> None:
    for n in range(30):
        added(bob, f"{n}.md", f"{n}")
    with django_assert_max_num_queries(16):
        assert page.get("/documents/").status_code == 200


def test_names_are_text_and_never_markup(page: Client, bob: User) -> None:
    document = ended(
        added(
            bob,
            "<img src=x onerror=alert(1)>.md",
            "# Hi\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))",
        )
    )
    for path in ("/documents/", at("document", document)):
        text = page.get(path).content.decode()
        assert "<img src=x" not in text and "<script>alert" not in text and 'href="javascript:' not in text


def test_without_javascript_a_form_uploads_and_shows_its_batch(page: Client) -> None:
    folder = Folder.objects.create(name="F")
    files = [SimpleUploadedFile("a.md", b"# A"), SimpleUploadedFile("b.md", b"# B")]
    form = {"folder": str(folder.pk), "key": "k", "file": files}
    first = page.post("/documents/upload/", form)
    assert first.status_code == 302 and str(folder.pk) in first["Location"]
    assert "Batch of 2 files" in page.get(first["Location"]).content.decode()
    form["file"] = [SimpleUploadedFile("a.md", b"# A")]
    assert page.post("/documents/upload/", form)["Location"] == first["Location"]
    assert Document.objects.count() == 2


def test_with_javascript_files_follow_into_the_same_batch(page: Client) -> None:
    json = {"Accept": "application/json", **HTMX}

    def send(name: str, **more: str) -> str:
        file = SimpleUploadedFile(name, name.encode())
        return page.post("/documents/upload/", {"file": file, **more}, headers=json).content.decode()

    batch = send("a.md")
    assert send("b.md", batch=batch) == batch
    assert IngestRun.objects.filter(batch=batch).count() == 2


def test_what_was_turned_away_is_said_with_the_way_to_the_other(page: Client, bob: User) -> None:
    first = added(bob)
    sent_again = page.post("/documents/upload/", {"file": SimpleUploadedFile("a.md", b"# A\n\ntext")})
    text = page.get(sent_again["Location"]).content.decode()
    assert "already here" in text and at("document", first) in text


def test_filters_folder_and_words(page: Client, bob: User) -> None:
    folder = Folder.objects.create(name="Rules")
    added(bob, "inside.md", "1", folder_id=folder.pk)
    ended(added(bob, "outside.md", "2"))
    listing = page.get("/documents/", {"folder": str(folder.pk)}).content.decode()
    assert "inside.md" in listing and "outside.md" not in listing and "Rules" in listing
    assert "outside.md" in page.get("/documents/", {"folder": "unfiled"}).content.decode()
    ready = page.get("/documents/", {"status": "ready"}, headers=HTMX).content.decode()
    assert "outside.md" in ready and "inside.md" not in ready and "<html" not in ready
    assert "No document fits" in page.get("/documents/", {"q": "nothing like it"}).content.decode()
    assert page.get("/documents/", {"status": "odd"}).status_code == 422


def test_the_page_of_a_document(page: Client, bob: User, django_assert_max_num_queries: Any) -> None:
    document = ended(added(bob, "big5.txt", "x"))
    document.run.version.warnings = [{"code": "pages_without_text", "pages": "2, 5"}]  # type: ignore[union-attr]
    document.run.version.save()  # type: ignore[union-attr]
    with django_assert_max_num_queries(16):
        text = page.get(at("document", document)).content.decode()
    assert "only images: 2, 5." in text and "Download" in text and document.uri in text
    download = page.get(at("download", document))
    assert b"".join(download) == b"x"  # type: ignore[arg-type]
    assert download["Content-Disposition"] == 'attachment; filename="big5.txt"'


def test_an_html_file_is_never_shown_in_the_page(page: Client, bob: User) -> None:
    document = added(bob, "evil.html", "<script>alert(1)</script>")
    answer = page.get(at("download", document))
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_retry_cancel_and_decide_change_the_row_in_place(page: Client, bob: User) -> None:
    document = ended(added(bob), unreadable("damaged"))
    row = page.post(at("retry", document), headers=HTMX)
    assert "Queued" in row.content.decode() and "rows-changed" in row["HX-Trigger-After-Settle"]
    assert "Cancelled" in page.post(at("cancel", document), headers=HTMX).content.decode()
    assert (
        page.post(at("retry", document), {"next": "/documents/?page=2"})["Location"] == "/documents/?page=2"
    )
    assert page.post(at("retry", document), {"next": "https://evil.example/"})["Location"] == "/documents/"
    copy = added(bob, "copy.md")
    assert (
        "Skipped, duplicate"
        in page.post(at("decide", copy), {"choice": "skip"}, headers=HTMX).content.decode()
    )
    assert "Queued" in page.post(at("decide", copy), {"choice": "keep"}, headers=HTMX).content.decode()


def test_a_password_is_asked_for_and_used_once(page: Client, bob: User) -> None:
    document = ended(added(bob), unreadable("password"))
    assert page.post(at("unlock", document), {"password": ""}, headers=HTMX).status_code == 422
    assert "Queued" in page.post(at("unlock", document), {"password": "x"}, headers=HTMX).content.decode()
    ended(document, unreadable("wrong_password"))
    assert "does not open the file" in page.get("/documents/").content.decode()


def test_moving_and_deleting_can_be_undone(page: Client, bob: User) -> None:
    folder = Folder.objects.create(name="F")
    document = added(bob)
    assert "F" in page.get(at("move", document)).content.decode()
    moved = page.post(at("move", document), {"folder": str(folder.pk)}, headers=HTMX)
    document.refresh_from_db()
    assert moved.status_code == 204 and document.folder == folder and "Moved to" in moved["HX-Trigger"]
    page.post(at("move", document) + "?folder=")
    document.refresh_from_db()
    assert document.folder is None
    assert said(page.post(at("delete", document)))[-1] == "“a.md” is in the trash."
    assert page.get(at("document", document)).status_code == 404
    page.post(at("restore", document))
    assert page.get(at("document", document)).status_code == 200


def test_many_at_once(page: Client, bob: User) -> None:
    folder = Folder.objects.create(name="F")
    chosen = [str(added(bob, f"{n}.md", str(n)).pk) for n in range(3)]
    page.post("/documents/many/", {"document": chosen, "do": "move", "to": str(folder.pk)})
    assert Document.objects.filter(folder=folder).count() == 3
    page.post("/documents/many/", {"document": chosen[:2], "do": "delete"})
    assert Document.objects.visible_to(bob).count() == 1


def test_a_batch_is_stopped_and_its_failures_retried(page: Client, bob: User) -> None:
    document = added(bob)
    batch = reverse("documents:batch", args=[document.run.batch_id])  # type: ignore[union-attr]
    page.post(batch, {"do": "stop"})
    assert IngestRun.objects.get().code == "cancelled"
    IngestRun.objects.update(status="failed")
    page.post(batch, {"do": "retry"})
    assert IngestRun.objects.get().status == "queued"
    other = Client()
    other.force_login(people.carol())
    assert other.post(batch, {"do": "stop"}).status_code == 404


def test_folders_are_made_renamed_moved_and_deleted(page: Client, bob: User) -> None:
    made = page.post("/folders/new/", {"name": "人事", "parent": ""})
    folder = Folder.objects.get(name="人事")
    assert made["Location"] == f"/documents/?folder={folder.pk}"
    again = page.post("/folders/new/", {"name": "人事"})
    assert again.status_code == 422 and "already a folder" in again.content.decode()
    change = reverse("documents:folder_change", args=[folder.pk])
    inside = Folder.objects.create(name="内", parent=folder)
    form = page.get(change).content.decode()
    assert f'value="{inside.pk}"' not in form.split('name="parent"')[1].split("</select>")[0]
    page.post(change, {"name": "行政", "parent": ""})
    folder.refresh_from_db()
    assert folder.name == "行政"
    assert page.post(change, {"name": "行政", "parent": str(inside.pk)}).status_code == 422
    added(bob, folder_id=inside.pk)
    delete = reverse("documents:folder_delete", args=[folder.pk])
    question = page.get(delete).content.decode()
    assert "1 folder inside" in question and "1 document" in question
    assert "1 thing is unfiled now." in said(page.post(delete))[0]
    assert not Folder.objects.filter(pk=folder.pk).exists()


def test_a_closed_folder_warns_that_its_things_will_be_open(page: Client, bob: User) -> None:
    folder = Folder.objects.create(name="Closed")
    folder.grants.create(user=bob)
    added(bob, folder_id=folder.pk)
    question = page.get(reverse("documents:folder_delete", args=[folder.pk])).content.decode()
    assert "can be seen by everyone" in question


def test_readers_see_and_change_nothing(bob: User, dave: User, sent: Sent) -> None:
    document = ended(added(bob))
    reader = Client()
    reader.force_login(dave)
    text = reader.get("/documents/").content.decode()
    assert "a.md" in text and "Choose files" not in text and 'aria-label="Select all"' not in text
    assert reader.get(at("document", document)).status_code == 200
    for name in ("retry", "cancel", "decide", "unlock", "move", "delete"):
        assert reader.post(at(name, document), {"choice": "keep", "password": "x"}).status_code == 403, name
    for path in ("/documents/upload/", "/documents/many/", "/folders/new/"):
        assert reader.post(path, {"file": SimpleUploadedFile("x.md", b"x")}).status_code == 403, path


def test_strangers_sign_in_first(client: Client, bob: User, sent: Sent) -> None:
    document = added(bob)
    own = [at("document", document), at("download", document)]
    for path in ("/documents/", "/documents/events/", "/folders/new/", *own):
        assert client.get(path)["Location"].startswith("/login/")


def test_closed_documents_are_not_there(page: Client, sent: Sent) -> None:
    carol = people.carol()
    closed = Folder.objects.create(name="Closed")
    closed.grants.create(user=carol)
    document = added(carol, folder_id=closed.pk)
    assert "a.md" not in page.get("/documents/").content.decode()
    for name in ("document", "download"):
        assert page.get(at(name, document)).status_code == 404
    for name in ("retry", "delete", "move"):
        assert page.post(at(name, document)).status_code == 404


def test_the_five_strokes() -> None:
    def shown(status: str, step: str) -> str:
        letters = {"done": "d", "now": "n", "stop": "x", "held": "h", "": "."}
        return "".join(letters[stroke] for stroke in strokes(IngestRun(status=status, step=step)))

    assert shown("queued", "queued") == "....."
    assert shown("running", "analyzing") == "dn..."
    assert shown("failed", "parsing") == "x...."
    assert shown("held", "queued") == "h...."
    assert shown("skipped", "deduping") == "ddh.."
    assert shown("done", "completed") == "ddddd"


def test_the_place_in_line(bob: User, sent: Sent) -> None:
    row = Row(added(bob))
    assert wording(row, 3).reason == "3 ahead of it" and wording(row, 0).reason == "Next in line"


def test_curators_see_in_the_admin_site_what_they_may_see(bob: User, sent: Sent) -> None:
    ended(added(bob, "open.md", "1"), unreadable("damaged"))
    closed = Folder.objects.create(name="Closed")
    closed.grants.create(user=bob)
    added(bob, "secret.md", "2", folder_id=closed.pk)
    curator = Client()
    curator.force_login(people.carol())
    for model in ("folder", "document", "documentversion", "ingestrun", "uploadbatch"):
        text = curator.get(f"/admin/documents/{model}/").content.decode()
        assert "secret.md" not in text and "Closed" not in text, model
    assert curator.get("/admin/documents/foldergrant/").status_code == 403
    run = IngestRun.objects.get(status="failed")
    curator.post("/admin/documents/ingestrun/", {"action": "retry", "_selected_action": [str(run.pk)]})
    run.refresh_from_db()
    assert run.status == "queued"
    version = run.version
    assert curator.get(f"/admin/documents/documentversion/{version.pk}/change/").status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_rows_change_under_the_readers_eyes(bob: User, sent: Sent) -> None:
    document = await sync_to_async(added)(bob)
    batch = (await sync_to_async(IngestRun.objects.get)()).batch_id
    frames: list[str] = []
    async with asyncio.timeout(20):
        async for piece in page_events(bob, [document.pk], batch, "en"):
            frames.append(piece.decode())
            if sum("event: rows" in frame for frame in frames) == 2 and len(frames) == 3:
                await sync_to_async(ended)(document)
    text = "".join(frames)
    assert f'<tr id="row-{document.pk.hex}"' in text and 'hx-swap-oob="true"' in text
    assert "Queued" in text and "Ready" in text and "1 ready" in text
    assert frames[-1] == "event: end\ndata: \n\n"
