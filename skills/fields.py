"""What people and programs may write into a skill, cleaned and checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from documents.names import without_unseen
from kbsite.exceptions import InvalidInput
from kbsite.text import storable
from skills.models import Skill

LONGEST_NAME = 100
LONGEST_TAG = 60
MOST_TAGS = 50
LONGEST_CONTENT = 20_000_000  # characters
LOWEST, HIGHEST = -2_147_483_648, 2_147_483_647


def _name(value: Any) -> str:
    name = " ".join(storable(str(value)).split())
    if not without_unseen(name).strip():
        raise InvalidInput(_("Give it a name."), field="name")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            _("A name has at most %(most)d characters; this one has %(has)d.")
            % {"most": LONGEST_NAME, "has": len(name)},
            field="name",
        )
    return name


def _content(value: Any) -> str:
    content = storable(str(value)).replace("\r\n", "\n").replace("\r", "\n")
    if not content.strip():
        raise InvalidInput(_("The content is empty. Write what should be found."), field="content")
    if len(content) > LONGEST_CONTENT:
        raise InvalidInput(_("This is too long for one skill. Upload it as a document."), field="content")
    return content


def _text(value: Any) -> str:
    return storable(str(value)).replace("\r\n", "\n").strip()


def _words(longest: int) -> Callable[[Any], list[str]]:
    def clean(value: Iterable[Any]) -> list[str]:
        words = [" ".join(storable(str(word)).split()) for word in value]
        unique = list(dict.fromkeys(word.removeprefix("#").strip() for word in words))
        kept = [word for word in unique if word]
        if len(kept) > MOST_TAGS or any(len(word) > longest for word in kept):
            raise InvalidInput(
                _("At most %(most)d words here, each of at most %(longest)d characters.")
                % {"most": MOST_TAGS, "longest": longest}
            )
        return kept

    return clean


def _category(value: Any) -> str:
    if value not in Skill.Category.values:
        known = ", ".join(Skill.Category.values)
        raise InvalidInput(
            _("There is no category “%(value)s”. Known: %(known)s.") % {"value": value, "known": known}
        )
    return str(value)


def _priority(value: Any) -> int:
    if not LOWEST <= int(value) <= HIGHEST:
        raise InvalidInput(_("This priority is out of range."), field="priority")
    return int(value)


CLEANERS: Mapping[str, Callable[[Any], Any]] = {
    "name": _name,
    "description": _text,
    "category": _category,
    "abstract": _text,
    "overview": _text,
    "content": _content,
    "tags": _words(LONGEST_TAG),
    "trigger_keywords": _words(100),
    "trigger_intents": _words(200),
    "always_apply": bool,
    "priority": _priority,
    "config": dict,
    "is_active": bool,
}


def clean(changes: Mapping[str, Any]) -> dict[str, Any]:
    """``changes`` as they may be stored. Raises InvalidInput with a sentence, and the field.

    Unknown names are a programming error (KeyError); None means “not given”.
    """
    return {name: CLEANERS[name](value) for name, value in changes.items() if value is not None}
