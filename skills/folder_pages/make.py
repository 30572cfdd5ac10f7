"""Making a folder's page: asked for, queued, claimed, made, failed, swept. The row is the queue's truth.

Pages are made from the deepest up: one waits in the queue while a page below it is open, and whoever
finishes sends those that waited.
"""

from __future__ import annotations

import logging
import uuid
from datetime import datetime, timedelta
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from documents import folders
from documents.models import Folder
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError, NotFound
from skills import heart
from skills.folder_pages.compose import Composed, compose
from skills.folder_pages.due import never_made_below
from skills.folder_pages.gather import Inputs, gather
from skills.folder_pages.log import REMADE
from skills.folder_pages.scope import directly_in, open_sub_folders
from skills.folder_pages.withdraw import withdraw
from skills.models import FolderEvent, FolderPage, Skill

TASK = "skills.make_folder_page"
CHANGED = gettext_lazy("What is in the folder changed while its page was being made, three times. Try again.")
STOPPED = gettext_lazy("The worker stopped while making this page, three times. Try again.")
BROKE = gettext_lazy("Making this page failed. It has been logged.")

State = FolderPage.State
OPEN = (State.QUEUED, State.RUNNING)

log = logging.getLogger(__name__)


class Overtaken(KnowledgeError):
    """What was read may not be seen there any more: it has to be read again."""


def request(folder: Folder, user: User) -> FolderPage:
    """Have the page of ``folder`` made (again), after up to twenty never made ones below it.

    One that is open already is left alone. Raises NotAllowed, NotFound.
    """
    require(user, "edit")
    with transaction.atomic():
        there = folders.find(folder.pk, user)  # and stays, until its page is in the queue
        if there is None:
            raise NotFound(_("This folder is gone, or you may not see it."))
        for folder_id in never_made_below(there):
            enqueue(folder_id)
        enqueue(folder.pk)
    return FolderPage.objects.get(pk=folder.pk)


def enqueue(folder_id: uuid.UUID) -> bool:
    """Queue a folder's page from the start and send it to a worker; False if it is open already, or the
    folder is gone.
    """
    with transaction.atomic():
        if not folders.is_there(folder_id):
            return False
        page, _made = FolderPage.objects.select_for_update().get_or_create(folder_id=folder_id)
        if page.is_open:
            return False
        page.state, page.reason, page.attempts, page.heartbeat_at = State.QUEUED, "", 0, timezone.now()
        page.save(update_fields=["state", "reason", "attempts", "heartbeat_at"])
        send(folder_id)
    return True


def send(folder_id: uuid.UUID) -> None:
    """Ask a worker to make it once this transaction commits; if the broker is away, the sweep asks again."""
    task = partial(current_app.send_task, TASK, args=[str(folder_id)])
    transaction.on_commit(task, robust=True)


def make(folder_id: uuid.UUID) -> None:
    """Make a queued page. Whatever goes wrong is written on it, with its reason; its old text stays."""
    page = claim(folder_id)
    if page is None:
        return
    with heart.beating(partial(_beat, page)):
        try:
            _make(page)
        except KnowledgeError as error:
            fail(page, error)
        except Exception as error:
            log.exception("Making the page of folder %s failed", folder_id)
            fail(page, error)
    _send_those_above(page.folder)


def claim(folder_id: uuid.UUID) -> FolderPage | None:
    """Take a queued page, or None when it is not queued, gone, taken, or one below it is open."""
    with transaction.atomic():
        waiting = FolderPage.objects.select_for_update(of=("self",), skip_locked=True)
        page = waiting.select_related("folder").filter(pk=folder_id, state=State.QUEUED).first()
        if page is None or FolderPage.objects.filter(_below(page.folder), state__in=OPEN).exists():
            return None
        page.state, page.heartbeat_at = State.RUNNING, timezone.now()
        page.attempts += 1
        page.save(update_fields=["state", "heartbeat_at", "attempts"])
        return page


