"""Sample knowledge to try the product with: our own words, Chinese and English."""

from __future__ import annotations

from pathlib import Path

from django.core.files.base import ContentFile
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import folders, upload
from documents.models import Folder
from kbsite.accounts.models import User
from kbsite.quick_setup.models import Setup

SAMPLES = Path(__file__).parent / "sample_documents"


def add_samples(user: User) -> int:
    """File the sample documents in a folder of their own; returns how many. Once only.

    Raises NotAllowed when ``user`` may not add documents.
    """
    setup = Setup.load()
    if setup.samples_at is not None:
        return 0
    folder = _folder(user)
    files = [ContentFile(path.read_bytes(), name=path.name) for path in sorted(SAMPLES.glob("*.md"))]
    receipt = upload.receive(files, user, folder_id=folder.id, on_duplicate="skip")
    setup.samples_at = timezone.now()
    setup.save(update_fields=["samples_at"])
    return len(receipt.files)


def _folder(user: User) -> Folder:
    return folders.create(
        user, name=_("Samples"), description=_("Try the product with these, then delete them.")
    )
