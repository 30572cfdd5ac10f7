"""What stands about things in closed folders in the places where open ones are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents import folder_trash, folders, runs
from documents.decide import decide
from documents.listing import rows
from documents.models import Document, Folder, FolderGrant, IngestRun
from documents.upload import receipt_of, receive
from kbsite.accounts.keys import make_key, person_for
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict
from skills.models import Skill, Source
from tests import people

type Make = Callable[..., SimpleUploadedFile]
pytestmark = pytest.mark.django_db
Sent = list[tuple[str, Any]]


@pytest.fixture
def closed(bob: User) -> Folder:
    folder = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=folder, user=bob)
    return folder


@pytest.fixture
def eve(db: None) -> User:
    return people.carol()


def held_like_a_secret(bob: User, file: Make, closed: Folder) -> IngestRun:
    """A file that all see, and that is the same as one in a closed folder."""
    receive([file("Merger.md")], bob, folder_id=closed.pk)
    held = receive([file("open.md")], bob).files[0].run
    assert held is not None and held.status == "held"
    return held


def test_a_skill_moved_to_a_closed_folder_is_not_named_beside_its_document(
    bob: User, eve: User, dave: User, file: Make, sent: Sent, closed: Folder
) -> None:
    run = receive([file()], bob).files[0].run
    assert run is not None
    skill = Skill.objects.create(slug="merger", name="Merger", status="approved", folder=closed)
    Source.objects.create(skill=skill, version=run.version)
    draft = Skill.objects.create(slug="draft", name="Draft", status="pending")
    Source.objects.create(skill=draft, version=run.version)

    def named(user: User) -> set[str]:
        return {made.name for row in rows(Document.objects.visible_to(user), user) for made in row.skills}

    assert named(bob) == {"Merger", "Draft"}
    assert named(eve) == {"Draft"}
    assert named(dave) == set()


def test_a_duplicate_does_not_tell_of_a_document_in_a_closed_folder(
    bob: User, eve: User, file: Make, sent: Sent, closed: Folder
) -> None:
    held = held_like_a_secret(bob, file, closed)
    at = f"/api/documents/{held.version.document_id}"
    assert "Merger" in Client(headers=people.bearer(bob)).get(at).json()["reason"]
    hers = Client(headers=people.bearer(eve))
    seen = hers.get(at).json()
    assert seen["duplicate_of"] is None and "Merger" not in seen["reason"]
    assert b"Merger" not in hers.get(f"{at}/versions").content
    assert held.batch is not None
    assert "Merger" not in str(receipt_of(held.batch, eve))


def test_files_turned_away_are_told_to_their_sender_only(
    bob: User, eve: User, file: Make, sent: Sent, closed: Folder
) -> None:
    receive([file("Merger.md")], bob, folder_id=closed.pk)
    batch = receive([file("secret copy.md"), file("open.md", "Else.")], bob, on_duplicate="skip").batch
    batch.refresh_from_db()
    assert len(receipt_of(batch, bob).files) == 2
    assert [one.filename for one in receipt_of(batch, eve).files] == ["open.md"]


def test_nobody_adds_a_version_to_a_document_they_cannot_see(
    bob: User, eve: User, file: Make, sent: Sent, closed: Folder
) -> None:
    held = held_like_a_secret(bob, file, closed)
    with pytest.raises(Conflict):
        decide(held, "version", eve)
    assert decide(held, "version", bob).version.number == 2


def test_a_key_limited_to_a_folder_keeps_things_in_it(bob: User, file: Make, sent: Sent) -> None:
    mine, sub = Folder.objects.create(name="Mine"), None
    sub = Folder.objects.create(name="Sub", parent=mine)
    _, token = make_key(bob, "narrow", folder_id=mine.pk)
    narrow = person_for(token)
    assert narrow is not None
    one = receive([file("a.md")], narrow, folder_id=sub.pk).files[0].document
    assert one is not None
    folders.put(one, None, narrow)
    one.refresh_from_db()
    assert one.folder == mine
    folders.put(one, sub, narrow)
    folders.move_contents(sub, narrow, None)
    one.refresh_from_db()
    assert one.folder == mine


def test_a_folder_deleted_while_files_come_in_leaves_them_unfiled(
    bob: User, file: Make, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folders.create(bob, "Soon gone")
    first, second = file("a.md", "One."), file("b.md", "Two.")
    chunks = second.chunks

    def gone(size: int | None = None) -> Any:
        folder_trash.delete(folder, bob)
        return chunks(size)

    monkeypatch.setattr(second, "chunks", gone)
    receipt = receive([first, second], bob, folder_id=folder.pk)
    assert [one.status for one in receipt.files] == ["queued", "queued"]
    assert list(Document.objects.values_list("folder", flat=True)) == [None, None]


def test_a_worker_from_before_a_cancel_and_a_retry_holds_the_run_no_more(
    bob: User, file: Make, sent: Sent
) -> None:
    """Attempts are counted anew by a retry, so their number alone names no worker."""
    one = receive([file()], bob).files[0]
    assert one.run is not None and one.document is not None
    first = runs.claim(one.run.pk)
    assert first is not None
    runs.cancel(one.document)
    runs.retry(one.run)
    second = runs.claim(one.run.pk)
    assert second is not None and second.attempts == first.attempts
    assert not runs.beat(first)
    with pytest.raises(runs.RunLost):
        runs.at_step(first, "storing")
    assert runs.beat(second)


def test_deleting_on_the_admin_site_is_the_trash(bob: User, eve: User, file: Make, sent: Sent) -> None:
    """With its skills, and to be brought back: not rows torn out from under them."""
    run = receive([file()], bob).files[0].run
    assert run is not None
    skill = Skill.objects.create(slug="s", name="S", status="approved")
    Source.objects.create(skill=skill, version=run.version)
    people.alice()
    browser = Client()
    browser.force_login(eve)
    browser.post(f"/admin/documents/document/{run.version.document_id}/delete/", {"post": "yes"})
    document = Document.objects.get()
    assert document.deleted_at is not None
    assert not Skill.objects.findable().exists()


def test_a_narrow_key_revokes_no_wider_one(bob: User) -> None:
    folder = Folder.objects.create(name="F")
    wide, _ = make_key(bob, "wide")
    for narrower, status in (({"read_only": True}, 403), ({"folder_id": folder.pk}, 404)):
        client = Client(headers=people.bearer(bob, **narrower))
        assert client.delete(f"/api/keys/{wide.pk}").status_code == status
    wide.refresh_from_db()
    assert wide.revoked_at is None
