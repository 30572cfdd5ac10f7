"""What a citation may still tell: access and deletion count from the moment they change."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import prefetch_related_objects

from chat.models import Message
from kbsite.accounts.models import User
from skills.models import Skill


def hide_unseen(messages: Sequence[Message], user: User) -> None:
    """Blank the citations of ``messages`` whose skill ``user`` may not see now, or is deleted.

    Their numbers stay, so that the answer reads as before. In memory only; two queries.
    """
    prefetch_related_objects(list(messages), "citations")
    rows = [row for message in messages for row in message.citations.all()]
    cited = {row.skill_id for row in rows if row.skill_id}
    seen = set(Skill.objects.visible_to(user).filter(pk__in=cited).values_list("pk", flat=True))
    for row in rows:
        if row.skill_id not in seen:
            row.skill_id = row.document_id = row.passage_id = row.page = None
            row.uri = row.title = row.text = row.heading = ""
            row.start = row.end = 0
