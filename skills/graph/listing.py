"""A graph as a list: skills by folder, each with what it is tied to. Says all that the picture says."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from kbsite.accounts.models import User
from kbsite.paging import Slice, shown_page
from skills.graph.fetch import neighbourhood
from skills.graph.scope import LINKS, RELATIONS, Scope, skills_in
from skills.graph.ties import Ties, ties_of
from skills.listing import Filters
from skills.models import Link, Relation, Skill
from skills.order import ordered
from skills.paths import Step, paths
from skills.querysets import SkillQuerySet

ROWS = 50
MOST_TIES = 20


@dataclass(frozen=True)
class Group:
    """The skills of one folder on a page; ``path`` is empty for what lies in none, or in the root folder."""

    path: list[Step]
    is_unfiled: bool
    skills: list[tuple[Skill, Ties]]


def connected(skills: SkillQuerySet, scope: Scope) -> SkillQuerySet:
    """Those of ``skills`` that an edge of the scope joins to another of them."""
    seen = skills.order_by().values("pk")
    here = OuterRef("pk")
    condition = Q()
    if scope.edges in ("", LINKS):
        links = Link.objects.exclude(source=here, target=here)
        condition |= Q(Exists(links.filter(source=here, target__in=seen)))
        condition |= Q(Exists(links.filter(target=here, source__in=seen)))
    if scope.edges != LINKS:
        relations = Relation.objects.all()
        if scope.edges not in ("", RELATIONS):
            both = [scope.edges, {"superset": "subset", "subset": "superset"}.get(scope.edges, scope.edges)]
            relations = relations.filter(type__in=both)
        condition |= Q(Exists(relations.filter(source=here, target__in=seen)))
        condition |= Q(Exists(relations.filter(target=here, source__in=seen)))
    return skills.filter(condition)


def listed(scope: Scope, user: User) -> SkillQuerySet:
    """The skills of a graph, in no order."""
    if scope.skill:
        near = [node.id for node in neighbourhood(scope, user).nodes]
        return skills_in(Scope(), user).filter(pk__in=near)
    skills = skills_in(scope, user)
    return connected(skills, scope) if scope.without_lone else skills


def page_of_list(scope: Scope, user: User, given: Mapping[str, str]) -> tuple[Slice[Skill], list[Group]]:
    """The page that the address asks for, and its skills by folder in the tree's order."""
    seen = listed(scope, user)
    rows, order = ordered(
        seen.defer("content", "overview", "config"),
        "path",
        Filters(folder_id=scope.folder_id, unfiled=scope.unfiled),
    )
    page = shown_page(rows, order, given, size=ROWS)
    ties = ties_of([skill.pk for skill in page.items], seen, scope, MOST_TIES)
    return page, _groups(page.items, ties)


def _groups(skills: Sequence[Skill], ties: Mapping[uuid.UUID, Ties]) -> list[Group]:
    where = paths(skill.folder_id for skill in skills)
    by_folder = itertools.groupby(skills, key=lambda skill: skill.folder_id)
    return [
        Group(where[folder_id], folder_id is None, [(skill, ties[skill.pk]) for skill in some])
        for folder_id, some in by_folder
    ]
