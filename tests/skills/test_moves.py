"""Moving skills: one, many, all of a folder; what it leaves alone; and undoing it exactly."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents import folders
from documents.models import Document, Folder, FolderGrant
from documents.upload import FileReceipt
from kbsite.accounts.models import AuditEntry, User
from kbsite.exceptions import Conflict, NotAllowed, NotFound
from skills import edit, moves
from skills.models import FormerName, LayerVector, Link, Move, Passage, Relation, Revision, Skill
from skills.signals import skills_moved
from tests import people
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


@pytest.fixture
def archive(db: None) -> Folder:
    return Folder.objects.create(name="Archive")


def whereabouts(*skills: Skill) -> list[str | None]:
    """The names of the folders these skills are in."""
    found = Skill.objects.select_related("folder").in_bulk([skill.pk for skill in skills])
    return [place.name if (place := found[skill.pk].folder) else None for skill in skills]


def everything_else(skill: Skill) -> dict[str, Any]:
    """All that a move must leave as it is."""
    row = Skill.objects.filter(pk=skill.pk).values().get()
    kept = {name: value for name, value in row.items() if name not in ("folder_id", "placed_by_hand")}
    tables: tuple[Any, ...] = (Passage, LayerVector, Revision, Link, FormerName)
    rows = {model.__name__: list(model.objects.order_by("pk").values_list()) for model in tables}
    vectors = [
        (pk, space, str(vector))
        for pk, space, vector in LayerVector.objects.order_by("pk").values_list("pk", "space_id", "vector")
    ]
    rows["LayerVector"] = vectors
    return kept | rows | {"relations": list(Relation.objects.order_by("pk").values())}


def test_a_move_touches_nothing_but_the_folder(write: Write, bob: User, travel: Folder) -> None:
    """Vectors, passages, relations, links, address, revisions, scores and the time of change stay."""
    other = write("Visa", "See embassies.")
    skill = write("Trains", "See [[Visa]].\n\n## Booking\n\nBook early.\n")
    Relation.objects.create(source=skill, target=other, type="complement")
    Skill.objects.filter(pk=skill.pk).update(active_count=7)
    before = everything_else(skill)
    assert before["LayerVector"]
    moves.move_skills([skill.pk], bob, travel.pk)
    assert whereabouts(skill) == ["Travel"]
    assert everything_else(skill) == before
    assert Skill.objects.get(pk=skill.pk).uri == skill.uri


def test_all_types_but_system_go_and_unfiled_is_a_place(
    write: Write, upload: Callable[..., FileReceipt], queue: Queue, bob: User, travel: Folder
) -> None:
    """DOCUMENT and USER move both ways; a SYSTEM skill refuses and so does all that was asked with it."""
    mine = write("Mine", index=False)
    upload("Read.md", "# Read\n\nText of it.\n")
    queue.work()
    read = Skill.objects.get(type="document")
    assert moves.move_skills([mine.pk, read.pk], bob, travel.pk).count == 2
    assert whereabouts(mine, read) == ["Travel", "Travel"]
    assert moves.move_skills([mine.pk, read.pk], bob, None).count == 2
    assert whereabouts(mine, read) == [None, None]
    system = Skill.objects.create(slug="sys", name="Sys", type="system", status="approved")
    with pytest.raises(NotAllowed, match="never moved"):
        moves.move_skills([mine.pk, system.pk], bob, travel.pk)
    assert whereabouts(mine, system) == [None, None]


def test_refusals(write: Write, bob: User, dave: User, carol: User, travel: Folder) -> None:
    """Readers; a folder or a skill that is gone, or closed to the person."""
    skill = write(index=False)
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=carol)
    hidden = write("Hidden", index=False)
    Skill.objects.filter(pk=hidden.pk).update(folder=closed)
    with pytest.raises(NotAllowed):
        moves.move_skills([skill.pk], dave, travel.pk)
    for ids, folder in (
        ([skill.pk], closed.pk),
        ([skill.pk], uuid.uuid4()),
        ([skill.pk, uuid.uuid4()], travel.pk),
        ([skill.pk, hidden.pk], travel.pk),
    ):
        with pytest.raises(NotFound):
            moves.move_skills(ids, bob, folder)
    assert whereabouts(skill) == [None]
    assert not Move.objects.exists()


def test_ten_thousand_move_in_one_statement(bob: User, travel: Folder, archive: Folder) -> None:
    """And a constant number of statements around it; the audit trail holds few ids, the move all."""
    many = [Skill(slug=f"s{n}", name=f"S{n}", folder=archive) for n in range(10_000)]
    Skill.objects.bulk_create(many, batch_size=2_000)
    ids = [skill.pk for skill in many]
    with CaptureQueriesContext(connection) as captured:
        moved = moves.move_skills(ids, bob, travel.pk)
    updates = [q["sql"] for q in captured.captured_queries if q["sql"].startswith('UPDATE "skills_skill"')]
    assert len(updates) == 1
    assert len(captured) < 30
    assert moved.count == 10_000
    assert Skill.objects.filter(folder=travel).count() == 10_000
    entry = AuditEntry.objects.filter(action="skill.moved").latest("pk")
    assert entry.detail["count"] == 10_000
    assert len(json.dumps(entry.detail)) < 2_000
    with CaptureQueriesContext(connection) as captured:
        assert moves.undo(moved.move_id, bob).count == 10_000  # type: ignore[arg-type]
    assert sum("UPDATE skills_skill" in q["sql"] for q in captured.captured_queries) == 1
    assert Skill.objects.filter(folder=archive).count() == 10_000


def test_only_what_changes_its_folder_is_counted(write: Write, bob: User, travel: Folder) -> None:
    """A move that moves nothing leaves nothing to undo."""
    here, there = write("Here", index=False, folder_id=travel.pk), write("There", index=False)
    assert moves.move_skills([here.pk, there.pk], bob, travel.pk).count == 1
    assert moves.move_skills([here.pk, there.pk], bob, travel.pk) == moves.Moved(0)
    assert moves.move_skills([], bob, travel.pk) == moves.Moved(0)


def test_whoever_follows_skills_is_told(write: Write, bob: User, travel: Folder, archive: Folder) -> None:
    """Where each lay, and where they are now; of an undo too."""
    one, two = write("One", index=False, folder_id=archive.pk), write("Two", index=False)
    told: list[tuple[Any, Any]] = []

    def listen(before: Any, target: Any, **kwargs: Any) -> None:
        told.append((before, target))

    skills_moved.connect(listen)
    moved = moves.move_skills([one.pk, two.pk], bob, travel.pk)
    assert told == [({archive.pk: [one.pk], None: [two.pk]}, travel)]
    told.clear()
    moves.undo(moved.move_id, bob)  # type: ignore[arg-type]
    assert sorted(told, key=str) == sorted(
        [({travel.pk: [one.pk]}, archive), ({travel.pk: [two.pk]}, None)], key=str
    )
    skills_moved.disconnect(listen)


def test_undo_puts_back_exactly_those_that_stayed(
    write: Write, bob: User, travel: Folder, archive: Folder
) -> None:
    """Each to its own folder; not one that was moved again, not even away and back; nor one in the trash."""
    names = ("A", "B", "Again", "There and back", "Gone")
    a, b, again, back, gone = (write(name, index=False) for name in names)
    moves.move_skills([b.pk], bob, archive.pk)
    moved = moves.move_skills([a.pk, b.pk, again.pk, back.pk, gone.pk], bob, travel.pk)
    moves.move_skills([again.pk], bob, archive.pk)
    moves.move_skills([back.pk], bob, archive.pk)
    edit.update_skill(back.pk, bob, folder_id=travel.pk)
    Skill.objects.filter(pk=gone.pk).update(deleted_at="2026-01-01T00:00Z")
    assert moves.undo(moved.move_id, bob) == moves.Undone(2, 3)  # type: ignore[arg-type]
    assert whereabouts(a, b, again, back, gone) == [None, "Archive", "Archive", "Travel", "Travel"]


def test_undo_one_after_the_other_backwards(write: Write, bob: User, travel: Folder, archive: Folder) -> None:
    """A later move that was undone itself stands in no one's way."""
    skill = write(index=False)
    first = moves.move_skills([skill.pk], bob, travel.pk)
    second = moves.move_skills([skill.pk], bob, archive.pk)
    moves.undo(second.move_id, bob)  # type: ignore[arg-type]
    assert whereabouts(skill) == ["Travel"]
    assert moves.undo(first.move_id, bob) == moves.Undone(1)  # type: ignore[arg-type]
    assert whereabouts(skill) == [None]


