"""Merging two skills: what is carried over, what is refused, what is taken back."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from documents import trash as document_trash
from documents.models import Document, DocumentVersion, Folder, FolderGrant
from documents.upload import FileReceipt
from kbsite.accounts.models import AuditEntry, User
from kbsite.exceptions import Conflict, InvalidInput, LostUpdate, NotAllowed, NotFound
from search.retrieve import search
from skills import edit, merge, store, trash
from skills.analyze import Layers
from skills.models import FormerName, Link, Relation, Skill, Source
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def now(skill: Skill) -> Skill:
    """The skill as it is in the database."""
    return Skill.objects.get(pk=skill.pk)


@pytest.fixture
def pair(write: Write) -> tuple[Skill, Skill]:
    """A target and a source."""
    return write("Trains", "Trains first.\n", tags=["a"]), write(
        "Planes", "# Planes\n\nThen planes.\n", tags=["b"]
    )


def test_the_text_goes_below_under_a_heading(pair: tuple[Skill, Skill], carol: User) -> None:
    """Tags united, a revision that says why; the merged one is rejected and says into what."""
    target, source = pair
    merged = merge.merge(source.pk, target.pk, carol)
    assert merged.content == "Trains first.\n\n## Planes\n\nThen planes.\n"
    assert merged.tags == ["a", "b"]
    assert (merged.version, merged.revisions.latest("number").why) == (2, "“Planes” merged into it")
    assert merged.index_state == "queued"
    assert (now(source).status, now(source).merged_into) == ("rejected", target)
    assert now(source).content == "# Planes\n\nThen planes.\n"
    assert AuditEntry.objects.filter(action="skill.merged", target=source.uri).exists()


def test_only_the_target_is_found(
    pair: tuple[Skill, Skill], carol: User, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """With the words of both."""
    target, source = pair
    with django_capture_on_commit_callbacks(execute=True):
        merge.merge(source.pk, target.pk, carol)
    queue.work()
    hits = search("planes", carol, mode="keyword").hits
    assert [hit.skill.pk for hit in hits] == [target.pk]


def test_an_edited_text_is_taken_as_it_is(pair: tuple[Skill, Skill], carol: User) -> None:
    """Also where it is what the target says already: a revision there is, all the same."""
    target, source = pair
    merged = merge.merge(source.pk, target.pk, carol, content="Both.\n")
    assert merged.content == "Both.\n"
    merge.take_back(source.pk, carol)
    assert now(target).content == "Trains first.\n"
    Skill.objects.filter(pk=source.pk).update(tags=["a"])
    before = now(target).revisions.count()
    merge.merge(source.pk, target.pk, carol, content="Trains first.\n")
    assert now(target).revisions.count() == before + 1


def test_relations_links_and_the_name_come_along(
    pair: tuple[Skill, Skill], write: Write, carol: User
) -> None:
    """Relations both ways; links to the merged one lead to the target; its name is a former name there."""
    target, source = pair
    other = write("Other", "See [[Planes]].\n", index=False)
    for one, two in ((source, other), (other, source), (source, target), (target, source)):
        Relation.objects.create(source=one, target=two, type="complement", reason="r")
    merge.merge(source.pk, target.pk, carol)
    assert Relation.objects.filter(source=target, target=other, type="complement", reason="r").exists()
    assert Relation.objects.filter(source=other, target=target, type="complement").exists()
    assert Link.objects.get(source=other).target == target
    assert FormerName.objects.get(skill=target).name == "Planes"
    edit.update_skill(write("Later", "x", index=False).pk, carol, content="[[planes]]")
    assert Link.objects.get(source__name="Later").target == target


def test_taking_a_merge_back(pair: tuple[Skill, Skill], write: Write, carol: User) -> None:
    """All that was carried over goes, what was written since stays."""
    target, source = pair
    other = write("Other", "See [[Planes]].\n", index=False)
    Relation.objects.create(source=source, target=other, type="conflict")
    merge.merge(source.pk, target.pk, carol)
    edit.append_content(target.pk, carol, "Since then.")
    back = merge.take_back(source.pk, carol)
    assert (back.status, now(source).merged_into) == ("approved", None)
    assert now(target).content == "Trains first.\n\nSince then.\n"
    assert (now(target).tags, now(target).revisions.latest("number").why) == (
        ["a"],
        "“Planes” taken out again",
    )
    assert Link.objects.get(source=other).target == source
    assert not Relation.objects.filter(source=target).exists()
    assert not FormerName.objects.filter(skill=target).exists()
    with pytest.raises(Conflict):
        merge.take_back(source.pk, carol)


def test_the_record_outlives_new_layers(
    pair: tuple[Skill, Skill], carol: User, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """The worker writes abstract and overview into the same revision."""
    target, source = pair
    with django_capture_on_commit_callbacks(execute=True):
        merge.merge(source.pk, target.pk, carol)
    queue.work()
    merge.take_back(source.pk, carol)
    assert now(target).content == "Trains first.\n"


def test_what_was_rewritten_is_not_guessed(pair: tuple[Skill, Skill], carol: User) -> None:
    """Nothing changes; the sentence says what to do."""
    target, source = pair
    merge.merge(source.pk, target.pk, carol)
    edit.update_skill(target.pk, carol, content="All new.")
    with pytest.raises(Conflict, match="was rewritten since"):
        merge.take_back(source.pk, carol)
    assert (now(source).status, now(target).content) == ("rejected", "All new.")


def test_refusals(pair: tuple[Skill, Skill], write: Write, carol: User, bob: User, alice: User) -> None:
    """Itself, a system skill, one in the trash, a closed one, one merged or rejected already; editors."""
    target, source = pair
    with pytest.raises(InvalidInput):
        merge.merge(target.pk, target.pk, carol)
    with pytest.raises(NotAllowed):
        merge.merge(source.pk, target.pk, bob)
    with pytest.raises(NotFound):
        merge.merge(uuid.uuid4(), target.pk, carol)
    system, gone, closed = write("S", index=False), write("G", index=False), write("C", index=False)
    Skill.objects.filter(pk=system.pk).update(type="system")
    trash.delete_skill(gone.pk, bob)
    folder = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=folder, user=alice)
    Skill.objects.filter(pk=closed.pk).update(folder=folder)
    carol = User.objects.get(pk=carol.pk)  # what is hidden is kept on the person for a request
    for other, error in ((system, NotAllowed), (gone, NotFound), (closed, NotFound)):
        for one, two in ((source, other), (other, target)):
            with pytest.raises(error):
                merge.merge(one.pk, two.pk, carol)
    merge.merge(source.pk, target.pk, carol)
    third = write("Third", index=False)
    with pytest.raises(Conflict):
        merge.merge(source.pk, third.pk, carol)
    with pytest.raises(Conflict):
        merge.merge(third.pk, source.pk, carol)


def test_two_curators_at_once(pair: tuple[Skill, Skill], write: Write, carol: User) -> None:
    """Whoever saw an older text is refused, and looks again."""
    target, source = pair
    third = write("Third", index=False)
    merge.merge(source.pk, target.pk, carol, source_version=1, target_version=1)
    with pytest.raises(LostUpdate) as refused:
        merge.merge(third.pk, target.pk, carol, source_version=1, target_version=1)
    assert refused.value.extra["current"] == 2
    assert now(third).status != "rejected"


@pytest.mark.django_db(transaction=True)
def test_merging_both_ways_at_the_same_moment(write: Write, carol: User) -> None:
    """One goes through, the other is refused; no deadlock, and nothing is found twice or never."""
    one, two = write("One", index=False), write("Two", index=False)
    start = threading.Barrier(2)
    outcomes: list[str] = []

    def run(source: Skill, target: Skill) -> None:
        try:
            start.wait(10)
            merge.merge(source.pk, target.pk, carol)
            outcomes.append("merged")
        except Conflict:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in ((one, two), (two, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["merged", "refused"]
    assert Skill.objects.filter(merged_into=None).count() == 1


@pytest.fixture
def documents(upload: Callable[..., FileReceipt], queue: Queue) -> list[Document]:
    """Two documents, each of which made a skill."""
    texts = {"trains.md": "# Trains\n\nTrains first.\n", "planes.md": "# Planes\n\nThen planes.\n"}
    for name, text in texts.items():
        upload(name, text)
    queue.work()
    return list(Document.objects.order_by("created_at"))


def made_by(document: Document) -> Skill:
    """The skill that the document made."""
    return Skill.objects.get(type="document", sources__version__document=document, merged_into=None)


def test_deleting_a_merged_document_removes_its_part(
    documents: list[Document], carol: User, bob: User
) -> None:
    """The target stays, without it, and no longer rests on it; the merged skill goes with its document."""
    target, source = (made_by(document) for document in documents)
    merge.merge(source.pk, target.pk, carol)
    assert set(target.sources.values_list("version__document", flat=True)) == {d.pk for d in documents}
    edit.append_content(target.pk, bob, "Since then.")
    document_trash.delete_document(documents[1], bob)
    assert "planes" not in now(target).content
    assert "Since then." in now(target).content
    assert (now(target).deleted_at, now(source).deleted_at is not None) == (None, True)
    assert list(target.sources.values_list("version__document", flat=True)) == [documents[0].pk]
    document_trash.restore_document(documents[1], bob)
    assert (now(source).status, now(source).deleted_at) == ("approved", None)


def test_a_rewritten_target_becomes_what_it_was(documents: list[Document], carol: User, bob: User) -> None:
    """The text of a deleted document is nowhere; what was written since is in the history."""
    target, source = (made_by(document) for document in documents)
    before = target.content
    merge.merge(source.pk, target.pk, carol)
    edit.update_skill(target.pk, bob, content="Trains, then planes, in my words.")
    document_trash.delete_document(documents[1], bob)
    assert now(target).content == before
    assert target.revisions.count() == 4


def test_a_note_is_not_lost_with_a_document_that_was_merged_into_it(
    documents: list[Document], write: Write, carol: User, bob: User
) -> None:
    """It rests on itself."""
    note, source = write("Note", "My own words.\n"), made_by(documents[1])
    merge.merge(source.pk, note.pk, carol)
    document_trash.delete_document(documents[1], bob)
    assert (now(note).content, now(note).deleted_at) == ("My own words.\n", None)


def test_a_new_version_of_a_merged_document_stands_alone(documents: list[Document], carol: User) -> None:
    """The target is not overwritten by it and loses the old part; the new text is found."""
    target, source = (made_by(document) for document in documents)
    before = target.content
    merge.merge(source.pk, target.pk, carol)
    version = DocumentVersion.objects.create(
        document=documents[1], number=2, size=1, sha256="1" * 64, markdown="# Planes\n\nNew planes.\n"
    )
    stored = store.store_version(version, Layers("a", "b"))
    assert stored.pk == source.pk
    assert (now(source).status, now(source).content) == ("approved", "# Planes\n\nNew planes.\n")
    assert now(target).content == before
    assert Source.objects.filter(skill=target).count() == 1


def test_long_texts_merge_too(write: Write, carol: User) -> None:
    """Revisions of long texts are kept as differences; taking back is exact."""
    target = write("Long", "字\n" * 20_000, index=False)
    source = write("Short", "More.\n", index=False)
    merge.merge(source.pk, target.pk, carol)
    merge.take_back(source.pk, carol)
    assert now(target).content.strip() == ("字\n" * 20_000).strip()


def test_the_door(pair: tuple[Skill, Skill], carol: User, client: Any) -> None:
    """On the admin site: both texts, the difference, the result to edit; then done, with a way back."""
    target, source = pair
    client.force_login(carol)
    address = reverse("admin:skills_skill_merge") + f"?into={target.pk}&from={source.pk}"
    page = client.get(address).content.decode()
    assert "## Planes" in page
    assert 'class="difference side"' in page
    given = {"content": "Both.", "source_version": "1", "target_version": "1"}
    assert client.post(address, given).status_code == 302
    assert now(target).content == "Both."
    client.force_login(User.objects.get(email="bob@example.com"))
    page = client.get(reverse("skills:skill", args=[source.slug])).content.decode()
    assert "It was merged into another skill." in page
    assert reverse("skills:skill", args=[target.slug]) in page
    client.force_login(carol)
    late = client.post(address, given)
    assert (late.status_code, "was merged already" in late.content.decode()) == (409, True)
