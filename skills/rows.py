"""What a row of the list of skills shows, worked out once: a template does it slowly, fifty times a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict
from urllib.parse import quote, quote_plus
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.templatetags.kb import lang, layer_mark, status
from skills.models import Skill
from skills.paths import Step

LONGEST_ABSTRACT = 180  # characters
MOST_TAGS = 12


class Narrowing(TypedDict):
    """A folder or tag by its name, and the ``value`` in an address that narrows the list to it."""

    name: str
    value: SafeString


class Row(TypedDict):
    """One skill on the list. ``mark`` and ``status`` are HTML; ``place`` stands where there is no path.

    What is safe by how it is made (ids, quoted addresses, numbers) says so: escaping it takes time.
    """

    id: SafeString
    name: str
    address: SafeString
    lang: str
    mark: str
    abstract: str
    path: list[Narrowing]
    place: str
    folder: SafeString
    tags: list[Narrowing]
    more_tags: int
    type: str
    status: str
    uses: SafeString
    updated_at: object
    can_change: bool
    select: str
    edit: str
    move: str


def rows(skills: Iterable[Skill], where: Mapping[UUID | None, list[Step]], user: User) -> list[Row]:
    """``skills``, annotated with ``overview_is_there``, as ``user`` sees them. No query."""
    address = reverse("skills:skill", args=["0"]).removesuffix("0/")
    says = _("Select “%(name)s”"), _("Edit “%(name)s”"), _("Move “%(name)s”")
    return [_row(skill, where[skill.folder_id], user, address, says) for skill in skills]


def _row(skill: Skill, path: list[Step], user: User, address: str, says: tuple[str, str, str]) -> Row:
    select, edit, move = (text % {"name": skill.name} for text in says)
    return Row(
        id=SafeString(skill.pk),
        name=skill.name,
        address=SafeString(f"{address}{quote(skill.slug, safe='')}/"),
        lang=lang(skill.language),
        mark=_mark(skill),
        abstract=Truncator(skill.abstract).chars(LONGEST_ABSTRACT) if skill.abstract else "",
        path=[Narrowing(name=step.name, value=SafeString(step.id)) for step in path],
        place="" if path else _place(skill),
        folder=SafeString(skill.folder_id or "unfiled"),
        tags=[Narrowing(name=tag, value=SafeString(quote_plus(tag))) for tag in skill.tags[:MOST_TAGS]],
        more_tags=max(len(skill.tags) - MOST_TAGS, 0),
        type=skill.type_label,
        status=_status(skill),
        uses=SafeString(skill.active_count),
        updated_at=skill.updated_at,
        can_change=user.can_edit and skill.is_editable,
        select=select,
        edit=edit,
        move=move,
    )


def _mark(skill: Skill) -> str:
    if getattr(skill, "overview_is_there", False):
        return layer_mark(2)
    return layer_mark(0) if skill.abstract else ""


def _place(skill: Skill) -> str:
    if skill.folder_id:
        return _("Root folder")
    return _("Unfiled") if skill.is_editable else ""


def _status(skill: Skill) -> str:
    if skill.index_state == Skill.Index.FAILED:
        return status("failed", _("Not indexed"))
    if skill.index_state != Skill.Index.READY:
        return status("processing", _("Being indexed"))
    return status(skill.status, skill.status_label)
