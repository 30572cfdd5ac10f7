"""Text in rows: one sanitiser at every write edge, and sentences said again in the reader's language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext, override

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BLANK_AFTER_CHINESE = re.compile("(?<=[。！？；，：、]) ")


def storable(text: str) -> str:
    """``text`` without NUL and lone surrogates, which PostgreSQL refuses; the rest is kept."""
    return _UNSTORABLE.sub("", text)


def folded(text: str) -> str:
    """``text`` for comparing names: width, case and blanks make no difference."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def in_a_row(sentences: Iterable[str]) -> str:
    """Sentences one after the other, empty ones left out: a blank between, none after a Chinese full stop."""
    return _BLANK_AFTER_CHINESE.sub("", " ".join(filter(None, sentences)))


@cache
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"%\\\((\w+)\\\)[sd]", r"(?P<\1>.+)", re.escape(form)), re.DOTALL)


def said_again(text: str, forms: Iterable[str | Promise] = ()) -> str:
    """A sentence that was kept in English, in the reader's language.

    ``forms`` are those with places to fill (``%(name)s``) that it may have been made from. One that
    is in no catalogue stays as it is.
    """
    with override("en"):
        english = [str(form) for form in forms]
    for form in english:
        if filled := _pattern(form).fullmatch(text):
            # A place for a number takes its digits as they are.
            return re.sub(r"(%\(\w+\))d", r"\1s", gettext(form)) % filled.groupdict()
    return gettext(text) if text else ""
