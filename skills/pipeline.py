"""From bytes to a skill that can be found: parse → analyze → dedupe → store → index.

Each step commits before the next begins, and running any of them again changes nothing, so a run
whose worker was killed is simply run again.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial

from documents import runs
from documents.models import IngestRun
from kbsite.exceptions import Conflict, KnowledgeError
from skills import analyze, dedupe, heart, index, parse, store
from skills.dedupe import Verdict

log = logging.getLogger(__name__)

Step, Status = IngestRun.Step, IngestRun.Status


def ingest(run_id: uuid.UUID) -> None:
    """Take one run through the steps. Whatever goes wrong is written on the run, with its reason."""
    run = runs.claim(run_id)
    if run is None:
        return
    with runs.beating(run):
        try:
            _read(run)
        except Exception as error:  # noqa: BLE001 - a task's outer edge; fail() logs what is not expected
            runs.fail(run, error)
            store.note_failure(run)


def _read(run: IngestRun) -> None:
    runs.at_step(run, Step.PARSING)
    version = parse.read_version(run)

    runs.at_step(run, Step.ANALYZING)
    layers = analyze.layers_of_version(version)

    runs.at_step(run, Step.DEDUPING)
    decision = dedupe.decide(run)
    if decision.verdict is Verdict.SKIP:
        dedupe.set_aside(run, decision)
        return

    runs.at_step(run, Step.STORING)
    try:
        skill = store.store_version(version, layers)
    except Conflict as overtaken:
        runs.finish(run, Status.SKIPPED, overtaken.message, code=overtaken.code)
        return

    runs.at_step(run, Step.INDEXING)
    index.index_skill(skill, store.page_starts(skill), partial(runs.beat, run))
    runs.finish(run, Status.DONE)


def refresh(skill_id: uuid.UUID) -> None:
    """Make a written or edited skill findable: its layers if they are due, then the same index.

    Whatever goes wrong is written on the skill, with its reason.
    """
    skill = heart.claim(skill_id)
    if skill is None:
        return
    pulse = partial(heart.beat, skill.pk)
    with heart.beating(pulse):
        try:
            if skill.layers_stale:
                store.store_layers(skill, analyze.layers_of_skill(skill))
            index.index_skill(skill, store.page_starts(skill), pulse)
        except KnowledgeError as error:
            heart.fail(skill, error)
        except Exception as error:
            log.exception("Indexing skill %s failed", skill.pk)
            heart.fail(skill, error)
