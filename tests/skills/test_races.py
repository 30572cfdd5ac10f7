"""People who change the same things at the same moment: nobody waits in a ring, nothing is half done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from documents import folder_trash, folders, trash
from documents.models import Document, DocumentVersion, Folder
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, KnowledgeError
from kbsite.ids import new_id
from skills import edit, merge, moves
from skills.bulk import actions, undo
from skills.models import Link, Skill, Source
from skills.relations.relate import relate

pytestmark = [pytest.mark.usefixtures("alice", "queue"), pytest.mark.django_db(transaction=True)]


def meanwhile(first: Callable[[], Any], other: Callable[[], Any], then: Callable[[], Any]) -> list[object]:
    """What went wrong when ``other`` begins between ``first`` and ``then``, two steps of one transaction."""
    wrong: list[object] = []
    begun = threading.Event()

    def run(deed: Callable[[], Any]) -> None:
        try:
            deed()
        except (DatabaseError, KnowledgeError) as error:
            wrong.append(error)
        finally:
            connection.close()

    def one() -> None:
        with transaction.atomic():
            first()
            begun.set()
            wait_until_somebody_waits()
            then()

    def two() -> None:
        begun.wait(10)
        other()

    threads = [threading.Thread(target=run, args=(deed,)) for deed in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return wrong


def wait_until_somebody_waits(most: float = 1.0) -> None:
    """Until another connection waits for a lock, at most that many seconds."""
    until = time.monotonic() + most
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)


@pytest.fixture
def two(bob: User) -> tuple[Skill, Skill]:
    """Two skills in one folder; the second lies before the first in the table, its id comes after."""
    folder = Folder.objects.create(name="Team")
    first, second = new_id(), new_id()
    other = edit.create_skill(bob, name="Other", content="Words.", folder_id=folder.pk, id=second)
    one = edit.create_skill(bob, name="One", content="Words.", folder_id=folder.pk, id=first)
    return one, other


def document_of(skill: Skill) -> Document:
    """A document in the skill's folder that it rests on."""
    document = Document.objects.create(title="Doc", filename="d.md", folder=skill.folder)
    version = DocumentVersion.objects.create(document=document, size=1, sha256="0" * 64)
    Source.objects.create(skill=skill, version=version, start=0, end=1)
    return document


def test_two_skills_that_begin_to_name_each_other(two: tuple[Skill, Skill], bob: User, carol: User) -> None:
    one, other = two
    wrong = meanwhile(
        lambda: edit.update_skill(one.pk, bob, content="See [[Other]]."),
        lambda: edit.update_skill(other.pk, carol, content="See [[One]]."),
        lambda: None,
    )
    assert not wrong
    assert set(Link.objects.values_list("source", "target")) == {(one.pk, other.pk), (other.pk, one.pk)}


def test_relating_two_skills_that_are_being_merged(two: tuple[Skill, Skill], bob: User, carol: User) -> None:
    one, other = two
    wrong = meanwhile(
        lambda: edit.locked(other.pk, carol),
        lambda: relate(one.pk, other.pk, "conflict", bob),
        lambda: merge.merge(one.pk, other.pk, carol),
    )
    assert not wrong


def test_deleting_a_folder_whose_skills_are_being_tagged(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, other = two
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: folder_trash.delete(Folder.objects.get(name="Team"), carol),
        lambda: actions.retag([other.pk], bob, add=["second"]),
    )
    assert not wrong
    assert not Folder.objects.filter(name="Team").exists()
    assert Skill.objects.filter(folder=None, pk__in=[one.pk, other.pk]).count() == 2


def test_deleting_a_folder_in_which_somebody_writes(two: tuple[Skill, Skill], bob: User, carol: User) -> None:
    one, _other = two
    wrong = meanwhile(
        lambda: edit.update_skill(one.pk, bob, content="New words."),
        lambda: folder_trash.delete(Folder.objects.get(name="Team"), carol),
        lambda: None,
    )
    assert not wrong
    assert Skill.objects.get(pk=one.pk).folder is None
    assert Skill.objects.get(pk=one.pk).content.strip() == "New words."


