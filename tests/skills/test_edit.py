"""Writing, editing, moving and deleting skills, by way of the functions every door calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import AuditEntry, User
from kbsite.exceptions import InvalidInput, LostUpdate, ModelUnavailable, NotAllowed, NotFound
from skills import edit, heart, index, moves, terms, trash, use
from skills.models import LayerVector, Passage, PassageTerms, Skill, Term
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("queue")


def words_in_index() -> int:
    terms.fold_deltas()
    return Term.objects.get(pk=0).df


def test_a_written_skill_gets_layers_and_becomes_findable(write: Write, queue: Queue) -> None:
    """Pending at first; abstract and overview written from the content; approved when it can be found."""
    skill = write("出差须知", "先申请，再出差。返程后三十天内报销。\n", index=False)
    assert (skill.status, skill.index_state, skill.abstract) == ("pending", "queued", "")
    queue.work()
    skill.refresh_from_db()
    assert (skill.status, skill.index_state, skill.language) == ("approved", "ready", "zh")
    assert skill.abstract
    assert skill.overview
    assert [(r.number, r.snapshot["abstract"]) for r in skill.revisions.all()] == [(1, skill.abstract)]


def test_layers_written_by_hand_stay(write: Write, queue: Queue, bob: User) -> None:
    """Also when the content changes; asking for new ones replaces them, as a revision."""
    skill = write(abstract="Mine.", overview="Mine too.")
    assert (skill.abstract, skill.overview, skill.layers_by_hand) == ("Mine.", "Mine too.", True)
    edit.update_skill(skill.pk, bob, content="Something else entirely.\n")
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    skill.refresh_from_db()
    assert skill.abstract == "Mine."
    edit.rewrite_layers(skill.pk, bob)
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    skill.refresh_from_db()
    assert "Something else" in skill.abstract
    assert not skill.layers_by_hand
    assert [r.number for r in skill.revisions.all()] == [3, 2, 1]


def test_an_edit_keeps_the_status_and_swaps_the_index_when_it_is_ready(
    write: Write, queue: Queue, bob: User
) -> None:
    """Until then what was there before is found."""
    skill = write(content="Old words.\n")
    before = list(skill.passages.values_list("text", flat=True))
    Skill.objects.filter(pk=skill.pk).update(status="checked")
    edit.update_skill(skill.pk, bob, content="New words.\n")
    skill.refresh_from_db()
    assert (skill.status, skill.index_state, skill.version) == ("checked", "queued", 2)
    assert list(skill.passages.values_list("text", flat=True)) == before
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    skill.refresh_from_db()
    assert (skill.status, skill.index_state) == ("checked", "ready")
    assert list(skill.passages.values_list("text", flat=True)) == ["New words."]
    assert words_in_index() == 1


def test_passages_that_did_not_change_keep_their_id_and_vector(write: Write, queue: Queue, bob: User) -> None:
    """So that citations keep opening them, and a long text is not embedded anew for a new line."""
    skill = write(content="# A\n\nFirst.\n\n# B\n\nSecond.\n")
    first, second = skill.passages.all()
    vector = LayerVector.objects.get(passage=second).pk
    edit.append_content(skill.pk, bob, "# C\n\nThird.")
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    now = list(skill.passages.all())
    assert [p.pk for p in now[:2]] == [first.pk, second.pk]
    assert LayerVector.objects.get(passage=second).pk == vector
    assert now[2].text == "# C\n\nThird."
    edit.update_skill(skill.pk, bob, name="Another name")
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    assert list(skill.passages.values_list("pk", flat=True)) == [p.pk for p in now]
    assert words_in_index() == 3
    assert PassageTerms.objects.count() == 3


def test_nothing_changed_records_nothing(write: Write, bob: User) -> None:
    """A form saved as it was."""
    skill = write()
    edit.update_skill(skill.pk, bob, name=skill.name, content=skill.content)
    skill.refresh_from_db()
    assert (skill.version, skill.revisions.count()) == (1, 1)


def test_a_save_in_between_is_not_lost(write: Write, bob: User) -> None:
    """Whoever started from an older version is told."""
    skill = write()
    edit.update_skill(skill.pk, bob, expected=1, name="First")
    with pytest.raises(LostUpdate):
        edit.update_skill(skill.pk, bob, expected=1, name="Second")
    skill.refresh_from_db()
    assert skill.name == "First"


def test_a_change_during_indexing_is_indexed_next(
    write: Write, queue: Queue, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that began with the old text changes nothing."""
    skill = write(content="One.\n", index=False)
    prepare = index.prepare

    def and_meanwhile(*args: Any) -> Any:
        made = prepare(*args)
        monkeypatch.setattr(index, "prepare", prepare)
        edit.update_skill(skill.pk, bob, content="Two.\n")
        return made

    monkeypatch.setattr(index, "prepare", and_meanwhile)
    queue.work()
    assert not Passage.objects.filter(skill=skill).exists()
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    assert list(Passage.objects.values_list("text", flat=True)) == ["Two."]