def test_undo_says_clearly_what_it_can_not_do(
    write: Write, bob: User, carol: User, travel: Folder, archive: Folder
) -> None:
    """Twice, another person's, one that never was; a folder that is gone or closed meanwhile."""
    one, two = write("One", index=False, folder_id=archive.pk), write("Two", index=False)
    moved = moves.move_skills([one.pk, two.pk], bob, travel.pk)
    assert moved.move_id
    with pytest.raises(NotFound, match="of yours"):
        moves.undo(moved.move_id, carol)
    with pytest.raises(NotFound):
        moves.undo(uuid.uuid4(), bob)
    archive.delete()
    assert moves.undo(moved.move_id, bob) == moves.Undone(1, 1)
    assert whereabouts(one, two) == ["Travel", None]
    with pytest.raises(Conflict, match="already"):
        moves.undo(moved.move_id, bob)
    bob.role = "reader"
    with pytest.raises(NotAllowed):
        moves.undo(moved.move_id, bob)


def test_undo_after_the_target_is_deleted(write: Write, bob: User, travel: Folder, archive: Folder) -> None:
    """What became unfiled with it goes back to where it was."""
    skill = write(index=False, folder_id=archive.pk)
    moved = moves.move_skills([skill.pk], bob, travel.pk)
    travel.delete()
    assert whereabouts(skill) == [None]
    assert moves.undo(moved.move_id, bob).count == 1  # type: ignore[arg-type]
    assert whereabouts(skill) == ["Archive"]


