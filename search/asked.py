"""What the address of the search page asks for; a filter that makes no sense is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from search.results import Mode
from search.retrieve import MODES, Search
from search.scope import Scope
from skills.models import Skill

UNFILED = "unfiled"
PERIODS = {"month": timedelta(days=30), "year": timedelta(days=365)}
HITS, MORE_HITS, MOST_HITS = 10, 10, 100


@dataclass(frozen=True)
class Asked:
    """The state of the page: query, mode, filters and how many results."""

    query: str = ""
    mode: Mode = "hybrid"
    folders: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    updated: str = ""
    limit: int = HITS

    @property
    def filters(self) -> int:
        """How many filters are on."""
        return len(self.folders) + len(self.types) + len(self.categories) + bool(self.updated)

    @property
    def url(self) -> str:
        """The address that shows this."""
        values = {
            "q": self.query,
            "mode": "" if self.mode == "hybrid" else self.mode,
            "folder": self.folders,
            "type": self.types,
            "category": self.categories,
            "updated": self.updated,
            "limit": "" if self.limit == HITS else str(self.limit),
        }
        return f"{reverse('search:search')}?{urlencode({k: v for k, v in values.items() if v}, doseq=True)}"

    def unfiltered(self) -> Asked:
        """The same without filters."""
        return Asked(self.query, self.mode)

    def best(self) -> Asked:
        """The same, searched by meaning and words."""
        return self.with_mode("hybrid")

    def with_mode(self, mode: Mode) -> Asked:
        """The same, searched another way."""
        return replace(self, mode=mode, limit=HITS)

    def with_more(self) -> Asked:
        """The same with ten more results."""
        return replace(self, limit=min(self.limit + MORE_HITS, MOST_HITS))

    def search(self, now: datetime, *, filtered: bool = True) -> Search:
        """The search that answers it."""
        if not filtered:
            return Search(self.query, Scope(), self.mode, self.limit)
        scope = Scope(
            folder_ids=tuple(UUID(folder) for folder in self.folders if folder != UNFILED),
            unfiled=UNFILED in self.folders,
            types=self.types,
            categories=self.categories,
            since=now - PERIODS[self.updated] if self.updated else None,
        )
        return Search(self.query, scope, self.mode, self.limit)


def _folder(text: str) -> str | None:
    try:
        return text if text == UNFILED else str(UUID(text))
    except ValueError:
        return None


def asked(params: QueryDict) -> Asked:
    """What ``params`` ask for. Never raises: unknown values count as not given."""
    mode: Mode = next((mode for mode in MODES if mode == params.get("mode")), "hybrid")
    limit = params.get("limit", "")
    return Asked(
        query=params.get("q", "").strip(),
        mode=mode,
        folders=tuple(dict.fromkeys(f for text in params.getlist("folder") if (f := _folder(text)))),
        types=tuple(t for t in Skill.Type.values if t in params.getlist("type")),
        categories=tuple(c for c in Skill.Category.values if c in params.getlist("category")),
        updated=params.get("updated", "") if params.get("updated") in PERIODS else "",
        limit=min(max(int(limit), HITS), MOST_HITS) if limit.isdecimal() and len(limit) < 4 else HITS,
    )
