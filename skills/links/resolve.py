"""What a name or an address in a text means."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db.models import Q

from documents.models import Document
from kbsite.accounts.models import User
from kbsite.sent import as_id
from skills.models import FormerName, Skill

SKILLS, KNOWLEDGE, DOCUMENTS = "sk://skills/", "sk://knowledge/", "sk://documents/"
LAST = 2_147_483_647  # unfiled skills come after every folder
LEAN = (
    *("id", "slug", "name", "name_key", "priority", "merged_into"),
    *("folder__place", "folder__name", "folder__is_system"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What keys mean: skills by key, and documents by key. A key may be in neither."""

    skills: dict[str, Skill] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)


def resolve(keys: Collection[str], folder_id: uuid.UUID | None = None, user: User | None = None) -> Found:
    """What ``keys`` mean in a text that lies in ``folder_id``; for ``user`` only what they may see.

    A name means the skill of that name, else one that had it, else the skill of that slug or id.
    Of several, one in the same folder, else the first in list order. At most three queries.
    """
    files = [key for key in keys if key.startswith(DOCUMENTS)]
    others = [key for key in keys if not key.startswith(DOCUMENTS)]
    return Found(_skills(others, folder_id, user), _documents(files, user))


def _skills(keys: list[str], folder_id: uuid.UUID | None, user: User | None) -> dict[str, Skill]:
    if not keys:
        return {}
    bare = {key: key.removeprefix(SKILLS).removeprefix(KNOWLEDGE) for key in keys}
    names = [key for key in keys if bare[key] == key]
    former = defaultdict(list)
    for key, skill_id in FormerName.objects.filter(key__in=names).values_list("key", "skill_id"):
        former[key].append(skill_id)
    ids = {found for word in bare.values() if (found := as_id(word))}
    ids.update(skill_id for had in former.values() for skill_id in had)
    seen = Skill.objects.visible_to(user) if user else Skill.objects.filter(deleted_at=None)
    wanted = seen.filter(Q(name_key__in=names) | Q(slug__in=list(bare.values())) | Q(pk__in=ids))
    rows = sorted(wanted.select_related("folder").only(*LEAN), key=lambda skill: _rank(skill, folder_id))
    by_id = {skill.pk: skill for skill in rows}
    by_slug = {skill.slug: skill for skill in rows}
    # The name of what was merged means the skill it was merged into.
    by_name = {skill.name_key: skill for skill in reversed(rows) if skill.merged_into_id is None}
    meant: dict[str, Skill] = {}
    for key, word in bare.items():
        had_it = (skill for skill in rows if skill.pk in former[key]) if key in former else iter(())
        word_id = as_id(word)
        one = (by_name.get(key) if key == word else None) or next(had_it, None) or by_slug.get(word)
        if one := one or (by_id.get(word_id) if word_id else None):
            meant[key] = one
    return meant


def _rank(skill: Skill, folder_id: uuid.UUID | None) -> tuple[bool, int, int, str, str]:
    """Same folder first, then list order."""
    place = skill.folder.place if skill.folder else LAST
    return skill.folder_id != folder_id, place, skill.priority, skill.name, str(skill.pk)


def _documents(keys: Iterable[str], user: User | None) -> dict[str, Document]:
    ids = {key: found for key in keys if (found := as_id(key.removeprefix(DOCUMENTS)))}
    if not ids:
        return {}
    seen = Document.objects.visible_to(user) if user else Document.objects.filter(deleted_at=None)
    rows = seen.filter(pk__in=ids.values()).only("id", "title", "filename").in_bulk()
    return {key: rows[document_id] for key, document_id in ids.items() if document_id in rows}
