"""The vocabulary for asking about skills, and the single legs of retrieval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from uuid import UUID

import numpy as np
from django.db import models
from django.db.models.functions import Cast
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField, MaxInnerProduct

from documents.querysets import inside, visible_folders
from skills import keys

if TYPE_CHECKING:
    from kbsite.accounts.models import User
    from kbsite.llm.models import EmbeddingSpace
    from skills.models import LayerVector, PassageTerms, Skill  # noqa: F401 - the querysets are theirs
    from skills.terms import QueryTerms

EXACT_ROWS = 10_000


class SkillQuerySet(models.QuerySet["Skill"]):
    """Skills."""

    def visible_to(self, user: User) -> Self:
        """The skills ``user`` may see, without the trash; readers only what can be found."""
        seen = self.filter(visible_folders(user), deleted_at=None)
        return seen if user.can_edit else seen.findable()

    def findable(self) -> Self:
        """Those search may return: approved or checked, active, not in the trash."""
        return self.filter(status__in=("approved", "checked"), is_active=True, deleted_at=None)

    def of_the_team(self) -> Self:
        """Without the system skills, which ship with the product and hold no knowledge of the team."""
        return self.exclude(type="system")

    def held(self) -> Self:
        """These, kept from being changed until the transaction ends: in one order, so that nobody waits
        in a ring. What refers to them can be written meanwhile.
        """
        return self.select_for_update(of=("self",), no_key=True).order_by("pk")

    def under(self, folder_id: UUID) -> Self:
        """Those in the folder or anywhere below it."""
        return self.filter(folder__in=inside(folder_id))


class LayerVectorQuerySet(models.QuerySet["LayerVector"]):
    """Vectors."""

    def nearest_to(
        self,
        space: EmbeddingSpace,
        vector: NDArray[np.float32],
        level: int,
        limit: int,
        *,
        skills: SkillQuerySet | None = None,
        exact: bool | None = None,
    ) -> Self:
        """The ``limit`` vectors of a level nearest to ``vector``, shape (dimension,); nearest first.

        Each row carries ``distance``, 1 − cosine. With ``skills`` only theirs. ``exact`` None
        decides by counting: up to 10,000 rows are compared one by one, more go through the index.
        """
        rows = self.filter(space_id=space.pk, level=level)
        if skills is not None:
            rows = rows.filter(skill__in=skills.order_by().values("pk"))
            if exact is None:
                exact = rows.order_by()[: EXACT_ROWS + 1].count() <= EXACT_ROWS
        indexed = Cast("vector", HalfVectorField(dimensions=space.dimension))
        rows = rows.annotate(distance=CosineDistance(indexed, HalfVector(vector)))
        # An index can only serve the bare distance; adding nothing to it keeps the planner from it.
        order = models.F("distance") + 0 if exact else models.F("distance")
        return rows.order_by(order)[:limit]


class PassageTermsQuerySet(models.QuerySet["PassageTerms"]):
    """Words."""

    def candidates(self, query: QueryTerms, budget: int = keys.BUDGET) -> Self:
        """The passages worth scoring for ``query``: about ``budget``, the best ones among them."""
        chosen = keys.choose(query, budget)
        if chosen.common is not None:
            some = self.filter(keys__overlap=[chosen.common]).values("pk")[: 2 * budget]
            return self.filter(pk__in=some)
        condition = models.Q(keys__overlap=chosen.any_of) if chosen.any_of else models.Q()
        for pair in chosen.pairs:
            condition |= models.Q(keys__contains=list(pair))
        return self.filter(condition) if condition else self.none()

    def matching(
        self, query: QueryTerms, limit: int, *, skills: SkillQuerySet | None = None, budget: int = keys.BUDGET
    ) -> Self:
        """The ``limit`` best passages for ``query`` by exact BM25, best first; each row has ``score``."""
        rows = self.candidates(query, budget)
        if skills is not None:
            rows = rows.filter(skill__in=skills.order_by().values("pk"))
        return rows.scored(query).order_by("-score")[:limit]

    def scored(self, query: QueryTerms) -> Self:
        """With ``score``, the BM25 of each row for ``query``, 0 where no term occurs."""
        return self.annotate(score=-MaxInnerProduct("weights", query.sparse))
