"""What every page of the shell shows."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from kbsite.accounts.models import User
from kbsite.accounts.preferences import theme_of
from kbsite.tree import branches, current_branch

FIRST_ON_A_PHONE = 4  # the bottom bar has room for these and "More"


@dataclass(frozen=True)
class Place:
    """A page of the rail. ``key`` follows ``g``; ``url`` is also the prefix that makes it current."""

    name: str | Promise
    url: str
    icon: str
    key: str = ""
    current: bool = False


# name, view, icon, key, ability
PLACES = (
    (_("Ask"), "chat:ask", "ask", "a", None),
    (_("Search"), "search:search", "search", "s", None),
    (_("Skills"), "skills:list", "skills", "k", None),
    (_("Documents"), "documents:list", "documents", "d", None),
    (_("Knowledge"), "knowledge:list", "knowledge", "n", None),
    (_("Graph"), "skills:graph", "graph", "r", None),
    (_("Prompts"), "prompts:list", "prompts", "p", "curate"),
    (_("Models"), "llm:models", "models", "m", "administer"),
    (pgettext_lazy("page", "Admin"), "admin:index", "admin", "i", "curate"),
)


def _is_current(url: str, path: str) -> bool:
    return path.startswith(url) if url != "/" else path == "/" or path.startswith("/c/")


def places(user: User, path: str) -> list[Place]:
    """The places ``user`` may go to, in the rail's order; the one that holds ``path`` is current."""
    found = []
    for name, view, icon, key, ability in PLACES:
        if ability and not getattr(user, f"can_{ability}"):
            continue
        try:
            url = reverse(view)
        except NoReverseMatch:
            continue
        found.append(Place(name, url, icon, key, _is_current(url, path)))
    return found


def shell(request: HttpRequest) -> dict[str, object]:
    """Template context for the rail, the tree and the top bar."""
    context: dict[str, object] = {
        "page_lang": "zh-Hans" if (get_language() or "").startswith("zh") else "en",
        "theme": theme_of(request),
    }
    user = getattr(request, "user", None)
    if isinstance(user, User):
        found = places(user, request.path)
        context |= {"places": found, "more_places": found[FIRST_ON_A_PHONE:]}
        shown = SimpleLazyObject(lambda: branches(request, user))
        context |= {"tree": shown, "here": SimpleLazyObject(lambda: current_branch(list(shown)))}
    return context