def fail(page: FolderPage, error: Exception) -> None:
    """Queue ``page`` again after the stuck time; final at the third failure or where trying can't help."""
    with override("en"):  # kept in English, said again in the reader's language
        reason = str(error) if isinstance(error, KnowledgeError) else str(BROKE)
    final = heart.is_final(page.attempts, error)
    state = State.FAILED if final else State.QUEUED
    failed = _mine(page).update(state=state, reason=reason, heartbeat_at=timezone.now())
    if failed and not final and isinstance(error, Overtaken):
        send(page.pk)


def sweep(silent_since: datetime | None = None) -> int:
    """Return pages whose heart stopped to the queue and send again those that waited too long.

    ``silent_since``: a moment when no worker was alive; only what was running then is returned.
    Returns how many were sent.
    """
    stopped = silent_since or timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS)
    states = (State.RUNNING,) if silent_since else OPEN
    sent = 0
    for page in FolderPage.objects.filter(heartbeat_at__lt=stopped, state__in=states):
        if page.state == State.RUNNING and page.attempts >= settings.KB_MAX_ATTEMPTS:
            fail(page, KnowledgeError(STOPPED))
            continue
        with transaction.atomic():
            FolderPage.objects.filter(pk=page.pk).update(state=State.QUEUED, heartbeat_at=timezone.now())
            send(page.pk)
        sent += 1
    return sent


def is_sound(folder: Folder, skill_ids: list[uuid.UUID], folder_ids: list[uuid.UUID]) -> bool:
    """Whether all of that may still flow into the page of ``folder``."""
    below = set(open_sub_folders(folder).filter(pk__in=folder_ids).values_list("pk", flat=True))
    if len(below) < len(folder_ids):
        return False
    rests_on = Skill.objects.findable().filter(pk__in=skill_ids)
    return rests_on.filter(directly_in(folder) | Q(folder__in=below)).count() == len(skill_ids)


def _make(page: FolderPage) -> None:
    began = timezone.now()
    folder = page.folder
    inputs = gather(folder)
    title = "" if folder.is_system else folder.name
    written = compose(title, inputs)
    skills, folders = inputs.skill_ids, inputs.folder_ids
    if not is_sound(folder, skills, folders):
        raise Overtaken(CHANGED)
    if _save(page, inputs, written, began) and not is_sound(folder, skills, folders):
        withdraw(Q(pk=page.pk))


def _save(page: FolderPage, inputs: Inputs, written: Composed, began: datetime) -> bool:
    """False when the folder is gone or the page was taken by another meanwhile."""
    values = {
        "abstract": written.abstract,
        "key_facts": list(written.facts),
        "overview": written.overview,
        "language": inputs.language,
        "from_skills": inputs.skill_ids,
        "from_folders": inputs.folder_ids,
        "made_from": len(inputs.items),
        "out_of": inputs.out_of,
        "made_by": written.by,
        "made_at": began,
        "reason": "",
        "state": State.READY,
    }
    with transaction.atomic():
        if not folders.is_there(page.pk) or not _mine(page).update(heartbeat_at=timezone.now(), **values):
            return False
        FolderEvent.objects.create(folder_id=page.pk, what=REMADE, count=len(inputs.items))
    return True


def _mine(page: FolderPage) -> QuerySet[FolderPage]:
    return FolderPage.objects.filter(pk=page.pk, state=State.RUNNING, attempts=page.attempts)


def _beat(page: FolderPage) -> None:
    _mine(page).update(heartbeat_at=timezone.now())


def _below(folder: Folder) -> Q:
    """Pages that have to be made before the one of ``folder``."""
    if folder.is_system:
        return ~Q(pk=folder.pk)
    return Q(folder__place__gt=folder.place, folder__place__lte=folder.reach)


def _send_those_above(folder: Folder) -> None:
    """Pages that waited for this one."""
    over = Q(folder__is_system=True) | Q(folder__place__lt=folder.place, folder__reach__gte=folder.place)
    for pk in FolderPage.objects.filter(over, state=State.QUEUED).values_list("pk", flat=True):
        send(pk)
