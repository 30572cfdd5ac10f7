"""The folder tree as one person sees it, whole or in part, with how much is in each folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from django.db.models import Q, Subquery, TextField
from django.db.models.functions import Cast, Right
from django.utils.translation import gettext as _

from documents.branches import EVERY, Countable, Node, Some, countables, nodes_of
from documents.models import Folder
from documents.names import shown_name
from kbsite.accounts.models import User

__all__ = [
    "EVERY",
    "Node",
    "branch",
    "count_also",
    "flat",
    "kinds_of_things",
    "open_branches",
    "top_of",
    "visible_tree",
]

KEY_LENGTH = 12  # the end of a UUIDv7 is its random part
MOST_SIBLINGS = 200  # more of one folder's children are fetched when they are asked for


def count_also(name: str, things: Countable) -> None:
    """Count ``things(user)``, rows with a ``folder``, in every folder under ``name``."""
    countables[name] = things


def visible_tree(user: User, counting: str | None = "documents") -> list[Node]:
    """The top folders ``user`` may see, each with those below, in the tree's order; then "Unfiled".

    Two queries, however many folders there are. A folder whose parent is closed to ``user``
    stands at the top. ``counting`` picks the number in ``count``: "documents", "skills"; None
    counts nothing.
    """
    if counting is None:
        rows = _uncounted(user)
    else:
        kinds = [counting, *(kind for kind in countables if kind != counting)]
        rows = nodes_of(user, Some(Q()), kinds)
    return together(rows, user)


def _uncounted(user: User) -> list[Node]:
    folders = Folder.objects.visible_to(user).order_by("place")
    rows = folders.values_list("id", "parent_id", "name", "is_system")
    return [Node(id, name, is_system=system, parent_id=parent) for id, parent, name, system in rows] + [
        Node(None, "")
    ]


def together(rows: list[Node], user: User) -> list[Node]:
    """``rows``, parents before children, put under each other: those at the top, named for people."""
    nodes = {node.id: node for node in rows if node.id}
    top: list[Node] = []
    for node in rows:
        if node.id is None:
            if user.narrowed_to is None:
                top.append(node)
            node.name = _("Unfiled")
            continue
        node.name = shown_name(node.name, node.is_system)
        parent = nodes.get(node.parent_id) if node.parent_id else None
        if parent is None:
            top.append(node)
            continue
        node.depth = parent.depth + 1
        parent.children.append(node)
        parent.folders = max(parent.folders, len(parent.children))
    return top


def open_branches(user: User, counting: str, open_keys: Iterable[str], current: UUID | None) -> list[Node]:
    """The top folders with what is in the open ones, and the way to ``current``; then "Unfiled".

    ``open_keys`` are the last 12 digits of folders' ids. One query, and the one for what is closed
    to ``user``. Of more than 200 children the first 200 are there, and those that are open.
    """
    folders = Folder.objects.annotate(key=Right(Cast("id", TextField()), KEY_LENGTH)).order_by()
    is_open = Q(pk__in=folders.filter(key__in=list(open_keys)).values("pk"))
    way = Q(pk=None)
    if current:
        seen = Folder.objects.visible_to(user).filter(pk=current).order_by()
        place = Subquery(seen.values("place"))
        is_open |= Q(pk__in=folders.filter(place__lt=place, reach__gte=place).values("pk"))
        way = Q(place__lte=place, reach__gte=place)
    opened = Folder.objects.filter(is_open).order_by().values("pk")
    some = Some(_at_the_top(user) | Q(parent__in=opened), kept=is_open | way, most=MOST_SIBLINGS)
    return _connected(nodes_of(user, some, [counting]), user)


def branch(
    user: User, kinds: Sequence[str], folder_id: UUID, *, skip: int = 0, most: int | None = None
) -> Node | None:
    """A folder with ``most`` (None: 200) of those in it, after the first ``skip``; None if not visible.

    The first of ``kinds`` is the one in ``count``. Queries as :func:`open_branches`, and one for the depth.
    """
    itself = Q(pk=folder_id)
    some = Some(itself | Q(parent=folder_id), itself, skip, MOST_SIBLINGS if most is None else most)
    rows = [node for node in nodes_of(user, some, kinds) if node.id]
    if not rows or rows[0].id != folder_id:
        return None
    place = Subquery(Folder.objects.filter(itself).order_by().values("place"))
    rows[0].depth = Folder.objects.filter(place__lt=place, reach__gte=place).count()
    return together(rows, user)[0]


def top_of(user: User, kinds: Sequence[str], *, skip: int = 0, most: int | None = None) -> list[Node]:
    """``most`` (None: 200) of the top folders, after the first ``skip``. Queries as :func:`open_branches`."""
    some = Some(_at_the_top(user), skip=skip, most=MOST_SIBLINGS if most is None else most)
    return [node for node in together(nodes_of(user, some, kinds), user) if node.id]


def kinds_of_things() -> list[str]:
    """The names of everything that is counted."""
    return list(countables)


def _at_the_top(user: User) -> Q:
    return Q(pk=user.narrowed_to) if user.narrowed_to else Q(parent=None)


def _connected(rows: list[Node], user: User) -> list[Node]:
    """:func:`together` of those whose parents are all there: an open branch in a closed one is not."""
    there: set[UUID] = set()
    kept = []
    for node in rows:
        is_top = node.parent_id is None or node.id == user.narrowed_to
        if node.id is None or is_top or node.parent_id in there:
            kept.append(node)
            if node.id:
                there.add(node.id)
    return together(kept, user)


def flat(nodes: Iterable[Node]) -> Iterator[tuple[Node, list[str]]]:
    """Every node in the tree's order with the names from the top down to it; no system folder in those."""
    waiting = [(node, [] if node.is_system else [node.name]) for node in nodes][::-1]
    while waiting:
        node, path = waiting.pop()
        yield node, path
        waiting.extend((child, [*path, child.name]) for child in reversed(node.children))
