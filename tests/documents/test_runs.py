"""A run is taken by one worker, survives it, and always ends with a reason."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation
from kombu.exceptions import OperationalError

from documents import runs
from documents.faults import unreadable
from documents.models import IngestRun
from documents.read import read
from documents.tasks import sweep
from documents.trash import delete_document, restore_document
from documents.unlock import unlock
from documents.upload import receive
from kbsite.accounts.models import User
from kbsite.celery import app
from kbsite.exceptions import Conflict, ModelUnavailable, NotAllowed

Sent = list[tuple[str, Any]]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(bob: User, file: Any, sent: Sent) -> IngestRun:
    made = receive([file("notes.md", "---\ntitle: Notes on 差旅\ntags: [a, b]\n---\n# H\n\nText.")], bob)
    found = made.files[0].run
    assert found is not None
    return found


def again(run: IngestRun) -> IngestRun:
    run.refresh_from_db()
    return run


def claimed(run: IngestRun) -> IngestRun:
    taken = runs.claim(run.pk)
    assert taken is not None
    return taken


def silent(run: IngestRun, settings: Any) -> None:
    long_ago = timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS + 1)
    IngestRun.objects.filter(pk=run.pk).update(heartbeat_at=long_ago, started_at=long_ago)


def heart_stopped(run: IngestRun, settings: Any) -> None:
    """Only the last beat is long ago: the run is still its worker's."""
    long_ago = timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS + 1)
    IngestRun.objects.filter(pk=run.pk).update(heartbeat_at=long_ago)


def test_one_worker_takes_it_and_each_step_is_seen(run: IngestRun) -> None:
    taken = claimed(run)
    assert taken.attempts == 1 and taken.status == "running"
    assert runs.claim(run.pk) is None
    runs.at_step(taken, "analyzing", "Writing the overview")
    assert (again(run).step, run.reason) == ("analyzing", "Writing the overview")
    runs.finish(taken, "done")
    assert (again(run).status, run.step) == ("done", "completed") and run.finished_at


def test_reading_fills_the_version_and_names_the_document(run: IngestRun) -> None:
    version = read(claimed(run))
    version.refresh_from_db()
    assert version.markdown == "# H\n\nText." and version.encoding == "utf-8"
    assert version.document.title == "Notes on 差旅" and version.document.tags == ["a", "b"]


def test_a_title_given_by_hand_stays(bob: User, file: Any, sent: Sent) -> None:
    made = receive([file("x.md", "# Other")], bob, title="Mine").files[0].run
    assert made is not None
    assert read(claimed(made)).document.title == "Mine"


def test_a_dead_worker_loses_the_run_to_the_next(run: IngestRun, sent: Sent, settings: Any) -> None:
    first = claimed(run)
    silent(run, settings)
    sent.clear()
    sweep()
    assert again(run).status == "queued" and sent == [("skills.ingest", [str(run.pk)])]
    second = claimed(run)
    with pytest.raises(runs.RunLost):
        runs.at_step(first, "storing")
    runs.fail(first, ValueError("late"))
    assert again(run).status == "running" and second.attempts == 2


def test_the_third_lost_worker_is_the_last(run: IngestRun, settings: Any) -> None:
    for _ in range(settings.KB_MAX_ATTEMPTS):
        claimed(run)
        silent(run, settings)
        runs.sweep()
    assert again(run).status == "failed" and "3 times" in run.reason
    runs.retry(run)
    assert (again(run).status, run.attempts) == ("queued", 0)


def test_a_heart_keeps_a_long_step_alive(run: IngestRun, settings: Any) -> None:
    settings.KB_HEARTBEAT_SECONDS = 0.05
    taken = claimed(run)
    heart_stopped(run, settings)
    with runs.beating(taken):
        time.sleep(0.4)
    assert runs.sweep() == 0 and again(run).status == "running"


def test_a_message_that_got_lost_is_sent_again(run: IngestRun, sent: Sent, settings: Any) -> None:
    silent(run, settings)
    sent.clear()
    assert runs.sweep() == 1 and len(sent) == 1
    assert runs.sweep() == 0


def test_a_queue_that_is_down_loses_nothing(bob: User, file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: Any, **__: Any) -> None:
        raise OperationalError("down")

    monkeypatch.setattr(app, "send_task", down)
    assert receive([file()], bob).files[0].status == "queued"


def test_a_file_that_cannot_be_read_fails_at_once_in_the_readers_language(run: IngestRun) -> None:
    runs.fail(claimed(run), unreadable("too_many_pages", pages=9, limit=5))
    assert (again(run).status, run.code, run.attempts) == ("failed", "too_many_pages", 1)
    assert run.why == "The file has 9 pages, the limit is 5. Split it and try again."
    with translation.override("zh-hans"):
        assert "9" in run.why and "5" in run.why


def test_anything_else_is_tried_three_times(run: IngestRun, sent: Sent, settings: Any) -> None:
    for n in range(settings.KB_MAX_ATTEMPTS):
        assert again(run).status == "queued", n
        runs.fail(claimed(run), ConnectionError("gone"))
    assert again(run).status == "failed" and run.code == "went_wrong"


def test_a_model_that_is_away_is_tried_again_and_a_wrong_key_is_not(run: IngestRun) -> None:
    runs.fail(claimed(run), ModelUnavailable("The model is busy.", code="rate_limited"))
    assert again(run).status == "queued" and run.reason == "The model is busy."
    runs.fail(claimed(run), ModelUnavailable("Wrong key.", code="bad_key", retryable=False))
    assert (again(run).status, run.code, run.reason) == ("failed", "bad_key", "Wrong key.")


def test_a_locked_file_waits_for_its_password_which_is_used_once(run: IngestRun) -> None:
    runs.fail(claimed(run), unreadable("password"))
    assert (again(run).status, run.needs) == ("held", "password")
    unlock(run, "se cret")
    assert again(run).status == "queued"
    assert run.unlock and b"se cret" not in bytes(run.unlock)
    from documents.unlock import take_password

    taken = claimed(run)
    assert take_password(taken) == "se cret" and take_password(taken) is None
    with pytest.raises(Conflict):
        unlock(again(run), "again")


def test_deleting_stops_the_work_and_restoring_takes_it_up(run: IngestRun, bob: User, dave: User) -> None:
    taken = claimed(run)
    document = taken.version.document
    with pytest.raises(NotAllowed):
        delete_document(document, dave)
    delete_document(document, bob)
    with pytest.raises(runs.RunLost):
        runs.at_step(taken, "storing")
    assert runs.claim(run.pk) is None
    document.refresh_from_db()
    restore_document(document, bob)
    assert again(run).status == "queued"
