"""Front matter: the YAML at the top of a text, read as fields and never as words of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

LONGEST = 20_000  # characters
MOST_FIELDS = 100
LONGEST_VALUE = 500  # characters of a value that are shown
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
# A rule with words below it is no front matter: that begins with the name of a field.
_FIELD = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[\w\"'][^:\n]{0,80}:(?:\s|\Z)")


class _Loader(yaml.SafeLoader):
    """Plain values only; an alias, which can grow without end, is refused."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


@dataclass(frozen=True)
class Front:
    """What stands at the top of a text, ``length`` characters: ``fields``, or what is ``unread``."""

    fields: dict[str, Any]
    unread: str
    length: int


NOTHING = Front({}, "", 0)


def front_of(text: str) -> Front:
    """The front matter of ``text``; :data:`NOTHING` where it has none.

    Broken YAML, YAML with aliases and more than a hundred fields are ``unread``.
    """
    if not text.startswith(("---", "\ufeff---")):
        return NOTHING
    found = _FRONT.match(text[: LONGEST + 10])
    if not found or not _FIELD.match(found[1]):
        return NOTHING
    fields = _fields(found[1])
    return Front(fields, "" if fields else found[1], found.end())


def _fields(source: str) -> dict[str, Any]:
    try:
        fields = yaml.load(source, _Loader)  # noqa: S506 - a safe loader, narrowed further
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError):
        return {}
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS:
        return {}
    return {str(name): value for name, value in fields.items()}


def shown(value: Any) -> str:
    """A field's value on one line: lists with commas, nothing as ``""``."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        value = ", ".join(shown(one) for one in value[:MOST_FIELDS])
    elif isinstance(value, dict):
        value = ", ".join(f"{name}: {shown(one)}" for name, one in list(value.items())[:MOST_FIELDS])
    elif isinstance(value, bool):
        value = "true" if value else "false"
    text = str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
