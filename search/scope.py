"""Which skills a search may return: the person's rights and what they filtered by, in one queryset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from documents.querysets import folder_ids_inside, hidden_folder_ids
from kbsite.accounts.models import User
from skills.models import Skill, Source
from skills.querysets import SkillQuerySet

# Up to this many skills every one is compared; above, the indexes choose whom to compare.
COMPARE_ALL = 1_000
COMPARE_LAYERS = 10_000


@dataclass(frozen=True)
class Scope:
    """Filters, all of which must hold. Of several folders, types or categories one must.

    System skills hold no knowledge and are left out unless they are among the types asked for.
    ``folder_ids`` mean the folders and all below them; ``unfiled`` adds what is in no folder.
    """

    folder_ids: Sequence[UUID] = ()
    unfiled: bool = False
    document_ids: Sequence[UUID] | None = None
    types: Sequence[str] = ()
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    since: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is filtered."""
        return self == Scope()

    def skills(self, user: User) -> SkillQuerySet:
        """The skills that ``user`` may find and that pass the filters."""
        found = Skill.objects.visible_to(user).findable().filter(self._place() & self._kind())
        return found if Skill.Type.SYSTEM in self.types else found.of_the_team()

    def _place(self) -> Q:
        if not self.folder_ids and not self.unfiled:
            return Q()
        inside = [pk for folder in self.folder_ids for pk in folder_ids_inside(folder)]
        return Q(folder__in=inside) | (Q(folder=None) if self.unfiled else Q(pk__in=[]))

    def _kind(self) -> Q:
        condition = Q()
        if self.document_ids is not None:
            rests_on = Source.objects.filter(version__document__in=self.document_ids)
            condition &= Q(pk__in=rests_on.values("skill"))
        if self.types:
            condition &= Q(type__in=self.types)
        if self.categories:
            condition &= Q(category__in=self.categories)
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
