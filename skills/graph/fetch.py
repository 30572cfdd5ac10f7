"""The nodes and edges of a graph, in a fixed number of statements however large the base is.

A relation is written both ways and drawn once; several links from one skill to another are one edge.
An edge is there only when both its ends are: what one may not see leaves no trace, not in a count.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db import connection

from kbsite.accounts.models import User
from skills.graph.scope import LINKS, RELATIONS, Scope, skills_in
from skills.querysets import SkillQuerySet

MOST_NODES = 2_000
MOST_NEAR = 150
MOST_EDGES = 10_000
A_MINUTE = 60  # seconds
RELATION, LINK = "relation", "link"
INVERSE = {"superset": "subset"}  # said from the part, whichever end it was written at
COLUMNS = ("id", "slug", "name", "folder_id", "active_count", "priority", "status", "is_active")

# Every relation as both its ends see it: written once each way, or (by mistake) only one way.
RELATION_ENDS = """
SELECT source_id AS id, target_id AS other, 'relation' AS kind, type FROM skills_relation
UNION
SELECT target_id, source_id, 'relation',
       CASE type WHEN 'subset' THEN 'superset' WHEN 'superset' THEN 'subset' ELSE type END
FROM skills_relation
"""
LINK_ENDS = """
SELECT source_id AS id, target_id AS other, 'link' AS kind, 'out' AS type
FROM skills_link WHERE target_id <> source_id
UNION
SELECT target_id, source_id, 'link', 'in' FROM skills_link WHERE target_id <> source_id
"""
# How much hangs on each skill: a relation, which is written twice, weighs as much as a link.
RANKED = """
WITH seen AS MATERIALIZED ({seen}), degree AS (
    SELECT e.id, sum(weight) AS weight FROM ({ends}) e
    WHERE e.id IN (SELECT id FROM seen) AND e.other IN (SELECT id FROM seen) GROUP BY e.id
)
SELECT s.id, count(*) OVER () FROM seen s {join} degree d ON d.id = s.id
ORDER BY coalesce(d.weight, 0) DESC, s.active_count DESC, s.id
LIMIT %s
"""
RELATION_WEIGHTS = """
SELECT source_id AS id, target_id AS other, 1 AS weight FROM skills_relation {where}
UNION ALL SELECT target_id, source_id, 1 FROM skills_relation {where}
"""
LINK_WEIGHTS = """
SELECT source_id AS id, target_id AS other, 2 AS weight FROM skills_link WHERE target_id <> source_id
UNION ALL SELECT target_id, source_id, 2 FROM skills_link WHERE target_id <> source_id
"""
# Conflicts first: they are what somebody has to look at.
EDGES = """
SELECT * FROM (
    SELECT source_id, target_id, 'relation' AS kind, type FROM skills_relation
    WHERE source_id = ANY(%s) AND target_id = ANY(%s)
    UNION ALL
    SELECT DISTINCT source_id, target_id, 'link', '' FROM skills_link
    WHERE source_id = ANY(%s) AND target_id = ANY(%s) AND source_id <> target_id
) e
ORDER BY kind DESC, (type <> 'conflict'), source_id, target_id, type
LIMIT %s
"""
NEAR = """
WITH ends AS ({ends})
SELECT e.id, e.other, e.kind, e.type FROM ends e
JOIN ({seen}) s ON s.id = e.other
WHERE e.id = ANY(%s)
ORDER BY (e.kind = 'link'), (e.type <> 'conflict'), e.type, s.active_count DESC, e.other
LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Node:
    """A skill in a graph. ``relations`` and ``links`` count its edges within the scope."""

    id: uuid.UUID
    slug: str
    name: str
    folder_id: uuid.UUID | None
    uses: int
    priority: int
    is_findable: bool
    relations: int = 0
    links: int = 0

    @property
    def degree(self) -> int:
        """How many edges it has."""
        return self.relations + self.links


