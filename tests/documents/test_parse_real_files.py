"""Awkward real files that are not ours to ship: read where they happen to lie beside the repository."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from documents.parsers import parse
from kbsite.exceptions import UnreadableFile

FOLDER = Path(os.environ.get("AWKWARD_FILES") or Path(__file__).parents[3] / "shared" / "files")
NOT_YET = (".csv", ".html", ".xml", ".pptx", ".xlsx", ".xls", ".zip", ".gz", ".rtf")
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((FOLDER / "expect.json").read_text()) if (FOLDER / "expect.json").exists() else {}
)
NAMES = [name for name in EXPECTED if not name.endswith(NOT_YET)]

pytestmark = pytest.mark.skipif(
    not EXPECTED, reason="The awkward files are not here; set AWKWARD_FILES to their folder."
)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_read_as_it_should_be(name: str) -> None:
    expected, data = EXPECTED[name], (FOLDER / name).read_bytes()
    if "refused" in expected:
        with pytest.raises(UnreadableFile) as refused:
            parse(data, name)
        assert refused.value.code in expected["refused"].replace("page images only", "no_text").replace(
            " ", "_"
        )
        return
    text = parse(data, name).markdown
    assert [part for part in expected.get("contains", ()) if part not in text] == []
    assert [part for part in expected.get("absent", ()) if part in text] == []
