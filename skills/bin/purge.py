"""Deleting for good: by hand, and by the clock what has been in the trash for KB_TRASH_DAYS."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import purge as documents
from documents.models import Document, FolderDeletion
from documents.querysets import visible_folders
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills.models import Skill

log = logging.getLogger(__name__)

# What one run takes of a kind; the next one, an hour later, goes on.
MOST = 5_000


@transaction.atomic
def delete_skill(skill_id: uuid.UUID, user: User) -> None:
    """Delete a skill in the trash for good, with its passages and history. Raises NotAllowed, NotFound."""
    require(user, "curate")
    seen = Skill.objects.filter(visible_folders(user), pk=skill_id, deleted_at__isnull=False)
    skill = seen.only("pk", "slug", "name").first()
    if skill is None or not _skill(skill.pk):
        raise NotFound(_("It is not in the trash any more."))
    audit.record(user, "skill.purged", skill.uri, name=skill.name)


def purge(now: datetime | None = None) -> Counter[str]:
    """Delete what has been in the trash longer than ``KB_TRASH_DAYS``; returns how many of each kind.

    Each thing in a transaction of its own: one that fails is logged and left for the next time.
    """
    gone: Counter[str] = Counter()
    if not settings.KB_TRASH_DAYS:
        return gone
    before = (now or timezone.now()) - timedelta(days=settings.KB_TRASH_DAYS)
    for kind, (due, deed) in _due(before).items():
        gone[kind] = _each(due.values_list("pk", flat=True)[:MOST], kind, deed)
    if gone.total():
        audit.record(None, "trash.purged", gone=dict(gone))
    return gone


def _due(before: datetime) -> dict[str, tuple[QuerySet[Any], Callable[[Any], bool]]]:
    """Documents first: they take along the skills that went to the trash with them."""
    its_document = Document.objects.filter(pk=OuterRef("trashed_with"))
    return {
        "documents": (Document.objects.filter(deleted_at__lt=before).order_by("deleted_at"), documents.purge),
        "skills": (
            Skill.objects.filter(~Exists(its_document), deleted_at__lt=before).order_by("deleted_at"),
            _skill,
        ),
        "folders": (FolderDeletion.objects.filter(at__lt=before).order_by("at"), _deletion),
    }


def _each(ids: Iterable[Any], kind: str, deed: Callable[[Any], bool]) -> int:
    gone = 0
    for thing_id in list(ids):
        try:
            with transaction.atomic():
                gone += deed(thing_id)
        except DatabaseError:
            log.exception("%s %s could not be deleted for good", kind, thing_id)
    return gone


def _skill(skill_id: uuid.UUID) -> bool:
    held = Skill.objects.filter(pk=skill_id, deleted_at__isnull=False).held()
    skill = held.only("pk").first()
    if skill is None:
        return False
    skill.delete()
    return True


def _deletion(deletion_id: uuid.UUID) -> bool:
    return bool(FolderDeletion.objects.filter(pk=deletion_id).delete()[0])
