"""What a folder's page shows. Index, log and conflicts are asked for live; only the text is made."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.folders import path
from documents.models import Document, Folder
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.keyset import Order
from kbsite.markdown import Heading, outline
from skills.folder_pages.scope import directly_in, inside, sub_folders
from skills.models import FolderPage, Relation, Skill, Source

OVERVIEW_IDS = "l1-"
MOST_FOLDERS = 100
MOST_CONFLICTS = 20
NEWEST_DOCUMENTS = 5
ORDERS: dict[str, tuple[str, ...]] = {"order": ("priority", "name", "id"), "updated": ("-updated_at", "-id")}


@dataclass(frozen=True, slots=True)
class KeyFact:
    """A fact with who says it: a skill or a sub-folder that the reader may see."""

    text: str
    skill: Skill | None = None
    folder: Folder | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """The part of a page that is made. Empty when there is none, or it may not be shown."""

    abstract: str = ""
    facts: tuple[KeyFact, ...] = ()
    overview: str = ""


@dataclass(frozen=True, slots=True)
class SubFolder:
    """A folder below, with the abstract of its page and how many skills are in it and below."""

    folder: Folder
    abstract: str
    skills: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two skills that contradict each other, at least one of them in the folder or below it."""

    one: Skill
    other: Skill
    reason: str


@dataclass(frozen=True)
class View:
    """Everything the page of ``folder`` shows besides index and log."""

    folder: Folder
    name: str
    path: list[Folder]
    page: FolderPage
    text: Text
    is_withheld: bool
    folders: list[SubFolder]
    more_folders: int
    skills: int
    all_skills: int
    unfiled: int | None
    conflicts: list[Conflict]
    documents: list[Document]
    document_count: int

    @property
    def folder_count(self) -> int:
        """How many folders lie directly in it."""
        return len(self.folders) + self.more_folders

    @property
    def read_skills(self) -> int:
        """How many of its own skills the text was made from."""
        return max(self.page.made_from - len(self.page.from_folders), 0)

    @property
    def made_words(self) -> str:
        """What the text was made from and by whom, in the reader's language; "" for a page without one."""
        page, folders = self.page, len(self.page.from_folders)
        given = {"n": number_format(self.read_skills), "total": number_format(page.out_of)}
        skills = ngettext("%(n)s skill", "%(n)s skills", self.read_skills) % given
        if self.read_skills < page.out_of:
            skills = _("%(n)s of %(total)s skills") % given
        below = ngettext("%(n)s folder", "%(n)s folders", folders) % {"n": folders}
        both = _("%(skills)s and %(folders)s") % {"skills": skills, "folders": below}
        what = (both if self.read_skills else below) if folders else skills
        if page.made_by:
            return _("Made from %(what)s by %(model)s") % {"what": what, "model": page.made_by}
        return _("Quoted from %(what)s, without a model") % {"what": what}

    @property
    def headings(self) -> list[Heading]:
        """The headings of the overview, with the ids they have on the page."""
        return outline(self.text.overview, heading_prefix=OVERVIEW_IDS) if self.text.overview else []


def found(folder_id: uuid.UUID, user: User) -> Folder:
    """The folder. Raises NotFound when ``user`` may not see it."""
    folder: Folder | None = (
        Folder.objects.visible_to(user).select_related("page").filter(pk=folder_id).first()
    )
    if folder is None:
        raise NotFound(_("This folder is gone, or you may not see it."))
    return folder


def page_row(folder: Folder) -> FolderPage:
    """The folder's page, or one that was never made."""
    return folder.page if hasattr(folder, "page") else FolderPage(folder=folder)


def view_of(folder: Folder, user: User) -> View:
    """The page of ``folder`` for ``user``; a fixed number of queries."""
    page = page_row(folder)
    text, is_withheld = _text(folder, page, user)
    below = sub_folders(folder).visible_to(user)
    folders = _sub_folders(below, user)
    documents = _documents(folder, user)
    seen = Skill.objects.visible_to(user)
    has_unfiled = folder.is_system and not user.narrowed_to
    newest = list(documents.order_by("-updated_at", "-id")[: NEWEST_DOCUMENTS + 1])
    return View(
        folder=folder,
        name=folder.shown,
        path=[step for step in path(folder.pk, user) if step.pk != folder.pk],
        page=page,
        text=text,
        is_withheld=is_withheld,
        folders=folders[:MOST_FOLDERS],
        more_folders=below.count() - MOST_FOLDERS if len(folders) > MOST_FOLDERS else 0,
        skills=seen.filter(directly_in(folder)).count(),
        all_skills=seen.of_the_team().filter(inside(folder)).count(),
        unfiled=seen.filter(folder=None).count() if has_unfiled else None,
        conflicts=_conflicts(folder, seen),
        documents=newest[:NEWEST_DOCUMENTS],
        document_count=documents.count() if len(newest) > NEWEST_DOCUMENTS else len(newest),
    )


