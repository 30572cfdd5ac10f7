"""What each of some skills is tied to, in words: for the card of a dot and for the list."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.exceptions import EmptyResultSet

from skills.graph.fetch import ends_of, rows_of
from skills.graph.scope import Scope
from skills.graph.words import phrase
from skills.querysets import SkillQuerySet

TIES = """
WITH ends AS ({ends}), tied AS (
    SELECT e.id, e.kind, e.type, s.slug, s.name, s.language,
        row_number() OVER (PARTITION BY e.id ORDER BY
            (e.kind = 'link'), (e.type <> 'conflict'), e.type DESC, s.name, s.id) AS n,
        count(*) FILTER (WHERE e.kind = 'relation') OVER (PARTITION BY e.id) AS relations,
        count(*) FILTER (WHERE e.kind = 'link') OVER (PARTITION BY e.id) AS links
    FROM ends e JOIN ({seen}) s ON s.id = e.other
    WHERE e.id = ANY(%s)
)
SELECT id, type, slug, name, language, relations, links FROM tied WHERE n <= %s ORDER BY id, n
"""


@dataclass(frozen=True, slots=True)
class Tie:
    """One edge as a skill sees it: "conflicts with", and whom."""

    phrase: str
    slug: str
    name: str
    language: str
    is_conflict: bool


@dataclass(slots=True)
class Ties:
    """The first edges of a skill, relations before links, and how many there are."""

    shown: list[Tie] = field(default_factory=list)
    relations: int = 0
    links: int = 0

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.relations + self.links - len(self.shown)


def ties_of(
    skill_ids: Sequence[uuid.UUID], seen: SkillQuerySet, scope: Scope, most: int
) -> dict[uuid.UUID, Ties]:
    """The edges of each skill to those in ``seen``, at most ``most`` of each. One statement."""
    found = {skill_id: Ties() for skill_id in skill_ids}
    try:
        visible, values = (
            seen.order_by().values_list("id", "slug", "name", "language").query.sql_with_params()
        )
    except EmptyResultSet:
        return found
    ends, types = ends_of(scope)
    sql = TIES.format(ends=ends, seen=visible)
    rows = rows_of(sql, [*types, *values, list(found), most])
    for skill_id, type_, slug, name, language, relations, links in rows:
        ties = found[skill_id]
        ties.shown.append(Tie(phrase(type_), slug, name, language, type_ == "conflict"))
        ties.relations, ties.links = relations, links
    return found
