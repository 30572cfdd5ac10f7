"""The trash: what is in it, who sees it, taking out of it, emptying it by hand and by the clock."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live
from django.core.files.base import ContentFile
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from documents import folder_trash, trash
from documents.models import Document, Folder, FolderDeletion, FolderGrant
from documents.upload import FileReceipt
from documents.versions import add_version
from kbsite.accounts import audit
from kbsite.accounts.models import AuditEntry, User
from kbsite.accounts.signing_in import FAILED
from kbsite.accounts.tasks import forget_failures
from kbsite.celery import app
from kbsite.exceptions import NotAllowed, NotFound
from skills import tasks, terms
from skills.bin import purge
from skills.models import LayerVector, Passage, PassageTerms, Revision, Skill, Source, Term
from skills.trash import delete_skill, delete_skills
from tests import people
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
Upload = Callable[..., FileReceipt]


@pytest.fixture
def page(client: Client, bob: User, alice: User) -> Client:
    """Bob, signed in."""
    client.force_login(bob)
    return client


def text(client: Client, address: str = "/trash/") -> str:
    """The page at the address."""
    return client.get(address).content.decode()


def long_ago(days: int = 31) -> Any:
    """That many days ago."""
    return timezone.now() - timedelta(days=days)


def test_a_deleted_skill_is_in_the_trash_and_nowhere_else(page: Client, write: Write, bob: User) -> None:
    """Not in lists, not in search; in the trash with who, when and where."""
    travel = Folder.objects.create(name="Travel rules")
    skill = write("Trains", "Second class only.\n", folder_id=travel.pk)
    for address in ("/skills/", "/search/?q=second+class"):
        assert f"/skills/{skill.slug}/" in text(page, address)
    delete_skill(skill.pk, bob)
    for address in (
        "/skills/",
        "/search/?q=second+class",
        f"/skills/?folder={travel.pk}",
        "/skills/?q=Trains",
    ):
        assert f"/skills/{skill.slug}/" not in text(page, address)
    assert page.get(f"/skills/{skill.slug}/").status_code == 404
    assert str(skill.pk) not in text(page, "/api/search?q=second+class")
    shown = text(page)
    assert "Trains" in shown and "Travel rules" in shown and "Bob" in shown
    goes = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%d")
    assert f'datetime="{goes}' in shown


def test_restoring_one_and_several(page: Client, write: Write, bob: User) -> None:
    """By its own button, or by what is selected; its index is there at once."""
    made = [write(name, f"About {name}.\n", index=False) for name in ("One", "Two", "Three")]
    delete_skills([skill.pk for skill in made], bob)
    one = page.post("/trash/restore/", {"kind": "skill", "one": made[0].pk}, follow=True).content.decode()
    assert "“One” is back." in one
    ids = [str(skill.pk) for skill in made[1:]]
    many = page.post("/trash/restore/", {"kind": "skill", "id": ids}, follow=True).content.decode()
    assert "2 things are back." in many and "No skills in the trash" in many
    assert Skill.objects.filter(deleted_at=None, deleted_by=None).count() == 3
    again = page.post("/trash/restore/", {"kind": "skill", "id": ids}, follow=True).content.decode()
    assert "There is no such skill in the trash." in again
    for nonsense in ({}, {"kind": "pony", "id": "x"}, {"kind": "skill", "id": ["", "nope"]}):
        answer = page.post("/trash/restore/", nonsense, follow=True).content.decode()
        assert "Select something first." in answer


def test_a_skill_whose_folder_is_gone_comes_back_unfiled(page: Client, write: Write, bob: User) -> None:
    """And lies in it again once the folder is back too."""
    folder = Folder.objects.create(name="Soon gone")
    skill = write(folder_id=folder.pk, index=False)
    delete_skill(skill.pk, bob)
    deletion = folder_trash.delete(folder, bob).deletion_id
    page.post("/trash/restore/", {"kind": "skill", "one": skill.pk})
    skill.refresh_from_db()
    assert skill.deleted_at is None and skill.folder is None
    answer = page.post("/trash/restore/", {"kind": "folder", "one": deletion}, follow=True)
    assert "The folder “Soon gone” is back." in answer.content.decode()
    skill.refresh_from_db()
    assert skill.folder == folder


def test_skills_that_went_with_their_document_are_shown_with_it(
    page: Client, upload: Upload, queue: Queue, bob: User
) -> None:
    """They come back with it."""
    upload("rules.md", "# Rules\n\nApply first.\n")
    queue.work()
    trash.delete_document(Document.objects.get(), bob)
    assert "No skills in the trash" in text(page, "/trash/?kind=skill")
    shown = text(page)
    assert "rules.md" in shown and "come back with it" in shown and "Rules" in shown
    page.post("/trash/restore/", {"kind": "document", "one": Document.objects.get().pk})
    assert Skill.objects.findable().get().name == "Rules"


def test_a_document_names_no_skill_that_lies_where_one_may_not_look(
    write: Write, client: Client, alice: User, bob: User
) -> None:
    """A skill that was read from it and put in a closed folder goes with it, and is not told of."""
    closed = Folder.objects.create(name="Board")
    skill = write("Secret merger", folder_id=closed.pk, index=False)
    FolderGrant.objects.create(folder=closed, user=alice)
    document = Document.objects.create(title="Doc", filename="d.md")
    version = document.versions.create(size=1, sha256="0" * 64)
    Source.objects.create(skill=skill, version=version, start=0, end=1)
    trash.delete_document(document, alice)
    client.force_login(alice)
    assert "Secret merger" in text(client, "/trash/?kind=document")
    client.force_login(bob)
    page = text(client, "/trash/?kind=document")
    assert "d.md" in page
    assert "Secret merger" not in page
    listed = client.get("/api/trash?kind=document", headers=people.bearer(bob)).json()
    assert listed["items"][0]["skills"] == []


def test_only_what_one_may_see(write: Write, client: Client, alice: User, bob: User, carol: User) -> None:
    """Closed folders stay closed in the trash; a narrow key sees its own; readers see no trash."""
    closed, mine = Folder.objects.create(name="Closed"), Folder.objects.create(name="Mine")
    hidden, seen = (
        write("Hidden", folder_id=closed.pk, index=False),
        write("Seen", folder_id=mine.pk, index=False),
    )
    FolderGrant.objects.create(folder=closed, user=alice)
    delete_skills([hidden.pk, seen.pk], alice)
    folder_trash.delete(Folder.objects.create(name="Open folder"), alice)

    def names(who: User, kind: str = "skill", **narrower: Any) -> list[str]:
        answer = client.get(f"/api/trash?kind={kind}", headers=people.bearer(who, **narrower))
        return sorted(item["name"] for item in answer.json()["items"])

    assert names(alice) == ["Hidden", "Seen"] and names(carol) == ["Seen"]
    assert names(alice, folder_id=closed.pk) == ["Hidden"] and names(bob, folder_id=closed.pk) == []
    assert names(carol, "folder") == ["Open folder"] and names(alice, "folder", folder_id=mine.pk) == []
    body = {"items": [{"kind": "skill", "id": str(hidden.pk)}]}
    answer = client.post("/api/trash/restore", body, "application/json", headers=people.bearer(carol))
    assert answer.status_code == 404
    assert client.get("/api/trash", headers=people.bearer(people.dave())).status_code == 403


def test_the_api_restores_many_and_says_what_failed(write: Write, client: Client, bob: User) -> None:
    """One that is gone keeps no other."""
    skill = write(index=False)
    delete_skill(skill.pk, bob)
    gone = str(uuid.uuid4())
    body = {"items": [{"kind": "document", "id": gone}, {"kind": "skill", "id": str(skill.pk)}]}
    headers = people.bearer(bob)
    answer = client.post("/api/trash/restore", body, "application/json", headers=headers).json()
    assert answer["restored"] == 1 and answer["said"] == ["“Travel” is back."]
    assert [one["id"] for one in answer["failed"]] == [gone]
    assert client.post("/api/trash/restore", body, "application/json", headers=headers).status_code == 404
    bad: dict[str, Any]
    for bad in ({"items": []}, {"items": [{"kind": "pony", "id": gone}]}, {}):
        assert client.post("/api/trash/restore", bad, "application/json", headers=headers).status_code == 422


def test_curators_delete_for_good_after_they_were_asked(
    page: Client, write: Write, bob: User, carol: User
) -> None:
    """Editors can't; the page says what goes; passages, words and history go too."""
    skill = write("Trains", "Second class only.\n")
    terms.fold_deltas()
    assert Term.objects.exists()
    delete_skill(skill.pk, bob)
    body = {"kind": "skill", "id": str(skill.pk)}
    assert page.post("/trash/delete/", body | {"sure": "1"}).status_code == 403
    page.force_login(carol)
    asked = page.post("/trash/delete/", body).content.decode()
    assert "Delete 1 thing for good?" in asked and "Trains" in asked and Skill.objects.exists()
    done = page.post("/trash/delete/", body | {"sure": "1"}, follow=True).content.decode()
    assert "It is deleted for good." in done
    for model in (Skill, Passage, PassageTerms, LayerVector, Revision):
        assert not model.objects.exists()
    terms.fold_deltas()
    assert not Term.objects.filter(df__gt=0).exists()
    assert AuditEntry.objects.filter(action="skill.purged", actor=carol).exists()
    again = page.post("/trash/delete/", body | {"sure": "1"}, follow=True).content.decode()
    assert "not in the trash any more" in again