def index_of(folder: Folder, user: User, order: str = "order") -> tuple[QuerySet[Skill], Order]:
    """The skills directly in ``folder`` that ``user`` may see, and the order to page in."""
    skills = Skill.objects.visible_to(user).filter(directly_in(folder))
    lean = skills.only(
        "pk", "slug", "name", "abstract", "language", "type", "status", "is_active", "updated_at"
    )
    return lean, Order(ORDERS.get(order, ORDERS["order"]))


def _text(folder: Folder, page: FolderPage, user: User) -> tuple[Text, bool]:
    """The made part, and whether it is kept from ``user``: by the root folder from whoever is
    limited to it, and from everybody while something it was made from may not be seen here."""
    if not page.abstract:
        return Text(), False
    if folder.is_system and user.narrowed_to:
        return Text(), True
    rests_on = Skill.objects.findable().visible_to(user).filter(pk__in=page.from_skills)
    if rests_on.count() < len(page.from_skills):
        return Text(), True
    return Text(page.abstract, tuple(_facts(page.key_facts, user)), page.overview), False


def _facts(given: list[Mapping[str, Any]], user: User) -> list[KeyFact]:
    """The facts whose sources ``user`` may see."""
    skill_ids = [fact["skill"] for fact in given if fact["skill"]]
    folder_ids = [fact["folder"] for fact in given if fact["folder"]]
    seen = Skill.objects.visible_to(user).only("pk", "slug", "name", "language").filter(pk__in=skill_ids)
    skills = {str(skill.pk): skill for skill in seen}
    folders = {str(f.pk): f for f in Folder.objects.visible_to(user).filter(pk__in=folder_ids)}
    shown = [
        KeyFact(fact["text"], skills.get(fact["skill"] or ""), folders.get(fact["folder"] or ""))
        for fact in given
    ]
    return [fact for fact in shown if fact.skill or fact.folder]


def _sub_folders(below: QuerySet[Folder], user: User) -> list[SubFolder]:
    """One more than is shown, so that it is known whether there are more."""
    range_ = (OuterRef("place"), OuterRef("reach"))
    ours = Skill.objects.visible_to(user).of_the_team()
    seen = ours.filter(folder__place__range=range_).order_by()
    count = seen.annotate(one=Value(1)).values("one").annotate(n=Count("pk")).values("n")
    in_it = Coalesce(Subquery(count), 0)
    rows = below.select_related("page").annotate(skill_count=in_it)[: MOST_FOLDERS + 1]
    return [SubFolder(f, page_row(f).abstract, f.skill_count) for f in rows]


def _conflicts(folder: Folder, seen: QuerySet[Skill]) -> list[Conflict]:
    """Between skills of which both are seen; each pair once."""
    ones = Relation.objects.filter(type="conflict", source__in=seen.filter(inside(folder)), target__in=seen)
    rows = ones.select_related("source", "target").order_by("source__name", "target__name", "pk")
    rows = rows.only(
        "reason", *(f"{end}__{f}" for end in ("source", "target") for f in ("slug", "name", "language"))
    )
    pairs: dict[frozenset[uuid.UUID], Conflict] = {}
    for row in rows[: 2 * MOST_CONFLICTS]:
        pair = frozenset((row.source_id, row.target_id))
        pairs.setdefault(pair, Conflict(row.source, row.target, row.reason))
    return list(pairs.values())[:MOST_CONFLICTS]


def _documents(folder: Folder, user: User) -> QuerySet[Document]:
    """What the skills in it were read from."""
    skills = Skill.objects.visible_to(user).filter(directly_in(folder))
    read = Source.objects.filter(version__document=OuterRef("pk"), skill__in=skills)
    return Document.objects.visible_to(user).filter(Exists(read))
