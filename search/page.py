"""What the search page shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.models import User
from search.asked import MOST_HITS, Asked
from search.facets import Facet, facets
from search.results import Hit, Mode, Results
from search.retrieve import find, ranking
from skills.models import Skill

NEAREST = 3
MODES: tuple[tuple[Mode, str | Promise, str | Promise], ...] = (
    ("hybrid", _("Best"), _("By meaning and by words")),
    ("layered", _("Layered"), _("By abstract, overview and use")),
    ("keyword", _("Words"), _("Only what is written, without any model")),
)


@dataclass(frozen=True)
class ModeLink:
    """One of the ways to search."""

    name: str | Promise
    hint: str | Promise
    url: str
    chosen: bool


@dataclass
class Page:
    """The page's state, its results, and the filters beside them.

    ``hits`` are those about the query; where there are none, ``nearest`` are what came closest.
    """

    asked: Asked
    results: Results | None = None
    facets: list[Facet] = field(default_factory=list)
    is_empty: bool = False

    @property
    def modes(self) -> list[ModeLink]:
        """The ways to search, the page's own chosen."""
        asked = self.asked
        return [
            ModeLink(name, hint, asked.with_mode(mode).url, mode == asked.mode) for mode, name, hint in MODES
        ]

    @property
    def hits(self) -> list[Hit]:
        """What was found."""
        return self.results.hits[: self.results.total] if self.results and self.results.found else []

    @property
    def nearest(self) -> list[Hit]:
        """What came closest when nothing was found."""
        return self.results.hits[:NEAREST] if self.results and not self.results.found else []

    @property
    def has_more(self) -> bool:
        """Whether there are further results to show."""
        return bool(self.results and self.results.total > len(self.hits) and self.asked.limit < MOST_HITS)


def page_of(asked: Asked, user: User) -> Page:
    """The page for ``asked``: results, and how many each filter would leave."""
    if not asked.query:
        return Page(asked, is_empty=not Skill.objects.visible_to(user).findable().of_the_team().exists())
    now = timezone.now()
    results, found = find(asked.search(now), user, explain=True)
    if asked.filters:
        found = ranking(asked.search(now, filtered=False), user)
    return Page(asked, results, facets(asked, [one.candidate for one in found.about], now))
