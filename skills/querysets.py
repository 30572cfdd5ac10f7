"""The vocabulary for asking about skills, and the single legs of retrieval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models

from documents.querysets import folder_ids_inside, visible_folders

if TYPE_CHECKING:
    from kbsite.accounts.models import User


class SkillQuerySet(models.QuerySet["Skill"]):
    """Skills."""

    def visible_to(self, user: User) -> Self:
        """The skills ``user`` may see, without the trash; readers only what can be found."""
        seen = self.filter(visible_folders(user), deleted_at=None)
        return seen if user.can_edit else seen.findable()

    def findable(self) -> Self:
        """Those search may return: approved or checked, active, not in the trash."""
        return self.filter(status__in=("approved", "checked"), is_active=True, deleted_at=None)

    def under(self, folder_id: UUID) -> Self:
        """Those in the folder or anywhere below it."""
        return self.filter(folder_id__in=folder_ids_inside(folder_id))


class LayerVectorQuerySet(models.QuerySet["LayerVector"]):
    """Vectors."""


class PassageTermsQuerySet(models.QuerySet["PassageTerms"]):
    """Words."""