def test_any_revision_can_be_restored(write: Write, queue: Queue, bob: User) -> None:
    """As a new revision; history is never rewritten."""
    skill = write("Name", "One.\n")
    edit.update_skill(skill.pk, bob, content="Two.\n", name="Other")
    restored = edit.restore_revision(skill.pk, bob, 1)
    assert (restored.name, restored.content) == ("Name", "One.\n")
    assert [r.number for r in skill.revisions.all()] == [3, 2, 1]
    with pytest.raises(NotFound):
        edit.restore_revision(skill.pk, bob, 9)


def test_moving_touches_nothing_that_is_found(write: Write, bob: User) -> None:
    """Vectors, version, revisions and dates stay; many move in one statement."""
    folder = Folder.objects.create(name="Travel")
    one, two = write("One"), write("Two")
    vectors = set(LayerVector.objects.values_list("pk", flat=True))
    assert moves.move_skills([one.pk, two.pk], bob, folder.pk).count == 2
    for before in (one, two):
        now = Skill.objects.get(pk=before.pk)
        assert now.folder == folder
        assert (now.version, now.updated_at) == (before.version, before.updated_at)
    assert set(LayerVector.objects.values_list("pk", flat=True)) == vectors
    moves.move_skill(one.pk, bob, None)
    assert Skill.objects.get(pk=one.pk).folder is None


def test_system_skills_are_read_and_never_changed(write: Write, bob: User, alice: User) -> None:
    """By nobody."""
    skill = write()
    Skill.objects.filter(pk=skill.pk).update(type="system")
    folder = Folder.objects.create(name="Travel")
    attempts: list[Callable[[], object]] = [
        lambda: edit.update_skill(skill.pk, alice, name="Mine"),
        lambda: trash.delete_skill(skill.pk, alice),
        lambda: moves.move_skills([skill.pk], bob, folder.pk),
        lambda: edit.append_content(skill.pk, bob, "more"),
        lambda: edit.rewrite_layers(skill.pk, bob),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()


def test_readers_change_nothing(write: Write, dave: User) -> None:
    """403, with a sentence."""
    skill = write()
    with pytest.raises(NotAllowed):
        edit.create_skill(dave, name="x", content="y")
    with pytest.raises(NotAllowed):
        edit.update_skill(skill.pk, dave, name="Mine")
    with pytest.raises(NotAllowed):
        trash.delete_skill(skill.pk, dave)


def test_what_is_closed_to_a_person_does_not_exist_for_them(write: Write, bob: User, carol: User) -> None:
    """Neither to change, nor as a place to move to."""
    closed = Folder.objects.create(name="Closed")
    skill, mine = write(folder_id=closed.pk), write("Mine")
    FolderGrant.objects.create(folder=closed, user=carol)
    del bob._hidden_folder_ids  # type: ignore[attr-defined]
    with pytest.raises(NotFound):
        edit.update_skill(skill.pk, bob, name="Seen")
    with pytest.raises(NotFound):
        moves.move_skills([mine.pk], bob, closed.pk)


def test_trash_and_back(write: Write, bob: User) -> None:
    """Gone at once, and whole again when it is taken out."""
    skill = write()
    trash.delete_skill(skill.pk, bob)
    assert not Skill.objects.visible_to(bob).exists()
    assert not Skill.objects.findable().exists()
    with pytest.raises(NotFound):
        trash.delete_skill(skill.pk, bob)
    trash.undelete_skill(skill.pk, bob)
    assert Skill.objects.findable().get() == skill
    actions = list(AuditEntry.objects.order_by("at").values_list("action", flat=True))
    assert actions == ["skill.created", "skill.deleted", "skill.undeleted"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "  \n "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"content": " \n\t"}, "content"),
        ({"category": "poetry"}, None),
        ({"priority": 2**40}, "priority"),
        ({"tags": ["x" * 61]}, None),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(
    bob: User, changes: dict[str, Any], field: str | None
) -> None:
    """And nothing is made."""
    with pytest.raises(InvalidInput) as refusal:
        edit.create_skill(bob, **{"name": "n", "content": "c", **changes})
    assert refusal.value.extra.get("field") == field
    assert not Skill.objects.exists()


def test_nul_and_strange_names_are_stored_as_far_as_they_can_be(write: Write) -> None:
    """B04 and odd names: NUL goes, the rest stays; the slug keeps Unicode."""
    skill = write("  差旅/Travel\x00 🚄  ‮x ", "a\x00b\r\nc\n")
    assert skill.name == "差旅/Travel 🚄 ‮x"
    assert skill.content == "ab\nc\n"
    assert skill.slug == "差旅travel-x"


