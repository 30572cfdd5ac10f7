"""What a skill's page shows besides the skill: its full text, outline, source, relations, history."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from django.core.cache import cache
from django.utils.safestring import SafeString

from documents.models import Document
from kbsite.accounts.models import User
from kbsite.llm import tokens
from kbsite.markdown import Heading, render
from skills.marking import render_marked
from skills.models import Passage, Relation, Revision, Skill, Source
from skills.parts import ALL_AT_ONCE, Part, headings, part_at, parts
from skills.paths import Step, paths

OVERVIEW_IDS, CONTENT_IDS = "l1-", "l2-"
NEWEST_REVISIONS = 5
MOST_RELATIONS = 20
A_DAY = 86_400  # seconds


@dataclass(frozen=True)
class Content:
    """The full text, or the part of it that is shown. ``lost``: the passage is not in it any more."""

    html: SafeString
    part: Part
    parts: list[Part]
    passage: Passage | None = None
    lost: bool = False


def parts_of(skill: Skill) -> list[Part]:
    """The parts of the full text; those of a long one are remembered for its version."""
    if len(skill.content) <= ALL_AT_ONCE:
        return parts(skill.content)
    key = f"skill-parts:{skill.pk}:{skill.version}"
    found: list[Part] | None = cache.get(key)
    if found is None:
        found = parts(skill.content)
        cache.set(key, found, A_DAY)
    return found


def whole(skill: Skill, number: int = 1) -> Content:
    """The full text, or part ``number`` of a long one (the nearest there is)."""
    found = parts_of(skill)
    part = found[min(max(number, 1), len(found)) - 1]
    html = render(part.text(skill.content), heading_prefix=CONTENT_IDS)
    return Content(html, part, found)


def at_passage(skill: Skill, passage_id: uuid.UUID) -> Content:
    """The part of the full text that holds the passage, which is marked.

    A passage that was cut from an older text is looked for by its words.
    """
    passage = Passage.objects.filter(pk=passage_id, skill=skill).first()
    start = _place_of(passage, skill.content) if passage else -1
    if passage is None or start < 0:
        shown = whole(skill)
        return Content(shown.html, shown.part, shown.parts, lost=True)
    found = parts_of(skill)
    part = part_at(found, start)
    shift = len(part.head) - part.start
    html = render_marked(
        part.text(skill.content),
        start + shift,
        min(start + len(passage.text), part.end) + shift,
        mark_id=f"p-{passage.pk}",
        heading_prefix=CONTENT_IDS,
    )
    return Content(html, part, found, passage)


def _place_of(passage: Passage, content: str) -> int:
    if content[passage.start : passage.end] == passage.text:
        return passage.start
    return content.find(passage.text)


@dataclass(frozen=True)
class Page:
    """Everything a skill's page needs, in a fixed number of queries."""

    skill: Skill
    path: list[Step]
    sources: list[Source]
    relations: list[Relation]
    revisions: list[Revision]
    content: Content | None
    overview_headings: list[Heading] = field(default_factory=list)
    content_headings: list[Heading] = field(default_factory=list)
    content_parts: list[Part] = field(default_factory=list)
    abstract_tokens: int = 0
    overview_tokens: int = 0


def page_of(skill: Skill, user: User, content: Content | None) -> Page:
    """The page of ``skill`` for ``user``; ``content`` is None while the full text is closed."""
    found = content.parts if content else parts_of(skill)
    part = content.part if content else found[0]
    shown = part.text(skill.content) if content or len(found) == 1 else ""
    seen = Skill.objects.visible_to(user)
    relations = skill.relations.filter(target__in=seen).select_related("target").order_by("type", "id")
    sources = skill.sources.filter(version__document__in=Document.objects.visible_to(user))
    return Page(
        skill=skill,
        path=paths([skill.folder_id])[skill.folder_id],
        sources=list(sources.select_related("version__document").defer("version__markdown")),
        relations=list(relations[:MOST_RELATIONS]),
        revisions=list(skill.revisions.select_related("author").defer("snapshot")[:NEWEST_REVISIONS]),
        content=content,
        overview_headings=_below(skill.name, headings(skill.overview, OVERVIEW_IDS)),
        content_headings=_below(skill.name, headings(shown, CONTENT_IDS)),
        content_parts=found if len(found) > 1 else [],
        abstract_tokens=tokens.count(skill.abstract),
        overview_tokens=tokens.count(skill.overview),
    )


def _below(name: str, found: list[Heading]) -> list[Heading]:
    """The headings without one that says the skill's own name again."""
    return [heading for heading in found if heading.text.casefold() != name.casefold()]
