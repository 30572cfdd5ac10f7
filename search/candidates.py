"""One statement that finds the skills worth ranking and scores each of them exactly on every leg."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from pgvector import HalfVector

from search.question import Meaning, Question
from search.scope import Among
from skills.models import LayerVector, PassageTerms

NEAREST = {LayerVector.Level.ABSTRACT: 40, LayerVector.Level.OVERVIEW: 40, LayerVector.Level.PASSAGE: 60}
MOST_WORDED = 60


class Candidate(NamedTuple):
    """A skill and its scores: cosines per layer (None without vectors), BM25 of its best passage.

    ``named`` says that one passage holds every code the query consists of.
    """

    skill_id: UUID
    name: str
    type: str
    category: str
    folder_id: UUID | None
    active_count: int
    updated_at: datetime
    l0: float | None
    l1: float | None
    passage: float | None
    bm25: float
    named: bool


# The statement's parts. Only numbers of ours are put in by name; all else are parameters.
ASKED = "asked AS MATERIALIZED (SELECT %s::halfvec AS vector, %s::sparsevec AS words)"
NEAR = """near{level} AS MATERIALIZED (
    SELECT v.skill_id FROM skills_layervector v
    WHERE v.space_id = {space} AND v.level = {level} AND v.skill_id IN ({allowed})
    ORDER BY (v.vector::halfvec({dimension}) <=> (SELECT vector FROM asked)){exactly} LIMIT {limit}
)"""
SCORED = "scored(skill_id, bm25) AS MATERIALIZED ({candidates})"
# Sorted first, so that rights are looked up for the best ones only.
WORDED = """worded AS MATERIALIZED (
    SELECT skill_id FROM (SELECT * FROM scored ORDER BY bm25 DESC) best
    WHERE skill_id IN ({allowed}) ORDER BY bm25 DESC LIMIT {limit}
)"""
POOL = "pool(skill_id) AS MATERIALIZED (SELECT DISTINCT * FROM ({legs}) every_leg)"
MEANT = """meant AS (
    SELECT v.skill_id,
        max(1 - (v.vector::halfvec({dimension}) <=> a.vector)) FILTER (WHERE v.level = 0) AS l0,
        max(1 - (v.vector::halfvec({dimension}) <=> a.vector)) FILTER (WHERE v.level = 1) AS l1,
        max(1 - (v.vector::halfvec({dimension}) <=> a.vector)) FILTER (WHERE v.level = 2) AS passage
    FROM pool p JOIN skills_layervector v ON v.skill_id = p.skill_id CROSS JOIN asked a
    WHERE v.space_id = {space} GROUP BY v.skill_id
)"""
SAID = """said AS (
    SELECT t.skill_id, max(-(t.weights <#> a.words)) AS bm25, bool_or({named}) AS named
    FROM pool p JOIN skills_passageterms t ON t.skill_id = p.skill_id CROSS JOIN asked a
    GROUP BY t.skill_id
)"""
ANSWER = """
SELECT s.id, s.name, s.type, s.category, s.folder_id, s.active_count, s.updated_at,
    {l0}, {l1}, {passage}, coalesce(said.bm25, 0)::float8, coalesce(said.named, false)
FROM pool p JOIN skills_skill s ON s.id = p.skill_id {meant} LEFT JOIN said ON said.skill_id = s.id
"""


class _Statement:
    """CTEs and their parameters, in order."""

    def __init__(self, question: Question, among: Among) -> None:
        self.question = question
        self.allowed, self.rights = among.skills.order_by().values("pk").query.sql_with_params()
        self.parts = [ASKED]
        vector = HalfVector(question.meaning.vector).to_text() if question.meaning else None
        self.params: list[Any] = [vector, question.terms.sparse.to_text()]
        self.legs: list[str] = []

    def near(self, meaning: Meaning, level: int, limit: int, *, exact: bool) -> None:
        self.parts.append(
            NEAR.format(
                level=int(level),
                space=int(meaning.space.pk),
                dimension=int(meaning.space.dimension),
                allowed=self.allowed,
                # Only a bare distance can be served by the index.
                exactly=" + 0" if exact else "",
                limit=int(limit),
            )
        )
        self.params += self.rights
        self.legs.append("TABLE near" + str(int(level)))

    def worded(self) -> None:
        terms = self.question.terms
        scored = PassageTerms.objects.candidates(terms).scored(terms)
        try:
            rows = scored.values_list("skill_id", "score")  # type: ignore[misc]  # score is annotated
            sql, params = rows.query.sql_with_params()
        except EmptyResultSet:
            return
        self.parts.append(SCORED.format(candidates=sql))
        self.parts.append(WORDED.format(allowed=self.allowed, limit=MOST_WORDED))
        self.params += [*params, *self.rights]
        self.legs.append("TABLE worded")

    def everything(self) -> None:
        self.legs.append(self.allowed)
        self.params += self.rights

    def run(self) -> list[Candidate]:
        if not self.legs:
            return []
        meaning, names = self.question.meaning, self.question.terms.names
        self.parts.append(POOL.format(legs=" UNION ALL ".join(self.legs)))
        numbers = {"space": meaning.space.pk, "dimension": meaning.space.dimension} if meaning else {}
        if meaning:
            self.parts.append(MEANT.format(**numbers))
        self.parts.append(SAID.format(named="t.keys @> %s" if names else "false"))
        self.params += [list(names)] if names else []
        columns = {leg: f"meant.{leg}::float8" if meaning else "NULL" for leg in ("l0", "l1", "passage")}
        join = "LEFT JOIN meant ON meant.skill_id = s.id" if meaning else ""
        sql = "WITH " + ", ".join(self.parts) + ANSWER.format(**columns, meant=join)
        with connection.cursor() as cursor:
            cursor.execute(sql, self.params)
            return list(map(Candidate._make, cursor.fetchall()))


def gather(question: Question, among: Among) -> list[Candidate]:
    """The candidates for ``question`` among the skills one may find, in no order.

    Through the indexes the best 40 by abstract, 40 by overview, 60 passages by meaning and 60 by
    words; all of them where there are few. Each is scored exactly on every leg, however it came.
    """
    try:
        statement = _Statement(question, among)
    except EmptyResultSet:
        return []
    if among.compare_all:
        statement.everything()
        return statement.run()
    if question.meaning:
        for level, limit in NEAREST.items():
            exact = among.compare_layers and level != LayerVector.Level.PASSAGE
            statement.near(question.meaning, level, limit, exact=exact)
    statement.worded()
    return statement.run()


def nearest_abstracts(question: Question, among: Among, limit: int) -> list[Candidate]:
    """The ``limit`` skills whose abstracts are nearest to ``question`` (the layered mode's candidates)."""
    if question.meaning is None:
        return []
    try:
        statement = _Statement(question, among)
    except EmptyResultSet:
        return []
    statement.near(question.meaning, LayerVector.Level.ABSTRACT, limit, exact=among.compare_layers)
    return statement.run()