def test_slugs_are_unique_and_frozen(write: Write, bob: User) -> None:
    """-1, -2 on a clash, also with the trash; a rename keeps the URI."""
    first, second = write("New"), write("New!")
    assert [first.slug, second.slug] == ["new-1", "new-2"]
    trash.delete_skill(second.pk, bob)
    assert write("new").slug == "new-3"
    edit.update_skill(first.pk, bob, name="Old")
    assert Skill.objects.get(pk=first.pk).uri == "sk://skills/new-1"


@pytest.mark.django_db(transaction=True)
def test_ten_of_one_name_at_once_get_ten_slugs(bob: User, queue: Queue) -> None:
    """No raw unique-key error, nothing lost."""
    failures: list[BaseException] = []

    def create() -> None:
        try:
            edit.create_skill(bob, name="Same", content="Text")
        except BaseException as error:  # noqa: BLE001 - any failure fails the test below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    slugs = set(Skill.objects.values_list("slug", flat=True))
    assert slugs == {"same", *(f"same-{n}" for n in range(1, 10))}


def test_a_form_sent_twice_makes_one_skill(bob: User) -> None:
    """The second sending returns the first one's skill."""
    skill = edit.create_skill(bob, name="Once", content="Text")
    again = edit.create_skill(bob, name="Once", content="Text", id=skill.pk)
    assert again == skill
    assert Skill.objects.count() == 1


def test_a_use_counts_one_and_nothing_else(write: Write) -> None:
    """Ten asked for at once are one statement."""
    one, two = write("One"), write("Two")
    assert use.record_use([one.pk, two.pk, one.pk]) == 2
    one.refresh_from_db()
    assert one.active_count == 1
    assert one.last_used_at is not None
    assert use.record_use([]) == 0


def test_a_model_that_fails_is_tried_three_times_then_says_why(
    write: Write, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is on the skill; Retry works once the model does."""
    from skills import analyze

    skill = write(index=False)
    with monkeypatch.context() as patch:

        def unavailable(*args: object, **kwargs: object) -> None:
            raise ModelUnavailable("The model does not answer.")

        patch.setattr(analyze, "write_layers", unavailable)
        states = []
        for _ in range(3):
            queue.work()
            skill.refresh_from_db()
            states.append((skill.index_state, skill.index_reason))
            Skill.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
            heart.sweep()
            queue.send_task("skills.refresh", [str(skill.pk)])
    assert [state for state, _ in states] == ["queued", "queued", "failed"]
    assert {reason for _, reason in states} == {"The model does not answer."}
    assert (skill.status, skill.attempts) == ("pending", 3)
    heart.retry(skill.pk)
    queue.work()
    skill.refresh_from_db()
    assert (skill.status, skill.index_state, skill.index_reason) == ("approved", "ready", "")


def test_a_model_that_refuses_is_not_asked_again(
    write: Write, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong key stays wrong: final at once."""
    from skills import analyze

    def refuse(*args: object, **kwargs: object) -> None:
        raise ModelUnavailable("The key is refused.", code="bad_key", retryable=False)

    monkeypatch.setattr(analyze, "write_layers", refuse)
    skill = write(index=False)
    queue.work()
    skill.refresh_from_db()
    assert (skill.index_state, skill.index_reason) == ("failed", "The key is refused.")


def test_an_embedder_that_fails_leaves_what_is_found_alone(
    write: Write, queue: Queue, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B26: the old index stays whole until the new one is ready, and nothing is written twice."""
    skill = write(content="Old words.\n")
    edit.update_skill(skill.pk, bob, content="New words.\n")
    with monkeypatch.context() as patch:

        def limited(*args: object) -> None:
            raise ModelUnavailable("Too many requests.", code="rate_limited")

        patch.setattr(index, "embed", limited)
        queue.send_task("skills.refresh", [str(skill.pk)])
        queue.work()
    assert list(skill.passages.values_list("text", flat=True)) == ["Old words."]
    assert Skill.objects.findable().filter(pk=skill.pk).exists()
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    assert list(skill.passages.values_list("text", flat=True)) == ["New words."]
    assert words_in_index() == 1


def test_a_killed_worker_is_noticed_and_the_third_time_is_final(write: Write, queue: Queue) -> None:
    """Decision 4: the sweep returns what stopped; nothing is ever stuck."""
    skill = write(index=False)
    queue.sent.clear()
    for _ in range(3):
        assert heart.claim(skill.pk) is not None
        Skill.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
        heart.sweep()
    skill.refresh_from_db()
    assert skill.index_state == "failed"
    assert "three times" in skill.index_reason
    heart.retry(skill.pk)
    queue.work()
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    skill.refresh_from_db()
    assert skill.index_state == "ready"


def test_a_task_the_queue_lost_is_sent_again(
    write: Write, queue: Queue, django_capture_on_commit_callbacks: Any
) -> None:
    """A row that waits too long is asked for once more."""
    write(index=False)
    queue.sent.clear()
    assert heart.sweep() == 0
    Skill.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
    with django_capture_on_commit_callbacks(execute=True):
        assert heart.sweep() == 1
    assert [name for name, _ in queue.sent] == ["skills.refresh"]