def test_a_skill_that_followed_its_document_follows_it_again(
    upload: Callable[..., FileReceipt], queue: Queue, bob: User, travel: Folder, archive: Folder
) -> None:
    """A move by hand ends that; undoing the move brings it back."""
    upload("Rail.md", "# Rail\n\nText.\n")
    queue.work()
    skill, document = Skill.objects.get(), Document.objects.get()
    moved = moves.move_skills([skill.pk], bob, travel.pk)
    moves.undo(moved.move_id, bob)  # type: ignore[arg-type]
    folders.put(document, archive, bob)
    assert whereabouts(skill) == ["Archive"]


def test_all_of_a_folder_moves_and_comes_back(
    upload: Callable[..., FileReceipt], queue: Queue, write: Write, bob: User, travel: Folder, archive: Folder
) -> None:
    """Its documents and skills; what lies in sub-folders stays there."""
    upload("Rail.md", "# Rail\n\nText.\n", folder_id=travel.pk)
    queue.work()
    below = Folder.objects.create(name="Below", parent=travel)
    read, mine = Skill.objects.get(), write("Mine", index=False, folder_id=travel.pk)
    deep = write("Deep", index=False, folder_id=below.pk)
    moved = folders.move_contents(travel, bob, archive.pk)
    assert moved.count == 3
    assert whereabouts(read, mine, deep) == ["Archive", "Archive", "Below"]
    assert Document.objects.get().folder == archive
    assert moves.undo(moved.move_id, bob) == moves.Undone(3)  # type: ignore[arg-type]
    assert whereabouts(read, mine) == ["Travel", "Travel"]
    assert Document.objects.get().folder == travel
    assert not Skill.objects.get(pk=read.pk).placed_by_hand


def test_a_key_limited_to_a_folder_moves_nothing_out_of_it(write: Write, bob: User, travel: Folder) -> None:
    """Neither by ids, nor to unfiled, nor through undo."""
    below = Folder.objects.create(name="Below", parent=travel)
    outside = Folder.objects.create(name="Outside")
    inside, other = write("In", index=False, folder_id=travel.pk), write("Out", index=False)
    client = Client(headers=people.bearer(bob, folder_id=travel.pk))

    def post(path: str, **body: Any) -> Any:
        return client.post(f"/api/skills{path}", json.dumps(body), "application/json")

    assert post("/move", ids=[str(inside.pk)], folder_id=str(outside.pk)).status_code == 404
    assert post("/move", ids=[str(other.pk)], folder_id=str(below.pk)).status_code == 404
    post("/move", ids=[str(inside.pk)], folder_id=None)
    assert whereabouts(inside) == ["Travel"]
    assert post("/bulk", ids=[str(inside.pk)], action="move", folder_id=str(outside.pk)).status_code == 404
    moved = post("/move", ids=[str(inside.pk)], folder_id=str(below.pk)).json()
    assert whereabouts(inside) == ["Below"]
    assert post(f"/undo/{moved['move_id']}").json() == {"undone": 1, "stayed": 0}
    came_in = moves.move_skills([other.pk], bob, travel.pk)
    assert post(f"/undo/{came_in.move_id}").json() == {"undone": 0, "stayed": 1}
    assert whereabouts(other) == ["Travel"]


def test_the_api_moves_and_undoes(write: Write, bob: User, carol: User, travel: Folder) -> None:
    """``move_id`` is what undoes it, once, and only for the person who moved."""
    skill = write(index=False)
    client, hers = Client(headers=people.bearer(bob)), Client(headers=people.bearer(carol))
    body = json.dumps({"ids": [str(skill.pk)], "folder_id": str(travel.pk)})
    moved = client.post("/api/skills/move", body, "application/json").json()
    assert moved["moved"] == 1
    address = f"/api/skills/undo/{moved['move_id']}"
    assert hers.post(address).status_code == 404
    assert client.post(address).json() == {"undone": 1, "stayed": 0}
    assert client.post(address).status_code == 409
    assert client.post(f"/api/skills/undo/{uuid.uuid4()}").status_code == 404
    assert client.post("/api/skills/undo/x").status_code == 404
