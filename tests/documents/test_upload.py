"""People add files: each on its own, never twice, under whatever name."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from documents.decide import decide
from documents.models import Document, DocumentVersion, Folder, IngestRun
from documents.upload import receive
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, NotAllowed, NotFound
from kbsite.ids import new_id
from tests import people

Make = Callable[..., SimpleUploadedFile]
Sent = list[tuple[str, Any]]


@pytest.mark.django_db(transaction=True)
def test_files_are_stored_under_their_own_key_and_queued(
    bob: User, file: Make, sent: Sent, settings: Any
) -> None:
    receipt = receive([file("a.md", "# A"), file("b.txt", "B")], bob)
    assert [f.status for f in receipt.files] == ["queued", "queued"]
    assert sent == [("skills.ingest", [str(f.run.pk)]) for f in receipt.files if f.run]
    version = DocumentVersion.objects.get(document__filename="a.md")
    assert version.sha256 == hashlib.sha256(b"# A").hexdigest() and version.size == 3
    assert version.file.name == f"documents/{version.pk.hex[-2:]}/{version.pk.hex}"
    assert version.file.read() == b"# A"
    assert version.document.run == receipt.files[0].run and version.document.title == "a"


NAMES = [
    ("../../evil.txt", "evil.txt"),
    ("..\\..\\evil.txt", "evil.txt"),
    ("/etc/x.txt", "x.txt"),
    ("CON.txt", "CON.txt"),
    ("测" * 120 + ".txt", "测" * 120 + ".txt"),
    ("a#b?.md", "a#b?.md"),
    ("dot.", "dot."),
    ("\u202egpj.exe.txt", "gpj.exe.txt"),
    ("👩‍🚀.md", "👩‍🚀.md"),
    ("<img onerror=x>.md", "<img onerror=x>.md"),
    ("  ", "unnamed"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_a_name_is_only_shown_and_never_a_path(
    name: str, shown: str, bob: User, file: Make, sent: Sent, settings: Any
) -> None:
    upload = file("x", "text")
    upload._name = name  # what a client that does not clean up would send
    document = receive([upload], bob).files[0].document
    assert document is not None and document.filename == shown
    kept = [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]
    assert len(kept) == 1 and kept[0].name == document.versions.get().pk.hex


@pytest.mark.django_db
def test_a_file_that_is_too_large_leaves_its_neighbours_alone(
    bob: User, file: Make, sent: Sent, settings: Any
) -> None:
    settings.KB_MAX_FILE_MB = 1
    big, small = receive([file("big.txt", b"x" * 1_000_001), file("small.txt", "y")], bob).files
    assert big.status == "failed" and big.code == "too_large" and "1 MB" in big.reason
    assert small.status == "queued"


@pytest.mark.django_db
def test_the_same_form_sent_twice_makes_one_document(bob: User, file: Make, sent: Sent) -> None:
    first = receive([file()], bob, key="form-1")
    again = receive([file()], bob, key="form-1")
    assert first.batch == again.batch
    assert [f.id for f in first.files] == [f.id for f in again.files]
    assert Document.objects.count() == 1


@pytest.mark.django_db
def test_the_very_same_file_again_makes_nothing_and_says_so(bob: User, file: Make, sent: Sent) -> None:
    first = receive([file()], bob).files[0]
    again = receive([file()], bob).files[0]
    assert again.status == "skipped" and again.document == first.document and again.run is None
    assert "already here" in again.reason
    assert Document.objects.count() == 1


@pytest.mark.django_db
def test_the_very_same_file_again_retries_what_failed(bob: User, file: Make, sent: Sent) -> None:
    first = receive([file()], bob).files[0]
    IngestRun.objects.update(status="failed", attempts=3)
    again = receive([file()], bob).files[0]
    assert again.run == first.run and again.status == "queued"
    assert Document.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("choice", "status", "documents"), [("ask", "held", 2), ("skip", "skipped", 1), ("keep", "queued", 2)]
)
def test_the_same_bytes_under_another_name(
    choice: str, status: str, documents: int, bob: User, file: Make, sent: Sent
) -> None:
    first = receive([file("a.md")], bob).files[0]
    copy = receive([file("b.md")], bob, on_duplicate=choice).files[0]
    assert copy.status == status and Document.objects.count() == documents
    if choice != "keep":
        assert "a" in copy.reason
    if choice == "ask":
        assert copy.run is not None and copy.run.duplicate_of == first.document
        assert copy.run.needs == "decision"


@pytest.mark.django_db
def test_the_same_name_with_other_bytes_asks_and_becomes_a_version(bob: User, file: Make, sent: Sent) -> None:
    first = receive([file("a.md", "old")], bob).files[0]
    changed = receive([file("a.md", "new")], bob).files[0]
    assert changed.status == "held" and changed.code == "same_name" and changed.run is not None
    run = decide(changed.run, "version", bob)
    assert run.status == "queued" and run.version.number == 2 and run.version.document == first.document
    document = Document.objects.get()
    assert document.run == run
    assert [v.file.read() for v in document.versions.all()] == [b"new", b"old"]
    first.run.refresh_from_db()  # type: ignore[union-attr]
    assert first.run and first.run.code == "superseded"


@pytest.mark.django_db
def test_on_duplicate_version_does_not_ask(bob: User, file: Make, sent: Sent) -> None:
    receive([file("a.md", "old")], bob)
    assert receive([file("A.md", "new")], bob, on_duplicate="version").files[0].status == "queued"
    assert Document.objects.get().versions.count() == 2


@pytest.mark.django_db
def test_files_of_one_sending_are_not_each_others_versions(bob: User, file: Make, sent: Sent) -> None:
    files = receive([file("README.md", "one"), file("README.md", "two")], bob).files
    assert [f.status for f in files] == ["queued", "queued"]


@pytest.mark.django_db
def test_a_held_file_is_kept_or_left_out(bob: User, file: Make, sent: Sent) -> None:
    receive([file("a.md")], bob)
    held = receive([file("b.md")], bob).files[0].run
    assert held is not None
    assert decide(held, "skip", bob).status == "skipped"
    assert decide(held, "keep", bob).status == "queued"
    with pytest.raises(Conflict):
        decide(held, "keep", bob)
    with pytest.raises(InvalidInput):
        decide(held, "perhaps", bob)


@pytest.mark.django_db(transaction=True)
def test_ten_at_once_make_one_document(bob: User, sent: Sent, file: Make) -> None:
    def post(n: int) -> str:
        try:
            return receive([file("same.txt", "identical bytes")], bob).files[0].status
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        statuses = list(pool.map(post, range(10)))
    assert sorted(statuses) == ["queued"] + ["skipped"] * 9
    assert Document.objects.count() == 1


@pytest.mark.django_db
def test_readers_add_nothing_and_a_hidden_folder_is_not_there(
    bob: User, dave: User, file: Make, sent: Sent
) -> None:
    with pytest.raises(NotAllowed):
        receive([file()], dave)
    closed = Folder.objects.create(name="Closed")
    closed.grants.create(user=people.carol())
    with pytest.raises(NotFound):
        receive([file()], bob, folder_id=new_id())
    with pytest.raises(NotFound):
        receive([file()], bob, folder_id=closed.pk)
    with pytest.raises(InvalidInput):
        receive([], bob)
    assert not Document.objects.exists()


@pytest.mark.django_db
def test_what_one_may_not_see_is_no_duplicate(bob: User, file: Make, sent: Sent) -> None:
    carol = people.carol()
    closed = Folder.objects.create(name="Closed")
    closed.grants.create(user=carol)
    receive([file()], carol, folder_id=closed.pk)
    assert receive([file()], bob).files[0].status == "queued"


@pytest.mark.django_db
@pytest.mark.parametrize(("fault", "code"), [(errno.ENOSPC, "no_space"), (errno.EIO, "not_stored")])
def test_a_file_that_cannot_be_stored_leaves_its_neighbours_alone(
    fault: int, code: str, bob: User, file: Make, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = FileSystemStorage.save

    def fail_once(self: FileSystemStorage, name: str, content: Any, max_length: int | None = None) -> str:
        monkeypatch.setattr(FileSystemStorage, "save", save)
        raise OSError(fault, "no")

    monkeypatch.setattr(FileSystemStorage, "save", fail_once)
    bad, good = receive([file("bad.md", "1"), file("good.md", "2")], bob).files
    assert (bad.status, bad.code) == ("failed", code)
    assert (good.filename, good.status) == ("good.md", "queued")