def test_what_is_not_in_the_trash_is_not_deleted_for_good(
    write: Write, client: Client, bob: User, carol: User, upload: Upload
) -> None:
    """By no door."""
    skill, document = write(index=False), upload("a.md", "# A\n\nText.\n").run.version.document  # type: ignore[union-attr]
    headers = people.bearer(carol)
    for kind, thing in (("skill", skill.pk), ("document", document.pk), ("folder", uuid.uuid4())):
        assert client.delete(f"/api/trash/{kind}/{thing}", headers=headers).status_code == 404
    assert Skill.objects.filter(pk=skill.pk).exists() and Document.objects.exists()
    with pytest.raises(NotFound):
        purge.delete_skill(skill.pk, carol)
    with pytest.raises(NotAllowed):
        purge.delete_skill(skill.pk, bob)


def files() -> list[Path]:
    """The files that are stored."""
    return [path for path in Path(live.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_the_clock_deletes_what_is_old_and_nothing_else(
    upload: Upload, write: Write, queue: Queue, bob: User, django_capture_on_commit_callbacks: Any
) -> None:
    """Documents with versions and files, their skills, skills and folders; what is younger stays."""
    upload("old.md", "# Old\n\nText of the old one.\n")
    upload("young.md", "# Young\n\nText of the young one.\n")
    queue.work()
    old, young = Document.objects.get(filename="old.md"), Document.objects.get(filename="young.md")
    first = old.versions.get()
    first.pk, first.file = None, ContentFile(b"# Old\n\nAgain.\n", "old.md")
    first.id = uuid.uuid4()
    with django_capture_on_commit_callbacks():
        add_version(old, first, None, filename="old.md")
    assert len(files()) == 3
    skill, kept = write("Gone", index=False), write("Kept", index=False)
    survivor = write("Survivor", index=False)
    Source.objects.create(skill=survivor, version=young.versions.get())
    Skill.objects.filter(pk=survivor.pk).update(merged_into=skill)
    for document in (old, young):
        trash.delete_document(document, bob)
    delete_skills([skill.pk, kept.pk], bob)
    for name in ("Old folder", "Young folder"):
        folder_trash.delete(Folder.objects.create(name=name), bob)
    Document.objects.filter(pk=old.pk).update(deleted_at=long_ago())
    Skill.objects.filter(trashed_with=old.pk).update(deleted_at=long_ago())
    Skill.objects.filter(pk=skill.pk).update(deleted_at=long_ago())
    FolderDeletion.objects.filter(name="Old folder").update(at=long_ago())
    Skill.objects.filter(pk=kept.pk).update(deleted_at=long_ago(29))
    with django_capture_on_commit_callbacks(execute=True):
        tasks.purge_trash()
    assert set(Document.objects.values_list("filename", flat=True)) == {"young.md"}
    assert set(Skill.objects.values_list("name", flat=True)) == {"Young", "Kept", "Survivor"}
    assert [one.name for one in FolderDeletion.objects.all()] == ["Young folder"]
    assert len(files()) == 1
    survivor.refresh_from_db()
    assert survivor.merged_into is None and survivor.sources.exists()
    trash.restore_document(Document.objects.get(), bob)
    assert Skill.objects.findable().filter(name="Young").exists()
    assert purge.purge().total() == 0


def test_a_file_that_is_still_used_stays(
    upload: Upload, queue: Queue, bob: User, django_capture_on_commit_callbacks: Any
) -> None:
    """Even if two versions came to share one."""
    upload("a.md", "# A\n\nText.\n")
    upload("b.md", "# B\n\nOther.\n")
    a, b = Document.objects.order_by("filename")
    b.versions.update(file=a.versions.get().file.name)
    trash.delete_document(a, bob)
    Document.objects.filter(pk=a.pk).update(deleted_at=long_ago())
    with django_capture_on_commit_callbacks(execute=True):
        purge.purge()
    assert b.versions.get().file.read() == b"# A\n\nText.\n"


def test_one_that_fails_keeps_no_other(
    write: Write, bob: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged and tried again the next time."""
    bad, good = write("Bad", index=False), write("Good", index=False)
    delete_skills([bad.pk, good.pk], bob)
    Skill.objects.filter(pk=bad.pk).update(deleted_at=long_ago(40))
    Skill.objects.filter(pk=good.pk).update(deleted_at=long_ago(35))
    delete = Skill.delete

    def refuse(self: Skill, *args: Any, **more: Any) -> Any:
        if self.pk == bad.pk:
            raise DatabaseError("held")
        return delete(self, *args, **more)

    monkeypatch.setattr(Skill, "delete", refuse)
    assert purge.purge()["skills"] == 1
    assert [skill.name for skill in Skill.objects.all()] == ["Bad"] and str(bad.pk) in caplog.text
    monkeypatch.undo()
    assert purge.purge()["skills"] == 1


def test_days_of_zero_keep_everything(write: Write, bob: User, settings: Any, page: Client) -> None:
    """Then only a curator empties the trash."""
    settings.KB_TRASH_DAYS = 0
    skill = write("Kept", index=False)
    delete_skill(skill.pk, bob)
    Skill.objects.update(deleted_at=long_ago(4000))
    assert purge.purge().total() == 0 and Skill.objects.exists()
    assert "Kept until a curator deletes it for good" in text(page)


def test_beat_knows_the_tasks() -> None:
    """By the names they have."""
    named = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {tasks.purge_trash.name, forget_failures.name} <= named


def test_failures_to_sign_in_are_forgotten_after_ninety_days(bob: User) -> None:
    """Nothing else of the audit trail is."""
    for action, days in ((FAILED, 91), (FAILED, 89), ("key.made", 400)):
        entry = audit.record(None, action, "x@example.com")
        AuditEntry.objects.filter(pk=entry.pk).update(at=long_ago(days))
    forget_failures()
    left = AuditEntry.objects.order_by("at").values_list("action", flat=True)
    assert list(left) == ["key.made", FAILED]


def test_the_page_asks_as_often_for_one_as_for_many(
    page: Client, write: Write, bob: User, django_assert_num_queries: Any
) -> None:
    """And pages by cursor."""
    folder = Folder.objects.create(name="F")
    Skill.objects.bulk_create(
        Skill(slug=f"s{n}", name=f"S{n:03}", folder=folder, deleted_at=long_ago(n % 20), deleted_by=bob)
        for n in range(120)
    )
    text(page)
    with django_assert_num_queries(12, exact=False):
        first = text(page)
    cursor = first.split("cursor=")[1].split('"')[0].replace("&amp;", "&")
    second = text(page, f"/trash/?kind=skill&cursor={cursor}")
    assert first.count("data-item") == second.count("data-item") == 50
    assert "51 to 100 of 120" in second
    assert "data-item" in text(page, "/trash/?kind=skill&cursor=nonsense")
