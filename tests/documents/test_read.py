"""What a file says of itself is kept, whatever characters it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from documents import runs
from documents.read import read
from documents.upload import receive
from kbsite.accounts.models import User

pytestmark = pytest.mark.django_db
FRONT = """---
title: "Plan\\0 A"
"key\\0": .nan
limit: .inf
tags: ["a\\0b"]
---
Words.
"""


def test_front_matter_that_no_row_can_hold_as_it_is(
    bob: User, file: Callable[..., SimpleUploadedFile], sent: list[tuple[str, Any]]
) -> None:
    run = receive([file("a.md", FRONT)], bob).files[0].run
    assert run is not None
    claimed = runs.claim(run.pk)
    assert claimed is not None
    version = read(claimed)
    version.refresh_from_db()
    version.document.refresh_from_db()
    assert version.document.title == "Plan A"
    assert version.document.tags == ["ab"]
    assert version.metadata["limit"] == "inf"
