"""Prompt templates: ``{name}`` is a variable, ``{{`` and ``}}`` are braces; nothing else is special.

No attributes, no indexes, no formats: a template can reach nothing but the text it is given, and what
is put in is never read as a template again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from django.utils.translation import gettext as _

from kbsite.exceptions import InvalidInput

_PART = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")


def variables(template: str) -> set[str]:
    """The names used in ``template``. Raises InvalidInput, with the line, at a brace that stands alone."""
    found = set()
    for part in _PART.finditer(template):
        if part.group(1):
            found.add(part.group(1))
        elif part.group(0) in "{}":
            line = template.count("\n", 0, part.start()) + 1
            sentence = _(
                "Line %(line)s: a single %(brace)s. Write %(brace)s%(brace)s for the character itself."
            )
            raise InvalidInput(sentence % {"line": line, "brace": part.group(0)}, code="broken_template")
    return found


def filled(template: str, values: Mapping[str, str]) -> str:
    """``template`` with its variables replaced. Raises KeyError for one that is not in ``values``."""

    def put(part: re.Match[str]) -> str:
        return values[part.group(1)] if part.group(1) else part.group(0)[0]

    return _PART.sub(put, template)


def check(template: str, declared: Collection[str]) -> None:
    """Raise InvalidInput unless ``template`` uses every declared variable and no other."""
    if not template.strip():
        raise InvalidInput(
            _("A prompt can't be empty. Use “Reset” to get the shipped one back."), code="empty"
        )
    used = variables(template)
    if unknown := sorted(used - set(declared)):
        raise InvalidInput(
            _("There is no variable %(names)s here.") % {"names": _listed(unknown)}, code="unknown_variable"
        )
    if missing := sorted(set(declared) - used):
        raise InvalidInput(
            _("The prompt needs %(names)s; without it the text never reaches the model.")
            % {"names": _listed(missing)},
            code="missing_variable",
        )


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
