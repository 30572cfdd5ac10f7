"""The prompts that come with the product: one Markdown file each in ``shipped/``, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import frontmatter
from django.utils.translation import get_language

FOLDER = Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class Words:
    """A short text in each language of the interface; as a string, in the reader's."""

    by_language: Mapping[str, str]

    def __str__(self) -> str:
        return self.by_language.get(get_language() or "en") or self.by_language["en"]


@dataclass(frozen=True)
class Shipped:
    """A prompt as it ships. ``variables`` says what each one holds."""

    key: str
    name: Words
    description: Words
    category: str
    variables: Mapping[str, Words]
    content: str


@cache
def shipped() -> dict[str, Shipped]:
    """All of them, by key, in the order of their categories and names."""
    found = [_read(path) for path in FOLDER.glob("*.md")]
    return {prompt.key: prompt for prompt in sorted(found, key=lambda p: (p.category, p.key))}


def _read(path: Path) -> Shipped:
    head, content = frontmatter.parse(path.read_text(encoding="utf-8"))
    about: dict[str, Any] = dict(head)
    return Shipped(
        key=path.stem,
        name=Words(about["name"]),
        description=Words(about["description"]),
        category=about["category"],
        variables={name: Words(words) for name, words in about["variables"].items()},
        content=content.strip(),
    )
