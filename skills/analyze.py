"""Analyze: the abstract (L0) and the overview (L1) of a text, in its own language."""

from __future__ import annotations

from documents.models import DocumentVersion
from documents.parsers.language import language_of
from kbsite.llm.analyze import write_layers
from kbsite.llm.offline import Layers
from kbsite.prompts.store import render
from skills.models import Skill

__all__ = ["Layers", "layers_of_skill", "layers_of_version"]


def layers_of_version(version: DocumentVersion) -> Layers:
    """L0 and L1 of a document's version: those an earlier attempt wrote, or new ones.

    Raises ModelUnavailable.
    """
    stored = Skill.objects.filter(sources__version=version, deleted_at=None).first()
    if stored and stored.abstract and stored.overview:
        return Layers(stored.abstract, stored.overview)
    return write_layers(version.document.title, version.markdown, version.language, render=render)


def layers_of_skill(skill: Skill) -> Layers:
    """L0 and L1 of a skill's content; sets its language. Raises ModelUnavailable."""
    skill.language = language_of(skill.content)
    return write_layers(skill.name, skill.content, skill.language, render=render)
