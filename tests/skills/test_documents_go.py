"""What becomes of skills when their document or folder changes."""

from __future__ import annotations

from collections.abc import Callable

from django.core.files.base import ContentFile

from documents import folder_trash, folders, runs, trash
from documents.models import Document, Folder
from documents.upload import FileReceipt
from documents.versions import add_version
from kbsite.accounts.models import User
from skills import moves, terms
from skills.models import Passage, Skill, Source, Term
from skills.trash import delete_skill
from tests.skills.conftest import Queue

Upload = Callable[..., FileReceipt]
NOTES = "# Travel\n\nApply first.\n\n## Trains\n\nSecond class.\n"


def test_a_deleted_document_takes_its_skill_along_and_brings_it_back(
    upload: Upload, queue: Queue, bob: User
) -> None:
    """B35: gone at once; a skill that a person deleted before stays deleted."""
    upload("a.md", NOTES)
    upload("b.md", "# Other\n\nText.\n")
    queue.work()
    first, second = Document.objects.order_by("created_at")
    delete_skill(Skill.objects.get(name="Other").pk, bob)
    trash.delete_document(first, bob)
    trash.delete_document(second, bob)
    assert not Skill.objects.findable().exists()
    trash.restore_document(first, bob)
    trash.restore_document(second, bob)
    assert Skill.objects.findable().get().name == "Travel"


def test_a_skill_that_rests_on_another_document_too_stays(upload: Upload, queue: Queue, bob: User) -> None:
    """Only what rests on the document alone goes with it."""
    upload("a.md", NOTES)
    upload("b.md", "# Other\n\nText.\n")
    queue.work()
    merged = Skill.objects.get(name="Travel")
    other = Document.objects.get(filename="b.md")
    Source.objects.create(skill=merged, version=other.versions.get(), start=1)
    trash.delete_document(Document.objects.get(filename="a.md"), bob)
    assert Skill.objects.findable().filter(pk=merged.pk).exists()
    trash.delete_document(other, bob)
    assert not Skill.objects.findable().exists()


def test_a_document_deleted_while_it_is_read_makes_no_skill(upload: Upload, queue: Queue, bob: User) -> None:
    """The worker finds it gone and stops."""
    upload("a.md", NOTES)
    trash.delete_document(Document.objects.get(), bob)
    queue.work()
    assert not Skill.objects.exists()


def test_a_moved_document_moves_the_skill_that_nobody_moved(upload: Upload, queue: Queue, bob: User) -> None:
    """A person's own placing wins."""
    upload("a.md", NOTES)
    queue.work()
    first = Folder.objects.create(name="First")
    second = Folder.objects.create(name="Second")
    document, skill = Document.objects.get(), Skill.objects.get()
    folders.put(document, first, bob)
    skill.refresh_from_db()
    assert skill.folder == first
    moves.move_skill(skill.pk, bob, None)
    folders.put(document, second, bob)
    skill.refresh_from_db()
    assert skill.folder is None


def test_a_deleted_folder_leaves_its_skills_unfiled(upload: Upload, queue: Queue, bob: User) -> None:
    """And says beforehand how many that are."""
    top = folders.create(bob, "Top")
    below = folders.create(bob, "Below", parent_id=top.pk)
    upload("a.md", NOTES, folder_id=below.pk)
    queue.work()
    assert folder_trash.would_empty(top).skills == 1
    folder_trash.delete(top, bob)
    skill = Skill.objects.findable().get()
    assert skill.folder is None


def new_version(document: Document, content: str, queue: Queue) -> None:
    """As an upload with on_duplicate=version does."""
    version = document.versions.model(document=document, size=len(content), sha256=content[:64])
    version.file.save("bytes", ContentFile(content.encode()), save=False)
    run = add_version(document, version, None, filename=document.filename)
    queue.sent.clear()
    queue.send_task("skills.ingest", [str(run.pk)])
    queue.work()


def test_a_new_version_updates_the_skill(upload: Upload, queue: Queue) -> None:
    """One skill, the same URI; the new text is found and the old is not; history keeps both."""
    upload("a.md", NOTES)
    queue.work()
    skill = Skill.objects.get()
    kept = Passage.objects.get(text__startswith="# Travel")
    new_version(Document.objects.get(), NOTES.replace("Second class", "First class"), queue)
    skill.refresh_from_db()
    assert Skill.objects.count() == 1
    assert "First class" in skill.content
    assert (skill.version, skill.index_state, skill.status) == (2, "ready", "approved")
    assert [source.version.number for source in skill.sources.all()] == [2]
    assert [r.number for r in skill.revisions.all()] == [2, 1]
    assert not Passage.objects.filter(text__contains="Second class").exists()
    assert Passage.objects.filter(pk=kept.pk).exists()
    terms.fold_deltas()
    assert Term.objects.get(pk=0).df == Passage.objects.count() == 2


def test_an_older_version_that_comes_in_late_changes_nothing(upload: Upload, queue: Queue) -> None:
    """Whatever order workers finish in, the newest version is what is found."""
    upload("a.md", NOTES)
    queue.work()
    document = Document.objects.get()
    old = document.versions.get()
    new_version(document, "# Travel\n\nNewest.\n", queue)
    late = runs.start(old)
    queue.send_task("skills.ingest", [str(late.pk)])
    queue.work()
    late.refresh_from_db()
    assert "Newest" in Skill.objects.get().content
    assert (late.status, late.reason) == ("skipped", "A newer version of this document was read already.")


def test_words_of_what_is_deleted_for_good_are_no_longer_counted(upload: Upload, queue: Queue) -> None:
    """Also when rows go by a cascade that no function of ours sees."""
    upload("a.md", NOTES)
    upload("b.md", "# Other\n\nText.\n")
    queue.work()
    terms.fold_deltas()
    assert Term.objects.get(pk=0).df == Passage.objects.count() == 3
    Skill.objects.get(name="Travel").delete()
    terms.fold_deltas()
    assert Term.objects.get(pk=0).df == Passage.objects.count() == 1
