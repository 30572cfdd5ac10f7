"""Settings that would break indexing are refused before anything starts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

# The built-in embedder reads 512 tokens: a passage, its name and its headings have to fit.
PASSAGE_TOKENS = range(20, 401)
WINDOW_TOKENS = range(100, 511)


@register
def sizes_make_sense(**kwargs: Any) -> list[Error]:
    """An error for each size, in tokens, that is out of its range."""
    found = []
    for name, allowed in (("KB_PASSAGE_TOKENS", PASSAGE_TOKENS), ("KB_WINDOW_TOKENS", WINDOW_TOKENS)):
        if (value := getattr(settings, name)) not in allowed:
            hint = f"Set {name} to a number from {allowed.start} to {allowed.stop - 1}."
            found.append(Error(f"{name} is {value}.", hint=hint, id="skills.E001"))
    return found
