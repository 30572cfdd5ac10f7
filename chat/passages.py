"""The sources of an answer, each opened in its place: the passage, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.utils.http import urlencode
from django.utils.safestring import SafeString

from chat.journal import draft_of
from chat.marking import best_span, marked
from chat.models import Citation, Message
from chat.saving import citation_of
from chat.thread import AnswerView
from kbsite.accounts.models import User
from kbsite.markdown import blocks, render
from skills.models import Skill
from skills.paths import paths

AROUND = 400


@dataclass(frozen=True)
class Opened:
    """One source. ``state``: there, changed (its text is not in the skill any more), gone, hidden."""

    n: int
    title: str
    uri: str
    state: str
    is_open: bool
    path: Sequence[str] = ()
    language: str = ""
    heading: str = ""
    page: int | None = None
    level: int = 2
    before: SafeString | str = ""
    passage: SafeString | str = ""
    after: SafeString | str = ""
    url: str = ""
    href: str = ""


@dataclass(frozen=True)
class SourceView:
    """The sources pane of one answer. ``read``: skills that were read and not cited."""

    answer: AnswerView
    sources: Sequence[Opened]
    read: Sequence[Mapping[str, Any]]
    number: int | None


def sources_of(answer: AnswerView, user: User, number: int | None = None) -> SourceView:
    """What ``answer`` cites, as ``user`` may see it now, with source ``number`` opened. Few queries."""
    rows = _cited(answer.message)
    skills = _skills(user, [r["skill_id"] for r in rows if r["skill_id"]])
    ways = paths((s.folder_id for s in skills.values()), user)
    kept = Skill.objects.filter(pk__in=[r["skill_id"] for r in rows if r["skill_id"]], deleted_at=None)
    known = {str(pk) for pk in kept.values_list("pk", flat=True)}
    opened, links = [], answer.links()
    for row in rows:
        skill = skills.get(row["skill_id"] or "")
        is_open = row["n"] == number
        if skill is None:
            state = "hidden" if row["skill_id"] in known else "gone"
            opened.append(
                Opened(row["n"], row["title"] if state == "gone" else "", row["uri"], state, is_open)
            )
            continue
        path, href = [step.name for step in ways[skill.folder_id]], links.get(row["n"], "")
        opened.append(_opened(row, skill, path, is_open, answer.content, href))
    cited = {row["uri"] for row in rows}
    return SourceView(answer, opened, _also_read(answer, user, cited), number)


def _cited(message: Message) -> list[dict[str, Any]]:
    if message.status != Message.Status.STREAMING:
        return [citation_of(row) for row in Citation.objects.filter(message=message)]
    return sorted(draft_of(message.pk).cited.values(), key=lambda row: int(row["n"]))


def _skills(user: User, ids: Sequence[str]) -> dict[str, Skill]:
    rows = Skill.objects.visible_to(user).filter(pk__in=ids)
    return {str(row.pk): row for row in rows}


def _opened(
    row: dict[str, Any], skill: Skill, path: Sequence[str], is_open: bool, answer: str, href: str
) -> Opened:
    passage = row["passage"]
    start, end, state = _where(skill, passage)
    before, after = around(skill.content, start, end) if state == "there" and end else ("", "")
    address = skill_page(skill)
    if row["passage_id"] and state == "there":
        address += f"?{urlencode({'passage': row['passage_id']})}#p-{row['passage_id']}"
    return Opened(
        n=row["n"],
        title=skill.name,
        uri=row["uri"],
        state=state,
        is_open=is_open,
        path=path,
        language=skill.language,
        heading=passage["heading"],
        page=passage["page"],
        level=2 if passage["end"] else 1,
        before=render(before) if is_open else "",
        passage=marked(passage["text"], best_span(passage["text"], answer, row["n"])) if is_open else "",
        after=render(after) if is_open else "",
        url=address,
        href=href,
    )


def skill_page(skill: Skill) -> str:
    """The address of a skill's page."""
    return f"/skills/{quote(skill.slug)}/"


def _where(skill: Skill, passage: Mapping[str, Any]) -> tuple[int, int, str]:
    """Where the passage stands in the skill today."""
    text, start, end = passage["text"], passage["start"], passage["end"]
    if not end:
        return (
            0,
            0,
            "there" if text.strip() in (skill.overview.strip(), skill.abstract.strip()) else "changed",
        )
    if skill.content[start:end] == text:
        return start, end, "there"
    moved = skill.content.find(text)
    return (moved, moved + len(text), "there") if moved >= 0 else (0, 0, "changed")


def around(content: str, start: int, end: int, length: int = AROUND) -> tuple[str, str]:
    """The whole blocks before and after ``content[start:end]``, about ``length`` characters of each."""
    before = blocks(content[max(0, start - 2 * length) : start].lstrip("\n"))
    after = blocks(content[end : end + 2 * length].lstrip("\n"))
    if start > 2 * length:
        before = before[1:]
    if end + 2 * length < len(content):
        after = after[:-1]
    nearest = _up_to(length, before[::-1])[::-1]
    return "".join(nearest).strip("\n"), "".join(_up_to(length, after)).strip("\n")


def _up_to(length: int, parts: Sequence[str]) -> list[str]:
    """The first of ``parts`` that come to ``length`` characters, at least one if there is any."""
    taken: list[str] = []
    for part in parts:
        if taken and sum(map(len, taken)) + len(part) > length:
            break
        taken.append(part)
    return taken


def _also_read(answer: AnswerView, user: User, cited: set[str]) -> list[dict[str, Any]]:
    read = {
        skill["skill_id"]: skill
        for step in answer.step_rows
        for skill in step.get("skills") or ()
        if skill["uri"] not in cited
    }
    visible = _skills(user, list(read))
    return [{"name": s.name, "url": skill_page(s), "language": s.language} for s in visible.values()]
