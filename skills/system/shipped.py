"""The files of ``shipped/``: one Markdown file per system skill and language, read once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import frontmatter
from django.conf import settings
from django.utils.translation import get_language

FOLDER = Path(__file__).parent / "shipped"
ENGLISH = "en"
FIELDS = (
    "name",
    "description",
    "category",
    "abstract",
    "overview",
    "tags",
    "trigger_keywords",
    "trigger_intents",
    "always_apply",
    "priority",
)


@dataclass(frozen=True)
class Shipped:
    """One file: the skill's ``key``, its language, and the values of its fields, ``content`` among them."""

    key: str
    language: str
    values: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Changes when anything in the file that counts does."""
        kept = json.dumps([self.language, dict(self.values)], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(kept.encode()).hexdigest()


@cache
def shipped() -> dict[str, dict[str, Shipped]]:
    """All of them, by key and language; each has an English one (``<key>.md``)."""
    found: dict[str, dict[str, Shipped]] = {}
    for path in sorted(FOLDER.glob("*.md")):
        key, _dot, language = path.stem.partition(".")
        found.setdefault(key, {})[language or ENGLISH] = _read(path, key, language or ENGLISH)
    return found


def in_language(key: str, language: str | None = None) -> Shipped | None:
    """The file of that key in a language (the reader's for None), else in English; None for no such key."""
    files = shipped().get(key)
    if files is None:
        return None
    return files.get((language or get_language() or ENGLISH).lower(), files[ENGLISH])


def of_the_site() -> list[Shipped]:
    """All of them in the site's language: what the rows hold."""
    found = (in_language(key, settings.LANGUAGE_CODE) for key in shipped())
    return [one for one in found if one is not None]


def _read(path: Path, key: str, language: str) -> Shipped:
    head, content = frontmatter.parse(path.read_text(encoding="utf-8"))
    values = {name: head.get(name, "" if name == "description" else None) for name in FIELDS}
    values = {name: value.strip() if isinstance(value, str) else value for name, value in values.items()}
    return Shipped(key, language, values | {"content": f"{content.strip()}\n"})
