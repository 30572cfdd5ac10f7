"""The abstracts of folders' pages, for lists of folders."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from documents.abstracts import tell_with
from documents.querysets import visible_folders
from kbsite.accounts.models import User
from skills.models import FolderPage


def of_folders(folder_ids: Collection[uuid.UUID], user: User) -> dict[uuid.UUID, str]:
    """The abstract of each folder's page that ``user`` may read. One query.

    Whoever is limited to the root folder doesn't read that of the whole base.
    """
    pages = FolderPage.objects.filter(visible_folders(user), folder__in=list(folder_ids)).exclude(abstract="")
    if user.narrowed_to:
        pages = pages.exclude(folder__is_system=True)
    return dict(pages.values_list("folder", "abstract"))


tell_with(of_folders)
