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
from skills.links.back import Mention, linked_from, mentions
from skills.links.show import links_in
from skills.marking import render_marked
from skills.models import Passage, Relation, Revision, Skill, Source
from skills.parts import ALL_AT_ONCE, Part, headings, part_at, parts
from skills.paths import Step, paths
from skills.relations.relate import relations_of
from skills.use import Use, use_of

OVERVIEW_IDS, CONTENT_IDS = "l1-", "l2-"
NEWEST_REVISIONS = 5
NEWEST_MENTIONS = 5
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


def whole(skill: Skill, user: User, number: int = 1) -> Content:
    """The full text, or part ``number`` of a long one (the nearest there is), with the links of ``user``."""
    found = parts_of(skill)
    part = found[min(max(number, 1), len(found)) - 1]
    text = part.text(skill.content)
    html = render(text, heading_prefix=CONTENT_IDS, links=links_in(text, skill, user))
    return Content(html, part, found)


def at_heading(skill: Skill, user: User, name: str) -> Content:
    """The part of the full text with the heading that ``name`` is the id of; the first without one."""
    found = parts_of(skill)
    for part in found:
        ids = headings(part.text(skill.content), "", deepest=6) if len(found) > 1 else []
        if any(heading.id == name for heading in ids):
            return whole(skill, user, part.number)
    return whole(skill, user)


def at_passage(skill: Skill, user: User, passage_id: uuid.UUID | None) -> Content:
    """The part of the full text that holds the passage, which is marked.

    A passage that was cut from an older text is looked for by its words.
    """
    passage = Passage.objects.filter(pk=passage_id, skill=skill).first() if passage_id else None
    start = _place_of(passage, skill.content) if passage else -1
    if passage is None or start < 0:
        shown = whole(skill, user)
        return Content(shown.html, shown.part, shown.parts, lost=True)
    found = parts_of(skill)
    part = part_at(found, start)
    shift = len(part.head) - part.start
    text = part.text(skill.content)
    html = render_marked(
        text,
        start + shift,
        min(start + len(passage.text), part.end) + shift,
        mark_id=f"p-{passage.pk}",
        heading_prefix=CONTENT_IDS,
        links=links_in(text, skill, user),
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
    mentions: list[Mention]
    mention_count: int
    revisions: list[Revision]
    use: Use
    passage_count: int
    content: Content | None
    abstract: SafeString
    overview: SafeString
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
    sources = skill.sources.filter(version__document__in=Document.objects.visible_to(user))
    links = links_in((skill.abstract, skill.overview), skill, user)
    linking = linked_from(skill, user)
    return Page(
        skill=skill,
        path=paths([skill.folder_id])[skill.folder_id],
        sources=list(sources.select_related("version__document").defer("version__markdown")),
        relations=list(relations_of(skill, user)[:MOST_RELATIONS]),
        mentions=mentions(linking[:NEWEST_MENTIONS]),
        mention_count=linking.count(),
        revisions=list(skill.revisions.select_related("author").defer("snapshot")[:NEWEST_REVISIONS]),
        use=use_of(skill),
        passage_count=skill.passages.count(),
        content=content,
        abstract=render(skill.abstract, links=links, prefix="l0-"),
        overview=render(skill.overview, links=links, heading_prefix=OVERVIEW_IDS),
        overview_headings=_below(skill.name, headings(skill.overview, OVERVIEW_IDS)),
        content_headings=_below(skill.name, headings(shown, CONTENT_IDS)),
        content_parts=found if len(found) > 1 else [],
        abstract_tokens=tokens.count(skill.abstract),
        overview_tokens=tokens.count(skill.overview),
    )


def _below(name: str, found: list[Heading]) -> list[Heading]:
    """The headings without one that says the skill's own name again."""
    return [heading for heading in found if heading.text.casefold() != name.casefold()]
