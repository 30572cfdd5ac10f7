"""Which skills a search may return: the person's rights and what they filtered by, in one queryset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from documents.querysets import hidden_folder_ids
from kbsite.accounts.models import User
from skills.models import Skill, Source
from skills.querysets import SkillQuerySet

# Up to this many skills every one is compared; above, the indexes choose whom to compare.
COMPARE_ALL = 1_000
COMPARE_LAYERS = 10_000


@dataclass(frozen=True)
class Scope:
    """Filters, all of which must hold. ``folder_id`` means the folder and all below it."""

    folder_id: UUID | None = None
    unfiled: bool = False
    document_ids: Sequence[UUID] | None = None
    type: str | None = None
    category: str | None = None
    tags: Sequence[str] = ()
    since: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is filtered."""
        return self == Scope()

    def without(self, *names: str) -> Scope:
        """The same scope with these filters taken away."""
        return replace(self, **{name: getattr(Scope(), name) for name in names})

    def skills(self, user: User) -> SkillQuerySet:
        """The skills that ``user`` may find and that pass the filters."""
        found = Skill.objects.visible_to(user).findable()
        if self.folder_id is not None:
            found = found.under(self.folder_id)
        return found.filter(self._condition())

    def _condition(self) -> Q:
        condition = Q(folder=None) if self.unfiled else Q()
        if self.document_ids is not None:
            rests_on = Source.objects.filter(version__document__in=self.document_ids)
            condition &= Q(pk__in=rests_on.values("skill"))
        if self.type:
            condition &= Q(type=self.type)
        if self.category:
            condition &= Q(category=self.category)
        if self.tags:
            condition &= Q(tags__contains=list(self.tags))
        if self.since is not None:
            condition &= Q(updated_at__gte=self.since)
        return condition


@dataclass(frozen=True)
class Among:
    """The skills to search among, and how many: None when it is nearly all of them."""

    skills: SkillQuerySet
    count: int | None

    @property
    def compare_all(self) -> bool:
        """Whether there are so few that every one is compared."""
        return self.count is not None and self.count <= COMPARE_ALL

    @property
    def compare_layers(self) -> bool:
        """Whether abstracts and overviews are compared one by one rather than through the index."""
        return self.count is not None and self.count <= COMPARE_LAYERS


def among(scope: Scope, user: User) -> Among:
    """The skills of ``scope`` for ``user``; counted, up to 10,001, only when something narrows them."""
    skills = scope.skills(user)
    if scope.is_open and user.narrowed_to is None and not hidden_folder_ids(user):
        return Among(skills, None)
    return Among(skills, skills.order_by()[: COMPARE_LAYERS + 1].count())