@dataclass(frozen=True, slots=True)
class Edge:
    """From one node to another, by their places in the list. Relations between equals have no direction."""

    source: int
    target: int
    kind: str
    type: str

    @property
    def is_directed(self) -> bool:
        """Whether it matters which end is which: links, and being a part of something."""
        return self.kind == LINK or self.type == "subset"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes, the first the most linked or the centre, and what joins them.

    ``total`` counts all skills of the scope. ``steps`` says for each node of a neighbourhood how far
    from the centre it is.
    """

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    total: int = 0
    has_all_edges: bool = True
    steps: list[int] = field(default_factory=list)

    @property
    def is_truncated(self) -> bool:
        """Whether there are more skills than nodes."""
        return self.total > len(self.nodes)


def ends_of(scope: Scope) -> tuple[str, list[str]]:
    """A SELECT of every edge the scope asks for, from both its ends: id, other, kind, type; its values."""
    if scope.edges == LINKS:
        return LINK_ENDS, []
    if wanted := scope.relation_type:
        one_type = f"SELECT * FROM ({RELATION_ENDS}) r WHERE type IN (%s, %s)"  # noqa: S608 - constants
        return one_type, _both(wanted)
    if scope.edges == RELATIONS:
        return RELATION_ENDS, []
    return f"({RELATION_ENDS}) UNION ALL ({LINK_ENDS})", []


def _both(type_: str) -> list[str]:
    """A type and its inverse."""
    return [type_, {"superset": "subset", "subset": "superset"}.get(type_, type_)]


def rows_of(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """What a statement answers."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def _ranked(scope: Scope, skills: SkillQuerySet, limit: int) -> tuple[list[uuid.UUID], int]:
    """The ids of the most linked, then most used, of many skills, and how many there are.

    Kept for a minute: what one may see is in the question, so nobody gets another one's answer.
    """
    seen, values = skills.values_list("id", "active_count").query.sql_with_params()
    where, types = "", []
    if wanted := scope.relation_type:
        where, types = "WHERE type IN (%s, %s)", [*_both(wanted), *_both(wanted)]
    relations = RELATION_WEIGHTS.format(where=where)
    parts = [] if scope.edges == LINKS else [relations]
    parts += [LINK_WEIGHTS] if scope.edges in ("", LINKS) else []
    join = "JOIN" if scope.without_lone else "LEFT JOIN"
    sql = RANKED.format(seen=seen, ends=" UNION ALL ".join(parts), join=join)
    params = [*values, *types, limit]
    key = "graph-rank:" + hashlib.sha256(repr((sql, params)).encode()).hexdigest()
    found: tuple[list[uuid.UUID], int] | None = cache.get(key)
    if found is None:
        rows = rows_of(sql, params)
        found = [row[0] for row in rows], rows[0][1] if rows else 0
        cache.set(key, found, A_MINUTE)
    return found


def _nodes(scope: Scope, skills: SkillQuerySet, limit: int) -> tuple[list[Node], int]:
    """The skills to draw, without their edges, and how many there are to choose from."""
    rows = list(skills.values_list(*COLUMNS)[: limit + 1])
    total = len(rows)
    if total > limit:
        ids, total = _ranked(scope, skills, limit)
        place = {id_: n for n, id_ in enumerate(ids)}
        rows = sorted(skills.filter(pk__in=ids).values_list(*COLUMNS), key=lambda row: place[row[0]])
    return [_node(row) for row in rows], total


def _node(row: tuple[Any, ...]) -> Node:
    id_, slug, name, folder_id, uses, priority, status, is_active = row
    found = is_active and status in ("approved", "checked")
    return Node(id_, slug, name, folder_id, uses, priority, found)


