"""Pictures that nothing shows any more are deleted after a week."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from skills.models import Picture

UNUSED_FOR = timedelta(days=7)
AT_ONCE = 200

# Skills that a machine wrote and drafts know pictures by their address alone.
SHOWN = """
SELECT EXISTS (SELECT 1 FROM skills_draft WHERE values::text LIKE %(like)s)
    OR EXISTS (SELECT 1 FROM skills_skill WHERE concat(abstract, overview, content) LIKE %(like)s)
    OR EXISTS (SELECT 1 FROM skills_revision WHERE snapshot::text LIKE %(like)s)
"""


def put_away(now: datetime | None = None) -> int:
    """Delete pictures older than a week that no skill, draft or revision shows; returns how many.

    A few at a time; the clock comes back for the rest.
    """
    before = (now or timezone.now()) - UNUSED_FOR
    unused = Picture.objects.filter(skills=None, created_at__lt=before).order_by("created_at", "pk")
    gone = 0
    for picture in unused[:AT_ONCE]:
        with connection.cursor() as cursor:
            cursor.execute(SHOWN, {"like": f"%/pictures/{picture.pk}/%"})
            (is_shown,) = cursor.fetchone()
        if not is_shown:
            picture.file.delete(save=False)
            picture.delete()
            gone += 1
    return gone
