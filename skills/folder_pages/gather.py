"""What a folder's page is made from: its skills' abstracts and its sub-folders' pages, within bounds."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Left, RowNumber

from documents.models import Folder
from kbsite.llm.offline.sentences import is_chinese
from skills.folder_pages.scope import feeding, open_sub_folders
from skills.models import FolderPage, Skill

MOST_SKILLS = 200
MOST_FOLDERS = 60
FEW = 6  # so few things that their overviews are read too
FACTS_OF_A_FOLDER = 4
SKILLS_OF_A_FOLDER = 3  # of one that has no page yet
START_OF_CONTENT = 600  # characters, where there is no abstract

type Fact = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A skill or a sub-folder that is read. ``skills`` are those whose words are in ``text``."""

    name: str
    text: str
    language: str = ""
    skill: uuid.UUID | None = None
    folder: uuid.UUID | None = None
    facts: list[Fact] = field(default_factory=list)
    skills: tuple[uuid.UUID, ...] = ()

    def source(self) -> Fact:
        """Who says it, as a fact keeps it."""
        return {"skill": _text(self.skill), "folder": _text(self.folder)}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that is read for one page. ``out_of``: how many skills lie in the folder."""

    items: list[Item]
    out_of: int = 0

    @property
    def skill_ids(self) -> list[uuid.UUID]:
        """The skills whose texts were read."""
        return sorted({skill_id for item in self.items for skill_id in item.skills})

    @property
    def folder_ids(self) -> list[uuid.UUID]:
        """The sub-folders that were read."""
        return sorted(item.folder for item in self.items if item.folder)

    @property
    def language(self) -> str:
        """The code of the language that most of it is written in, "zh" or "en" where none is known."""
        weights: Counter[str] = Counter()
        for item in self.items:
            weights[item.language or ("zh" if is_chinese(item.text) else "en")] += min(len(item.text), 500)
        return weights.most_common(1)[0][0] if weights else ""


def gather(folder: Folder) -> Inputs:
    """What the page of ``folder`` is made from. Five queries, however much is in it.

    Of many skills the most used come first; sub-folders in the tree's order. A sub-folder that has
    no page yet is stood for by its first skills.
    """
    skills = feeding(folder)
    out_of = skills.count()
    folders = list(open_sub_folders(folder).select_related("page").order_by("place")[:MOST_FOLDERS])
    few = out_of + len(folders) <= FEW
    found = [_of_skill(skill, few) for skill in _first(skills, few)]
    found += _of_folders(folders)
    return Inputs([item for item in found if item.text], out_of)


def _text(of: uuid.UUID | None) -> str | None:
    return str(of) if of else None


def _first(skills: QuerySet[Skill], few: bool) -> list[Skill]:
    """Most used first, then by priority."""
    wanted = ("pk", "name", "abstract", "language", *(("overview",) if few else ()))
    rows = skills.annotate(start=Left("content", START_OF_CONTENT)).only(*wanted)
    return list(rows.order_by("-active_count", "priority", "name", "id")[:MOST_SKILLS])


def _of_skill(skill: Any, few: bool) -> Item:
    text = skill.abstract or skill.start
    if few and len(skill.overview) > len(text):
        text = _without_name(skill.overview, skill.name)
    return Item(skill.name, text.strip(), skill.language, skill=skill.pk, skills=(skill.pk,))


def _without_name(overview: str, name: str) -> str:
    """``overview`` without a first heading that says the skill's own name again."""
    first, _newline, rest = overview.strip().partition("\n")
    is_name = first.startswith("#") and first.lstrip("# ").strip().casefold() == name.casefold()
    return rest.strip() if is_name else overview


def _of_folders(folders: list[Folder]) -> list[Item]:
    made = {f.pk: f.page for f in folders if hasattr(f, "page") and f.page.abstract}
    standing_in = _standing_in([f.pk for f in folders if f.pk not in made])
    found = []
    for folder in folders:
        if page := made.get(folder.pk):
            found.append(_of_page(folder, page))
        elif skills := standing_in.get(folder.pk):
            text = "\n\n".join(skill.abstract for skill in skills)
            ids = tuple(skill.pk for skill in skills)
            found.append(Item(folder.name, text, skills[0].language, folder=folder.pk, skills=ids))
    return found


def _of_page(folder: Folder, page: FolderPage) -> Item:
    facts = [fact for fact in page.key_facts if fact["text"] not in page.abstract]
    text = "\n\n".join([page.abstract, *(fact["text"] for fact in facts[:FACTS_OF_A_FOLDER])])
    return Item(folder.name, text, page.language, folder=folder.pk, facts=list(page.key_facts))


def _standing_in(folder_ids: list[uuid.UUID]) -> dict[uuid.UUID, list[Skill]]:
    """The first skills that lie directly in each of the folders."""
    if not folder_ids:
        return {}
    place = Window(RowNumber(), partition_by=F("folder"), order_by=["priority", "name", "id"])
    skills = Skill.objects.findable().filter(folder__in=folder_ids).exclude(abstract="")
    rows = skills.exclude(type=Skill.Type.SYSTEM).annotate(nth=place).filter(nth__lte=SKILLS_OF_A_FOLDER)
    found: dict[uuid.UUID, list[Skill]] = {}
    for skill in rows.only("pk", "folder", "name", "abstract", "language").order_by("folder", "nth"):
        found.setdefault(skill.folder_id, []).append(skill)  # type: ignore[arg-type]
    return found
