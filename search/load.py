"""Ranked candidates into hits: the skills' texts, where they are, and their best passages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models.functions import Left
from pgvector import HalfVector

from kbsite.accounts.models import User
from search.question import Question
from search.rank import WEIGHTS, Ranked
from search.results import Hit, HitPassage
from search.score import clipped
from skills.models import Skill
from skills.paths import paths

PASSAGES = 3
PREVIEW = 500
# A further passage is given when it is nearly as good as the best one.
NEARLY = 0.6
HEADINGS = re.compile(r"\A(?:\s*#{1,6}[ \t][^\n]*(?:\n|\Z))+\s*")

BEST = """
WITH asked AS MATERIALIZED (SELECT %s::halfvec AS vector, %s::sparsevec AS words),
scored AS (
    SELECT p.id, p.skill_id, p.text, p.heading_path, p.page, p.start, p."end",
        {cosine} AS cosine, coalesce(-(t.weights <#> a.words), 0)::float8 AS bm25
    FROM skills_passage p CROSS JOIN asked a
    LEFT JOIN skills_passageterms t ON t.passage_id = p.id {vectors}
    WHERE p.skill_id = ANY(%s)
), placed AS (
    SELECT *, row_number() OVER (
        PARTITION BY skill_id ORDER BY %s * cosine + %s * bm25 DESC, start
    ) AS place FROM scored
)
SELECT id, skill_id, text, heading_path, page, start, "end", cosine, bm25
FROM placed WHERE place <= %s ORDER BY skill_id, place
"""
COSINE = "coalesce(1 - (v.vector::halfvec({dimension}) <=> a.vector), 0)::float8"
VECTORS = "LEFT JOIN skills_layervector v ON v.passage_id = p.id AND v.space_id = {space} AND v.level = 2"


def _passage_score(question: Question, cosine: float, bm25: float) -> float:
    """A passage's own share of the hybrid sum, as if it were all there is: about 0 to 1."""
    said = question.words_value(bm25)
    if question.meaning is None:
        return said
    slope, start = question.meaning.line
    meant = slope * cosine + start
    return (WEIGHTS.passage * meant + WEIGHTS.words * said) / (WEIGHTS.passage + WEIGHTS.words)


def _best_passages(question: Question, skill_ids: Sequence[UUID]) -> dict[UUID, list[HitPassage]]:
    """Up to three passages of each skill, best first: by meaning and words, as skills are ranked."""
    meaning = question.meaning
    cosine, vectors, vector, slope = "0::float8", "", None, 0.0
    if meaning:
        cosine = COSINE.format(dimension=int(meaning.space.dimension))
        vectors, vector = VECTORS.format(space=int(meaning.space.pk)), HalfVector(meaning.vector).to_text()
        slope = WEIGHTS.passage * meaning.line[0]
    params: list[Any] = [vector, question.terms.sparse.to_text(), list(skill_ids)]
    params += [slope, WEIGHTS.words * question.words_value(1.0), PASSAGES]
    found: dict[UUID, list[HitPassage]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(BEST.format(cosine=cosine, vectors=vectors), params)
        for pk, skill_id, text, heading, page, start, end, cos, bm25 in cursor.fetchall():
            score = _passage_score(question, cos, bm25)
            if not found[skill_id] or score >= NEARLY * found[skill_id][0].score:
                where = " › ".join(heading)
                passage = HitPassage(pk, text, where, page, start, end, score, question.telling)
                found[skill_id].append(passage)
    return found


def _below_headings(text: str) -> str:
    """``text`` without the headings it begins with: they are shown beside it."""
    body = HEADINGS.sub("", text)
    return body or text


def _shown(skill: Skill, layer: int, passages: Sequence[HitPassage]) -> str:
    """The text that matched: the best passage, the overview or the abstract."""
    passage = _below_headings(passages[0].text) if passages else ""
    texts = (skill.abstract, _below_headings(skill.overview), passage)
    return texts[layer] or texts[2] or skill.abstract or skill.description


def load(ranked: Sequence[Ranked], question: Question, user: User) -> list[Hit]:
    """The hits for ``ranked``, in that order, as ``user`` is told of them. No full texts; three queries."""
    ids = [one.candidate.skill_id for one in ranked]
    if not ids:
        return []
    rows = Skill.objects.filter(pk__in=ids).defer("content", "config")
    skills = {skill.pk: skill for skill in rows.annotate(content_preview=Left("content", PREVIEW))}
    places = paths((skill.folder_id for skill in skills.values()), user)
    passages = _best_passages(question, ids)
    hits = []
    for one in ranked:
        skill = skills.get(one.candidate.skill_id)
        if skill is None:
            continue
        best = passages[skill.pk]
        hits.append(
            Hit(
                skill=skill,
                path=places[skill.folder_id],
                score=clipped(one.final),
                scores=one.scores,
                matched_by=one.matched_by,
                layer=one.layer,
                shown=_shown(skill, one.layer, best),
                terms=question.telling,
                passages=best,
                legs=one.legs,
            )
        )
    return hits