def test_deleting_a_document_while_its_folder_is_emptied(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, _other = two
    document = document_of(one)
    wrong = meanwhile(
        lambda: Document.objects.filter(pk=document.pk).update(category="x"),
        lambda: folders.move_contents(Folder.objects.get(name="Team"), bob, None),
        lambda: trash.delete_document(document, carol),
    )
    assert not wrong


def test_undoing_a_move_while_its_document_is_deleted(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, _other = two
    document = document_of(one)
    moved = folders.move_contents(Folder.objects.get(name="Team"), bob, None)
    assert moved.move_id
    wrong = meanwhile(
        lambda: Document.objects.filter(pk=document.pk).update(category="x"),
        lambda: moves.undo(moved.move_id, bob),  # type: ignore[arg-type]
        lambda: trash.delete_document(document, carol),
    )
    assert not wrong


def test_bringing_a_folder_back_while_its_skills_are_being_tagged(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, other = two
    gone = folder_trash.delete(Folder.objects.get(name="Team"), carol)
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: folder_trash.restore(gone.deletion_id, carol),  # type: ignore[arg-type]
        lambda: actions.retag([other.pk], bob, add=["second"]),
    )
    assert not wrong
    assert Skill.objects.filter(folder__name="Team").count() == 2


def test_a_document_deleted_while_its_skills_are_being_tagged(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, other = two
    document = Document.objects.create(title="Doc", filename="d.md", folder=one.folder)
    version = DocumentVersion.objects.create(document=document, size=1, sha256="0" * 64)
    for skill in two:
        Source.objects.create(skill=skill, version=version, start=0, end=1)
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: trash.delete_document(document, carol),
        lambda: actions.retag([other.pk], bob, add=["second"]),
    )
    assert not wrong
    assert not Skill.objects.filter(deleted_at=None).exists()


def test_rejecting_many_while_they_are_being_tagged(two: tuple[Skill, Skill], bob: User, carol: User) -> None:
    one, other = two
    Skill.objects.update(status="approved")
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: actions.set_status([one.pk, other.pk], carol, "rejected"),
        lambda: actions.retag([other.pk], bob, add=["second"]),
    )
    assert not wrong


def test_taking_back_a_decision_while_skills_are_being_tagged(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    one, other = two
    Skill.objects.update(status="approved")
    done = actions.set_status([one.pk, other.pk], carol, "rejected")
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: undo.undo(done.undo_id, carol),  # type: ignore[arg-type]
        lambda: actions.retag([other.pk], bob, add=["second"]),
    )
    assert not wrong
    assert set(Skill.objects.values_list("status", flat=True)) == {"approved"}


def test_the_same_form_sent_twice_at_once_makes_one_skill(bob: User) -> None:
    skill_id, barrier = new_id(), threading.Barrier(3)
    made: list[object] = []

    def send(name: str) -> None:
        try:
            barrier.wait(10)
            made.append(edit.create_skill(bob, name=name, content="Words.", id=skill_id).pk)
        except (DatabaseError, KnowledgeError) as error:
            made.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(name,)) for name in ("Note", "Note", "Other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert made == [skill_id] * 3


def test_an_id_of_somebody_elses_skill_makes_nothing(bob: User, carol: User) -> None:
    theirs = edit.create_skill(carol, name="Note", content="Words.")
    with pytest.raises(Conflict):
        edit.create_skill(bob, name="Mine", content="Words.", id=theirs.pk)


def test_deleting_a_document_of_a_merged_skill_while_others_are_tagged(
    two: tuple[Skill, Skill], bob: User, carol: User
) -> None:
    """What was merged, what it was merged into and what rests on the document are held in one order."""
    one, _other = two
    document = Document.objects.create(title="Doc", filename="d.md")
    version = DocumentVersion.objects.create(document=document, size=1, sha256="0" * 64)
    third = edit.create_skill(bob, name="Third", content="Words.")
    target = edit.create_skill(bob, name="Target", content="Words.")
    for skill in (one, third):
        Source.objects.create(skill=skill, version=version, start=0, end=1)
    merge.merge(third.pk, target.pk, carol)
    assert one.pk < third.pk
    wrong = meanwhile(
        lambda: actions.retag([one.pk], bob, add=["first"]),
        lambda: trash.delete_document(document, carol),
        lambda: actions.retag([third.pk], bob, add=["second"]),
    )
    assert not wrong
