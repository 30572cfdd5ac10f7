"""The folder tree as one person sees it, with how much is in each folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Value
from django.utils.translation import gettext as _

from documents.models import Document, Folder
from kbsite.accounts.models import User

type Countable = Callable[[User], QuerySet[Any]]

# What is counted per folder, by name; apps further along the flow add theirs with ``count_also``.
_countables: dict[str, Countable] = {}


def count_also(name: str, things: Countable) -> None:
    """Count ``things(user)``, rows with a ``folder``, in every folder under ``name``."""
    _countables[name] = things


@dataclass(slots=True)
class Node:
    """A folder in the tree. ``counts`` and ``count`` include what is in folders below.

    ``count`` is the one of ``counts`` that was asked for. ``depth`` is 0 at the top. ``id`` None
    stands for what is in no folder.
    """

    id: UUID | None
    name: str
    depth: int = 0
    count: int = 0
    is_system: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def key(self) -> str:
        """A short name for cookies and element ids."""
        return self.id.hex if self.id else "unfiled"


def visible_tree(user: User, counting: str = "documents") -> list[Node]:
    """The top folders ``user`` may see, each with those below, in the tree's order; then "Unfiled".

    Two queries, however many folders there are. A folder whose parent is closed to ``user``
    stands at the top. ``counting`` picks the number in ``count``: "documents", "skills".
    """
    folders = Folder.objects.visible_to(user).order_by("sort_order", "name", "id")
    rows = list(folders.values_list("id", "parent_id", "name", "is_system"))
    counts = _counts(user)
    nodes = {
        id: Node(id, shown_name(name, is_system), is_system=is_system, own=dict(counts[id]))
        for id, _parent, name, is_system in rows
    }
    top: list[Node] = []
    for id, parent, _name, _system in rows:
        siblings = nodes[parent].children if parent in nodes else top
        siblings.append(nodes[id])
    _add_up(top, counting)
    if user.narrowed_to is None:
        own = dict(counts[None])
        top.append(Node(None, _("Unfiled"), count=own.get(counting, 0), counts=own, own=own))
    return top


def flat(nodes: Iterable[Node]) -> Iterator[tuple[Node, list[str]]]:
    """Every node in the tree's order with the names from the top down to it; no system folder in those."""
    waiting = [(node, [] if node.is_system else [node.name]) for node in nodes][::-1]
    while waiting:
        node, path = waiting.pop()
        yield node, path
        waiting.extend((child, [*path, child.name]) for child in reversed(node.children))


def shown_name(name: str, is_system: bool) -> str:
    """The name people see; the system folder's is in their language."""
    return _("Root folder") if is_system else name


def _counts(user: User) -> defaultdict[UUID | None, Counter[str]]:
    kinds: dict[str, QuerySet[Any]] = {"documents": Document.objects.visible_to(user)}
    kinds |= {name: things(user) for name, things in _countables.items()}
    per_folder = [
        things.order_by().values("folder").annotate(kind=Value(name), n=Count("pk"))
        for name, things in kinds.items()
    ]
    rows = per_folder[0].union(*per_folder[1:], all=True).order_by() if len(per_folder) > 1 else per_folder[0]
    found: defaultdict[UUID | None, Counter[str]] = defaultdict(Counter)
    for row in rows:
        found[row["folder"]][row["kind"]] += row["n"]
    return found


def _add_up(top: list[Node], counting: str) -> None:
    """Depths from the top down, sums from the leaves up, without recursion: trees may be deep."""
    in_order: list[Node] = []
    waiting = list(top)
    while waiting:
        node = waiting.pop()
        in_order.append(node)
        for child in node.children:
            child.depth = node.depth + 1
        waiting.extend(node.children)
    for node in reversed(in_order):
        total = Counter(node.own)
        for child in node.children:
            total.update(child.counts)
        node.counts = dict(total)
        node.count = total[counting]
