"""Which documents a list shows, and what it tells about each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from documents.duplicates import hide_unseen
from documents.models import Document, DocumentVersion, IngestRun
from documents.querysets import DocumentQuerySet
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotFound

UNFILED = "unfiled"
# The states a person filters by: several kinds of "not yet" and "needs me" are one each.
STATES: dict[str, Q] = {
    "open": Q(run__status__in=["queued", "running"]),
    "ready": Q(run__status__in=["done", "merged"]),
    "waiting": Q(run__status="held"),
    "failed": Q(run__status="failed"),
    "skipped": Q(run__status="skipped"),
}
ORDER = ("-created_at", "-id")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed to. ``folder`` is a folder's id, "unfiled" or empty for all.

    ``status`` is one of STATES or of a run's own statuses.
    """

    folder: str = ""
    status: str = ""
    category: str = ""
    q: str = ""


def listed(user: User, filters: Filters) -> DocumentQuerySet:
    """The documents ``user`` may see that pass ``filters``, with run, version and folder at hand.

    Raises InvalidInput for a folder or status that is none.
    """
    documents = with_run(Document.objects.visible_to(user)).filter(
        _in_folder(filters.folder), _in_state(filters.status)
    )
    if filters.category:
        documents = documents.filter(category=filters.category)
    for word in filters.q.split():
        documents = documents.filter(Q(title__icontains=word) | Q(filename__icontains=word))
    return documents


def with_run(documents: DocumentQuerySet) -> DocumentQuerySet:
    """``documents`` with their run, newest version and folder, without the version's long texts."""
    long_texts = ("markdown", "page_starts", "metadata")
    return documents.select_related("run__duplicate_of", "run__version", "folder").defer(
        *(f"run__version__{name}" for name in long_texts)
    )


def find(document_id: UUID, user: User) -> Document:
    """The document, with run, version and folder. Raises NotFound when ``user`` may not see it."""
    document = with_run(Document.objects.visible_to(user)).filter(pk=document_id).first()
    if document is None:
        raise NotFound(_("There is no such document, or you may not see it."))
    return document


def _in_folder(folder: str) -> Q:
    if not folder:
        return Q()
    if folder == UNFILED:
        return Q(folder=None)
    try:
        return Q(folder=UUID(folder))
    except ValueError as error:
        raise InvalidInput(_("There is no such folder.")) from error


def _in_state(status: str) -> Q:
    if not status:
        return Q()
    if status in STATES:
        return STATES[status]
    if status in IngestRun.Status.values:
        return Q(run__status=status)
    raise InvalidInput(_("There is no such state."))


@dataclass(frozen=True, slots=True)
class MadeSkill:
    """A skill made from a document, as far as a list names it."""

    id: UUID
    name: str
    slug: str


@dataclass(slots=True)
class Row:
    """A document in a list, with its newest run and version and the skills made from it."""

    document: Document
    skills: list[MadeSkill] = field(default_factory=list)

    @property
    def run(self) -> IngestRun | None:
        """The run that speaks for it."""
        return self.document.run

    @property
    def version(self) -> DocumentVersion | None:
        """The newest version."""
        return self.run.version if self.run else None


def rows(documents: Iterable[Document], user: User) -> list[Row]:
    """``documents`` as rows. One query for all their skills."""
    found = list(documents)
    hide_unseen([document.run for document in found], user)
    skills = skills_of([document.pk for document in found], user)
    return [Row(document, skills[document.pk]) for document in found]


def skills_of(document_ids: Collection[UUID], user: User) -> defaultdict[UUID, list[MadeSkill]]:
    """The skills made from each of these documents that ``user`` may see, without the trash.

    Skills belong to an app further along; they are reached through the relation it adds.
    """
    found: defaultdict[UUID, list[MadeSkill]] = defaultdict(list)
    source: Any = DocumentVersion._meta.get_field("sources").related_model
    skill_model: Any = source._meta.get_field("skill").related_model
    sources = source.objects.filter(
        version__document__in=document_ids, skill__in=skill_model.objects.visible_to(user)
    )
    wanted = ("version__document", "skill", "skill__name", "skill__slug")
    made = sources.order_by("skill").distinct().values_list(*wanted)
    for document, *skill in made:
        one = MadeSkill(*skill)
        if one not in found[document]:
            found[document].append(one)
    return found


def matching(user: User, query: str, limit: int) -> list[Document]:
    """Documents whose name or newest text has every word of ``query``; by name first."""
    documents = Document.objects.visible_to(user).select_related("run__version", "folder").exclude(run=None)
    words = query.split()
    if not words:
        return []
    by_name = Q()
    by_text = Q()
    for word in words:
        by_name &= Q(title__icontains=word) | Q(filename__icontains=word)
        by_text &= Q(run__version__markdown__icontains=word) | Q(title__icontains=word)
    first = list(documents.filter(by_name).order_by(*ORDER)[:limit])
    rest = documents.filter(by_text).exclude(pk__in=[document.pk for document in first])
    return first + list(rest.order_by(*ORDER)[: limit - len(first)])


def snippet(text: str, query: str, around: int = 80) -> str:
    """The surroundings of the first of the query's words in ``text``; the beginning without one."""
    low = text.lower()
    places = [at for word in query.lower().split() if (at := low.find(word)) >= 0]
    at = min(places, default=0)
    start, end = max(at - around, 0), at + 2 * around
    piece = " ".join(text[start:end].split())
    return ("… " if start else "") + piece + (" …" if end < len(text) else "")
