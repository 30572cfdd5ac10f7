"""A person decides about a file that is here already."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from documents import runs
from documents.models import Document, IngestRun
from documents.versions import add_version
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput

OnDuplicate, Status = IngestRun.OnDuplicate, IngestRun.Status
UNDECIDED = (Status.HELD, Status.SKIPPED)


def decide(run: IngestRun, choice: str, user: User) -> IngestRun:
    """Go on with a held or skipped ``run`` as ``choice`` says; returns the run that counts now.

    "keep" reads the file as a document of its own, "skip" leaves it out, "version" makes it the
    newest version of the document it resembles. Raises NotAllowed, InvalidInput, Conflict.
    """
    require(user, "edit")
    if choice not in (OnDuplicate.KEEP, OnDuplicate.SKIP, OnDuplicate.VERSION):
        raise InvalidInput(_("Choose keep, skip or version."))
    with transaction.atomic():
        run = (
            IngestRun.objects.select_for_update(of=("self",))
            .select_related("version__document", "duplicate_of", "batch")
            .get(pk=run.pk)
        )
        if run.status not in UNDECIDED or run.needs == IngestRun.Needs.PASSWORD:
            raise Conflict(_("This file is not waiting for a decision any more."))
        if choice == OnDuplicate.SKIP:
            runs.skip(run)
            return run
        if choice == OnDuplicate.KEEP:
            runs.requeue(run, on_duplicate=OnDuplicate.KEEP)
            return run
        return _as_version(run, user)


def _as_version(run: IngestRun, user: User) -> IngestRun:
    seen = Document.objects.visible_to(user)
    target = seen.filter(pk=run.duplicate_of_id).first() if run.duplicate_of_id else None
    if target is None:
        raise Conflict(_("The document it resembles is gone. Keep this one instead."))
    passing = run.version.document
    fresh = add_version(target, run.version, run.batch, filename=passing.filename)
    run.delete()
    passing.delete()
    return fresh
