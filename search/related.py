"""What stands beside the hits: their relations, and documents by title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from documents.models import Document
from kbsite.accounts.models import User
from search.results import Hit
from skills.models import Relation, Skill

MOST_RELATIONS = 10


def relations_of(hits: Sequence[Hit], user: User) -> dict[UUID, list[Relation]]:
    """Up to ten relations of each hit to skills that ``user`` may find. One query, or two."""
    found: dict[UUID, list[Relation]] = defaultdict(list)
    rows = list(Relation.objects.filter(source__in=[hit.skill.pk for hit in hits]).order_by("pk"))
    if not rows:
        return found
    seen = Skill.objects.visible_to(user).findable().filter(pk__in=[row.target_id for row in rows])
    targets = seen.only("slug", "name").in_bulk()
    for row in rows:
        if row.target_id in targets and len(found[row.source_id]) < MOST_RELATIONS:
            row.target = targets[row.target_id]
            found[row.source_id].append(row)
    return found


def documents_named(query: str, user: User, limit: int, folder_id: UUID | None = None) -> list[Document]:
    """Documents that ``user`` may see whose title or file name holds ``query``, letter by letter."""
    if not query.strip():
        return []
    found = Document.objects.visible_to(user)
    if folder_id:
        found = found.under(folder_id)
    named = Q(title__icontains=query.strip()) | Q(filename__icontains=query.strip())
    return list(found.filter(named).order_by("-created_at", "-id")[:limit])
