"""What goes wrong on the way from a file to a skill, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError

from documents import decide, runs
from documents.models import IngestRun
from documents.unlock import unlock
from documents.upload import FileReceipt
from kbsite.accounts.models import User
from kbsite.exceptions import ModelUnavailable
from skills import analyze, dedupe, heart, index
from skills.models import Passage, Skill
from tests.documents import builders
from tests.skills.conftest import Queue
from tests.skills.test_ingest import NOTES, run_of

Upload = Callable[..., FileReceipt]


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    return fail


def work_again(queue: Queue, run: IngestRun) -> IngestRun:
    queue.sent.clear()
    queue.send_task("skills.ingest", [str(run.pk)])
    queue.work()
    run.refresh_from_db()
    return run


def test_a_file_that_cannot_be_read_says_why_and_its_neighbours_go_on(upload: Upload, queue: Queue) -> None:
    """Final at once: the same bytes would fail again."""
    bad, good = run_of(upload("bad.pdf", b"%PDF-1.4 broken")), run_of(upload("good.md", NOTES))
    queue.work()
    for run in (bad, good):
        run.refresh_from_db()
    assert (bad.status, bad.attempts) == ("failed", 1)
    assert bad.reason
    assert good.status == "done"
    assert Skill.objects.findable().count() == 1


def test_a_model_that_fails_three_times_is_final_and_retry_works(
    upload: Upload, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is the model's own sentence; once it answers again, Retry finishes the file."""
    run = run_of(upload("a.md", NOTES))
    with monkeypatch.context() as patch:
        patch.setattr(analyze, "write_layers", failing(ModelUnavailable("The model does not answer.")))
        states = [work_again(queue, run).status for _ in range(3)]
    assert states == ["queued", "queued", "failed"]
    assert run.reason == "The model does not answer."
    assert not Skill.objects.exists()
    runs.retry(run)
    assert work_again(queue, run).status == "done"


def test_an_embedder_that_fails_marks_the_skill_too(
    upload: Upload, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The skill is there, says why it can't be found, and either Retry works."""
    run = run_of(upload("a.md", NOTES))
    with monkeypatch.context() as patch:
        refused = ModelUnavailable("The key is refused.", code="bad_key", retryable=False)
        patch.setattr(index, "embed", failing(refused))
        assert work_again(queue, run).status == "failed"
    skill = Skill.objects.get()
    assert (skill.status, skill.index_state, skill.index_reason) == (
        "processing",
        "failed",
        "The key is refused.",
    )
    heart.retry(skill.pk)
    queue.sent.clear()
    queue.send_task("skills.refresh", [str(skill.pk)])
    queue.work()
    assert Skill.objects.findable().get().passages.count() == 3
    runs.retry(run)
    assert work_again(queue, run).status == "done"
    assert Passage.objects.count() == 3


def test_an_unexpected_error_is_logged_and_tried_again(
    upload: Upload, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is shown a traceback."""
    run = run_of(upload("a.md", NOTES))
    with monkeypatch.context() as patch:
        patch.setattr(index, "swap", failing(RuntimeError("secret detail")))
        states = [work_again(queue, run).status for _ in range(3)]
    assert states == ["queued", "queued", "failed"]
    assert "secret detail" not in run.reason
    assert "secret detail" in caplog.text


def test_a_dedupe_that_breaks_approves(upload: Upload, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never lose: it is kept, and the fault is in the log."""
    run = run_of(upload("a.md", NOTES))
    monkeypatch.setattr(dedupe, "_twin", failing(DatabaseError("gone")))
    assert work_again(queue, run).status == "done"
    assert Skill.objects.findable().count() == 1


def test_the_same_bytes_again_wait_for_a_decision(upload: Upload, queue: Queue, bob: User) -> None:
    """Exact duplicates are held; keeping both makes two skills."""
    upload("a.md", NOTES)
    queue.work()
    again = run_of(upload("copy.md", NOTES))
    assert (again.status, again.needs) == ("held", "decision")
    decide.decide(again, "keep", bob)
    assert work_again(queue, again).status == "done"
    assert sorted(Skill.objects.values_list("slug", flat=True)) == ["差旅报销", "差旅报销-1"]


def test_a_twin_that_came_in_meanwhile_is_noticed_by_the_worker(upload: Upload, queue: Queue) -> None:
    """As when a deleted document comes back after its copy was read."""
    upload("a.md", NOTES)
    queue.work()
    skill = Skill.objects.get()
    for wish, status in (("ask", "held"), ("skip", "skipped")):
        late = run_of(upload(f"{wish}.md", NOTES + wish))
        late.version.sha256 = skill.sources.get().version.sha256
        late.version.save()
        IngestRun.objects.filter(pk=late.pk).update(on_duplicate=wish)
        assert work_again(queue, late).status == status
        assert "差旅报销" in late.reason
    assert Skill.objects.get().helpful == 1


def test_a_locked_file_waits_for_its_password_and_opens_with_it(upload: Upload, queue: Queue) -> None:
    """Held, not failed; the password is used once."""
    data = builders.locked(builders.pdf(builders.page([(72, 700, "Salaries of 2026")])), "secret")
    run = run_of(upload("locked.pdf", data))
    work_again(queue, run)
    assert (run.status, run.needs) == ("held", "password")
    unlock(run, "secret")
    assert work_again(queue, run).status == "done"
    assert "Salaries" in Skill.objects.findable().get().content
