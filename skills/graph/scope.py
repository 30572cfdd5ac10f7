"""What of the base a graph is of: read from an address, and the skills that are in it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from kbsite.accounts.models import User
from kbsite.sent import as_id
from skills.forms import UNFILED
from skills.models import RELATION_WORDS, Skill
from skills.querysets import SkillQuerySet

RELATIONS, LINKS = "relations", "links"
KINDS = (Skill.Type.DOCUMENT, Skill.Type.USER)
A_TYPE = re.compile(r"[a-z][a-z0-9_]{0,39}")
DEEPEST = 2


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What a graph is narrowed to; None and "" narrow nothing.

    ``skill`` is the slug in whose neighbourhood it is, up to ``depth`` steps away. ``edges`` is
    "relations", "links" or one type of relation. ``without_lone``: only skills that have an edge.
    """

    skill: str = ""
    depth: int = 1
    folder_id: uuid.UUID | None = None
    unfiled: bool = False
    edges: str = ""
    type: str = ""
    tag: str = ""
    without_lone: bool = False

    @property
    def narrowed(self) -> bool:
        """Whether a filter may have left skills or edges out."""
        return bool(self.edges or self.type or self.tag or self.without_lone)

    @property
    def relation_type(self) -> str:
        """The one type of relation that is asked for, else ""."""
        return "" if self.edges in ("", RELATIONS, LINKS) else self.edges


def scope_of(given: Mapping[str, str]) -> Scope:
    """What an address's parameters ask for; what makes no sense is left out."""
    folder, depth, edges = given.get("folder", ""), given.get("depth", ""), given.get("edges", "")
    return Scope(
        skill=given.get("skill", "").strip()[:140],
        depth=int(depth) if depth in ("1", "2") else 1,
        folder_id=as_id(folder),
        unfiled=folder == UNFILED,
        edges=edges if A_TYPE.fullmatch(edges) else "",
        type=given["type"] if given.get("type") in KINDS else "",
        tag=given.get("tag", "").strip().replace("\x00", "")[:60],
        without_lone=given.get("lone") == "no",
    )


def skills_in(scope: Scope, user: User) -> SkillQuerySet:
    """The skills ``user`` may see that pass the filters; not yet narrowed to a neighbourhood.

    The skills that ship with the product tell the agent how to work: they are not knowledge.
    """
    skills = Skill.objects.visible_to(user).exclude(type=Skill.Type.SYSTEM).order_by()
    if scope.unfiled:
        skills = skills.filter(folder=None)
    elif scope.folder_id:
        skills = skills.under(scope.folder_id)
    if scope.type:
        skills = skills.filter(type=scope.type)
    if scope.tag:
        skills = skills.filter(tags__contains=[scope.tag])
    return skills


def edge_choices(scope: Scope) -> list[str]:
    """The values ``edges`` can have, the one that is asked for among them."""
    known = ["", RELATIONS, *RELATION_WORDS, LINKS]
    return known if scope.edges in known else [*known, scope.edges]
