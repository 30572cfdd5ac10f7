"""What the field in the top bar offers while somebody types: search, ask, go to, find, do."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Case, IntegerField, Value, When
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import override, pgettext

from chat.models import Conversation
from documents.models import Document, Folder
from kbsite.accounts.models import User
from kbsite.context import Place, places
from skills.models import Skill

MOST_SKILLS, MOST_OTHERS = 6, 3


@dataclass(frozen=True)
class Suggestion:
    """One row. ``press`` is a selector of something on the page to click instead of following ``url``."""

    name: str | Promise
    url: str
    icon: str
    quoted: str = ""
    where: str = ""
    key: str = ""
    press: str = ""


@dataclass(frozen=True)
class Group:
    """Rows under a heading."""

    name: str
    suggestions: list[Suggestion]


def _first(query: str) -> list[Suggestion]:
    ask, find = reverse("chat:ask"), reverse("search:search")
    return [
        Suggestion(_("Search for"), f"{find}?{urlencode({'q': query})}", "search", quoted=query),
        Suggestion(pgettext("a question", "Ask"), f"{ask}?{urlencode({'q': query})}", "ask", quoted=query),
    ]


def _is_called(name: str | Promise, query: str) -> bool:
    """Whether a page's name, in the active language or in English, has a word that begins so.

    Chinese words are not divided: one may stand anywhere in the name.
    """
    with override("en"):
        english = str(name)
    wanted = query.casefold()
    if not wanted.isascii() and wanted in str(name):
        return True
    return any(
        word.startswith(wanted)
        for text in (str(name), english)
        for word in [text.casefold(), *text.casefold().split()]
    )


def _go_to(found: list[Place], query: str) -> list[Suggestion]:
    return [
        Suggestion(place.name, place.url, place.icon, key=f"g {place.key}")
        for place in found
        if not query or _is_called(place.name, query)
    ]


def _do(user: User, query: str) -> list[Suggestion]:
    actions = [
        Suggestion(_("Light theme"), "#", "light", press="[data-themes] [value=light]"),
        Suggestion(_("Dark theme"), "#", "dark", press="[data-themes] [value=dark]"),
        Suggestion(_("List the keys"), "#", "keys", key="?", press="[data-open=keys]"),
    ]
    if user.can_edit:
        new_folder = reverse("documents:folder_create")
        actions.insert(
            0, Suggestion(_("New folder"), new_folder, "add-folder", press="[data-open=new-folder]")
        )
        actions.insert(0, Suggestion(_("Add documents"), reverse("documents:list"), "add-file"))
        actions.append(Suggestion(_("Broken links"), reverse("skills:broken"), "link"))
    return [action for action in actions if not query or _is_called(action.name, query)]


def _by_name(field: str, query: str) -> Case:
    """Orders names that begin with the query before those that contain it."""
    begins = When(**{f"{field}__istartswith": query}, then=Value(0))
    return Case(begins, default=Value(1), output_field=IntegerField())


def _skills(user: User, query: str) -> list[Suggestion]:
    rows = (
        Skill.objects.visible_to(user)
        .findable()
        .filter(name__icontains=query)
        .order_by(_by_name("name", query), "-active_count", "name")
        .values_list("name", "slug", "folder__name")[:MOST_SKILLS]
    )
    return [
        Suggestion(name, reverse("skills:skill", args=[slug]), "skills", where=folder or "")
        for name, slug, folder in rows
    ]


def _folders(user: User, query: str) -> list[Suggestion]:
    rows = (
        Folder.objects.visible_to(user)
        .without_tree_fields()
        .filter(name__icontains=query)
        .order_by(_by_name("name", query), "name")
        .values_list("id", "name", "parent__name")[:MOST_OTHERS]
    )
    base = reverse("skills:list")
    return [
        Suggestion(name, f"{base}?folder={pk}", "folder", where=parent or "") for pk, name, parent in rows
    ]


def _documents(user: User, query: str) -> list[Suggestion]:
    rows = (
        Document.objects.visible_to(user)
        .filter(title__icontains=query)
        .order_by(_by_name("title", query), "-created_at")
        .values_list("id", "title", "folder__name")[:MOST_OTHERS]
    )
    return [
        Suggestion(title, reverse("documents:document", args=[pk]), "documents", where=folder or "")
        for pk, title, folder in rows
    ]


def _conversations(user: User, query: str) -> list[Suggestion]:
    rows = (
        Conversation.objects.visible_to(user)
        .filter(title__icontains=query)
        .order_by("-updated_at")
        .values_list("id", "title")[:MOST_OTHERS]
    )
    return [Suggestion(title, reverse("chat:conversation", args=[pk]), "ask") for pk, title in rows]


def suggestions(user: User, query: str) -> list[Group]:
    """The groups for ``query`` (at most 2,000 characters), empty ones left out; five queries at most."""
    query = query.strip()[:2000]
    found = places(user, "")
    if not query:
        groups = [Group(_("Go to"), _go_to(found, "")), Group(_("Do"), _do(user, ""))]
    else:
        groups = [
            Group("", _first(query)),
            Group(_("Go to"), _go_to(found, query)),
            Group(_("Skills"), _skills(user, query)),
            Group(_("Documents"), _documents(user, query)),
            Group(_("Folders"), _folders(user, query)),
            Group(_("Conversations"), _conversations(user, query)),
            Group(_("Do"), _do(user, query)),
        ]
    return [group for group in groups if group.suggestions]
