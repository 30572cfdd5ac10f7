"""A row's state in words and strokes: what is happening, why, and what a person can do about it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from documents.listing import Row
from documents.models import DocumentVersion, IngestRun
from kbsite.text import in_a_row

Status, Step, Needs = IngestRun.Status, IngestRun.Step, IngestRun.Needs
# The five strokes of the small stepper.
STEPS = (Step.PARSING, Step.ANALYZING, Step.DEDUPING, Step.STORING, Step.INDEXING)
FAILED_IN: dict[str, str | Promise] = {
    Step.QUEUED: gettext_lazy("Failed"),
    Step.PARSING: gettext_lazy("Failed in parsing"),
    Step.ANALYZING: gettext_lazy("Failed in analyzing"),
    Step.DEDUPING: gettext_lazy("Failed in deduping"),
    Step.STORING: gettext_lazy("Failed in storing"),
    Step.INDEXING: gettext_lazy("Failed in indexing"),
}
KINDS: dict[str, str | Promise] = {
    "application/pdf": gettext_lazy("PDF"),
    "text/markdown": gettext_lazy("Markdown"),
    "text/plain": gettext_lazy("Text"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": gettext_lazy("Word"),
}
PLAIN_ENCODINGS = ("", "utf-8", "ascii")


@dataclass(frozen=True, slots=True)
class Wording:
    """``word`` with its ``tone`` ("", ok, warn, bad), the ``reason`` under it, and the classes of
    the five ``strokes``."""

    word: str
    tone: str
    reason: str
    strokes: tuple[str, ...]


def wording(row: Row, ahead: int | None = None) -> Wording:
    """The state of ``row``; ``ahead`` is how many runs wait before its own."""
    run = row.run
    if run is None:
        return Wording(_("Queued"), "", "", ("",) * len(STEPS))
    return Wording(_word(run), _tone(run), _reason(row, run, ahead), strokes(run))


def strokes(run: IngestRun) -> tuple[str, ...]:
    """done, now, stop (failed), held or nothing, for each of the five steps."""
    if run.status in (Status.DONE, Status.MERGED):
        return ("done",) * len(STEPS)
    at = STEPS.index(run.step) if run.step in STEPS else -1
    here = {Status.RUNNING: "now", Status.FAILED: "stop", Status.HELD: "held", Status.SKIPPED: "held"}
    mark = here.get(Status(run.status), "")
    if at < 0 and run.status in (Status.FAILED, Status.HELD):
        at = 0
    return tuple("done" if n < at else mark if n == at else "" for n in range(len(STEPS)))


def _word(run: IngestRun) -> str:
    if run.status == Status.RUNNING:
        return str(Step(run.step).label)
    if run.status == Status.FAILED:
        return str(FAILED_IN.get(run.step, FAILED_IN[Step.QUEUED]))
    if run.status == Status.HELD:
        return _("Needs a password") if run.needs == Needs.PASSWORD else _("Already here?")
    if run.status == Status.SKIPPED:
        return _("Cancelled") if run.code in ("cancelled", "superseded") else _("Skipped, duplicate")
    return str(Status(run.status).label)


def _tone(run: IngestRun) -> str:
    tones = {"done": "ok", "merged": "ok", "held": "warn", "skipped": "warn", "failed": "bad"}
    return tones.get(run.status, "")


def _reason(row: Row, run: IngestRun, ahead: int | None) -> str:
    if run.status == Status.QUEUED and not run.reason:
        if not ahead:
            return _("Next in line") if ahead == 0 else ""
        return ngettext("%d ahead of it", "%d ahead of it", ahead) % ahead
    if run.status == Status.DONE:
        made = len(row.skills)
        said = (
            ngettext("%d skill, found by search", "%d skills, found by search", made) % made if made else ""
        )
        return " · ".join(part for part in (said, _encoding(row.version)) if part)
    if run.status == Status.FAILED and run.attempts > 1:
        return in_a_row([run.why, _("Tried %(times)d times.") % {"times": run.attempts}])
    return run.why


def _encoding(version: DocumentVersion | None) -> str:
    if version is None or version.encoding in PLAIN_ENCODINGS:
        return ""
    return _("read as %(encoding)s") % {"encoding": version.encoding.upper()}


def kind(version: DocumentVersion | None, filename: str) -> str:
    """What the file is, in a word: by its content once it was read, by its ending before."""
    if version is not None and version.mime in KINDS:
        return str(KINDS[version.mime])
    ending = filename.rpartition(".")[2]
    return ending.upper() if ending and len(ending) <= 5 and ending != filename else _("File")
