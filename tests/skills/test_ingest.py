"""A file becomes a skill that can be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from documents.models import IngestRun
from documents.upload import FileReceipt
from kbsite.accounts.models import User
from search.retrieve import search
from skills import terms
from skills.models import LayerVector, Passage, PassageTerms, Skill, Term
from tests.documents import builders
from tests.skills.conftest import Queue

NOTES = """# 差旅报销

出差后三十天内提交报销单。

## 住宿标准

| 城市 | 上限 |
|---|---|
| 上海 | 500 元 |
| 杭州 | 400 元 |

## Receipts

Keep every receipt. Hotels must be booked through the portal.
"""

Upload = Callable[..., FileReceipt]


def run_of(receipt: FileReceipt) -> IngestRun:
    assert receipt.run is not None
    return IngestRun.objects.get(pk=receipt.run.pk)


def test_a_markdown_file_becomes_a_findable_skill(upload: Upload, queue: Queue) -> None:
    """All three layers, passages at their place, vectors on every level, words."""
    receipt = upload("报销.md", NOTES)
    queue.work()
    run = run_of(receipt)
    assert (run.status, run.step, run.reason) == ("done", "completed", "")
    skill = Skill.objects.findable().get()
    assert skill.name == "差旅报销"
    assert skill.slug == "差旅报销"
    assert skill.type == "document"
    assert skill.content == run.version.markdown
    assert skill.abstract
    assert skill.overview
    assert skill.index_state == "ready"
    assert [r.number for r in skill.revisions.all()] == [1]
    passages = list(skill.passages.all())
    assert [p.heading_path for p in passages] == [
        ["差旅报销"],
        ["差旅报销", "住宿标准"],
        ["差旅报销", "Receipts"],
    ]
    assert all(skill.content[p.start : p.end] == p.text for p in passages)
    levels = list(LayerVector.objects.filter(skill=skill).values_list("level", flat=True))
    assert sorted(set(levels)) == [0, 1, 2]
    assert levels.count(2) == len(passages)
    assert PassageTerms.objects.filter(skill=skill).count() == len(passages)
    terms.fold_deltas()
    assert Term.objects.get(pk=0).df == len(passages)


def test_running_a_run_again_changes_nothing(upload: Upload, queue: Queue) -> None:
    """As after a kill -9 at any step: one skill, no orphan passages."""
    run = run_of(upload("a.md", NOTES))
    queue.work()
    before = set(Passage.objects.values_list("pk", flat=True))
    for _ in range(2):
        IngestRun.objects.filter(pk=run.pk).update(status="queued")
        queue.send_task("skills.ingest", [str(run.pk)])
        queue.work()
    assert run_of_id(run) == "done"
    skill = Skill.objects.get()
    assert set(Passage.objects.values_list("pk", flat=True)) == before
    assert skill.revisions.count() == 1
    terms.fold_deltas()
    assert Term.objects.get(pk=0).df == len(before)


def run_of_id(run: IngestRun) -> str:
    run.refresh_from_db()
    return run.status


@pytest.mark.parametrize("broken", ["analyze", "store", "index"])
def test_a_killed_worker_loses_nothing(
    broken: str, upload: Upload, queue: Queue, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """The worker dies in a step; the sweep returns the run; the next one finishes it."""
    from documents import runs
    from skills import analyze, index, store

    steps = {
        "analyze": (analyze, "layers_of_version"),
        "store": (store, "store_version"),
        "index": (index, "index_skill"),
    }

    class Killed(BaseException):
        pass

    def die(*args: object) -> None:
        raise Killed

    run = run_of(upload("a.md", NOTES))
    with monkeypatch.context() as patch:
        patch.setattr(*steps[broken], die)
        with pytest.raises(Killed):
            queue.work()
    assert run_of_id(run) == "running"
    IngestRun.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
    runs.sweep()
    queue.send_task("skills.ingest", [str(run.pk)])
    queue.work()
    assert run_of_id(run) == "done"
    assert Skill.objects.findable().get().passages.count() == 3


def test_three_real_kinds_of_file_become_skills_found_in_either_language(
    upload: Upload, queue: Queue, bob: User
) -> None:
    """A Chinese Markdown file, an English PDF of two pages, a Chinese Word file: by meaning and by word."""
    upload("报销.md", NOTES)
    pages: list[list[builders.Line]] = [
        [
            (72, 760, "Incident handbook", 20),
            (72, 700, "The person on call answers the pager within five minutes."),
        ],
        [
            (72, 760, "Aftermath", 20),
            (72, 700, "A review is written within three working days of the outage."),
        ],
    ]
    upload("handbook.pdf", builders.pdf(*(builders.page(lines) for lines in pages)))
    body = builders.p("考勤制度", '<w:pStyle w:val="Heading1"/>') + builders.p(
        "年假每年十天，须提前两周申请。"
    )
    upload("考勤.docx", builders.docx(body))
    queue.work()
    terms.fold_deltas()
    assert Skill.objects.findable().count() == 3
    handbook = Skill.objects.get(language="en")
    assert [p.page for p in handbook.passages.all()] == [1, 2]
    for question, name in (
        ("how fast must pages be answered", handbook.name),
        ("故障之后多久要写复盘", handbook.name),
        ("how many days of holiday per year", "考勤制度"),
        ("年假", "考勤制度"),
        ("发票 住宿 上限", "差旅报销"),
    ):
        hits = search(question, bob).hits
        assert hits[0].skill.name == name, question