def _counted(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[Node]:
    """The nodes with how many edges each has."""
    relations, links = Counter[int](), Counter[int]()
    for edge in edges:
        (relations if edge.kind == RELATION else links).update((edge.source, edge.target))
    return [replace(node, relations=relations[n], links=links[n]) for n, node in enumerate(nodes)]


def _sorted(nodes: list[Node], edges: list[Edge], *, without_lone: bool) -> tuple[list[Node], list[Edge]]:
    """The most linked first, then the most used, then the oldest; the edges say the new places."""
    kept = [n for n, node in enumerate(nodes) if node.degree or not without_lone]
    kept.sort(key=lambda n: (-nodes[n].degree, -nodes[n].uses, nodes[n].id))
    place = {old: new for new, old in enumerate(kept)}
    moved = fold((place[e.source], place[e.target], e.kind, e.type) for e in edges)
    return [nodes[n] for n in kept], moved


def _edges(scope: Scope, nodes: Sequence[Node], limit: int) -> tuple[list[Edge], bool]:
    place = {node.id: n for n, node in enumerate(nodes)}
    ids = list(place)
    rows = rows_of(EDGES, [ids, ids, ids, ids, 2 * limit + 1])
    edges = fold((place[source], place[target], kind, type_) for source, target, kind, type_ in rows)
    wanted = [edge for edge in edges if _is_wanted(edge, scope)]
    return wanted[:limit], len(wanted) <= limit and len(rows) <= 2 * limit


def _is_wanted(edge: Edge, scope: Scope) -> bool:
    if wanted := scope.relation_type:
        return edge.kind == RELATION and edge.type == INVERSE.get(wanted, wanted)
    return scope.edges in ("", {RELATION: RELATIONS, LINK: LINKS}[edge.kind])


def fold(rows: Iterable[tuple[int, int, str, str]]) -> list[Edge]:
    """Each relation once, though it is written both ways; "contains" is "part of" turned round."""
    found: dict[Edge, None] = {}
    for source, target, kind, type_ in rows:
        if type_ in INVERSE:
            source, target, type_ = target, source, INVERSE[type_]
        elif kind == RELATION and type_ != "subset":
            source, target = min(source, target), max(source, target)
        found[Edge(source, target, kind, type_)] = None
    return list(found)


def graph_of(scope: Scope, user: User, limit: int = MOST_NODES) -> Graph:
    """The whole scope, or its ``limit`` most linked, then most used, skills. Two statements, or four."""
    found, total = _nodes(scope, skills_in(scope, user), limit)
    edges, complete = _edges(scope, found, MOST_EDGES) if found else ([], True)
    truncated = total > len(found)
    nodes, edges = _sorted(_counted(found, edges), edges, without_lone=scope.without_lone and not truncated)
    return Graph(nodes, edges, total if truncated else len(nodes), complete)


def neighbourhood(scope: Scope, user: User, limit: int = MOST_NEAR) -> Graph:
    """The skill ``scope.skill`` and those up to ``scope.depth`` edges away, the centre first.

    Empty when there is no such skill, or ``user`` may not see it. Nearer ones, then conflicts, other
    relations and links come first when there are more than ``limit``.
    """
    everyone = skills_in(Scope(), user)
    centre = everyone.filter(slug=scope.skill).values_list("id", flat=True).first()
    if centre is None:
        return Graph()
    steps = _steps(scope, skills_in(scope, user), centre, limit)
    near = {skill_id: place for place, skill_id in enumerate(list(steps)[:limit])}
    found, _total = _nodes(scope, everyone.filter(pk__in=near), limit)
    found.sort(key=lambda node: near[node.id])
    edges, complete = _edges(scope, found, MOST_EDGES)
    nodes = _counted(found, edges)
    return Graph(nodes, edges, len(steps), complete, [steps[node.id] for node in nodes])


def _steps(scope: Scope, skills: SkillQuerySet, centre: uuid.UUID, limit: int) -> dict[uuid.UUID, int]:
    """How far from the centre each skill is, nearest first; stops soon after ``limit``."""
    steps = {centre: 0}
    ends, types = ends_of(scope)
    frontier = [centre]
    for step in range(1, scope.depth + 1):
        try:
            seen, values = skills.values_list("id", "active_count").query.sql_with_params()
        except EmptyResultSet:
            break
        sql = NEAR.format(ends=ends, seen=seen)
        rows = rows_of(sql, [*types, *values, frontier, 20 * limit])
        frontier = [other for other in dict.fromkeys(row[1] for row in rows) if other not in steps]
        steps |= dict.fromkeys(frontier, step)
        if not frontier or len(steps) > limit:
            break
    return steps
