"""Dedupe: what becomes of a text that is already here. For now: exactly the same bytes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum

from django.db import DatabaseError
from django.db.models import F

from documents import runs
from documents.faults import plain_english
from documents.models import Document, DocumentVersion, IngestRun
from skills.models import Skill

log = logging.getLogger(__name__)

KEEPS_BOTH = (IngestRun.OnDuplicate.KEEP, IngestRun.OnDuplicate.VERSION)


class Verdict(StrEnum):
    """Make a skill, leave it out, or add it to one that is here."""

    CREATE = "create"
    SKIP = "skip"
    MERGE = "merge"


@dataclass(frozen=True)
class Decision:
    """What to do, and the skill it is like."""

    verdict: Verdict
    target: Skill | None = None


def decide(run: IngestRun) -> Decision:
    """SKIP when another document of the same bytes already made a skill, else CREATE.

    Only what the person who added it may see counts, and whoever asked to keep both gets both. A
    failure to decide is logged and approves: nothing is lost because a check broke.
    """
    if run.on_duplicate in KEEPS_BOTH:
        return Decision(Verdict.CREATE)
    try:
        twin = _twin(run.version)
    except DatabaseError:
        log.exception("Dedupe failed for run %s; it is kept", run.pk)
        return Decision(Verdict.CREATE)
    return Decision(Verdict.SKIP, twin) if twin else Decision(Verdict.CREATE)


def _twin(version: DocumentVersion) -> Skill | None:
    person = version.document.added_by
    if person is None:
        return None
    same = DocumentVersion.objects.filter(sha256=version.sha256, document__deleted_at=None)
    others = same.exclude(document_id=version.document_id)
    return Skill.objects.visible_to(person).findable().filter(sources__version__in=others).first()


def set_aside(run: IngestRun, decision: Decision) -> None:
    """End ``run`` as SKIP says: held where a person wants to be asked, else skipped."""
    twin = decision.target
    if twin is None:
        return
    document = Document.objects.filter(versions__sources__skill=twin).first()
    IngestRun.objects.filter(pk=run.pk).update(duplicate_of=document)
    params = {"title": str(twin)}
    if run.on_duplicate == IngestRun.OnDuplicate.ASK:
        reason = plain_english("same_bytes", params)
        runs.hold(run, IngestRun.Needs.DECISION, reason, code="same_bytes", params=params)
    else:
        reason = plain_english("skipped", params)
        runs.finish(run, IngestRun.Status.SKIPPED, reason, code="skipped", params=params)
        Skill.objects.filter(pk=twin.pk).update(helpful=F("helpful") + 1)
