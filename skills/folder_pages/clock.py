"""What the clock does about folders' pages: a few at a time, where enough changed and it is quiet."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from skills.folder_pages.due import due
from skills.folder_pages.make import OPEN, enqueue
from skills.models import FolderPage

AT_A_TIME = 5


def refresh_due() -> int:
    """Queue the pages that are due, so that at most five are open; returns how many.

    None where ``KB_FOLDER_PAGES`` is off.
    """
    if not settings.KB_FOLDER_PAGES:
        return 0
    room = AT_A_TIME - FolderPage.objects.filter(state__in=OPEN).count()
    if room <= 0:
        return 0
    return sum(enqueue(folder_id) for folder_id in due(timezone.now())[:room])
