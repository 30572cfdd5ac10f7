"""A system skill as its reader sees it: in their language, where it ships in it."""

from __future__ import annotations

from skills.models import Skill
from skills.system.load import KEY
from skills.system.shipped import in_language

SHOWN = ("name", "description", "abstract", "overview", "content")


def in_readers_language(skill: Skill) -> Skill:
    """``skill``, with the texts of the reader's language if it is one that ships (not to be saved)."""
    if skill.is_editable:
        return skill
    one = in_language(str(skill.config.get(KEY, "")))
    if one is not None:
        for name in SHOWN:
            setattr(skill, name, one.values[name])
        skill.language = one.language.partition("-")[0]
    return skill
