"""The folder tree in the rail: only what is open is on the page, a branch is fetched when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from documents.tree import Node, visible_tree
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound

OPEN_COOKIE = "kb_open"
KEY_LENGTH = 12  # the end of a UUIDv7 is its random part
UNFILED = "unfiled"


@dataclass
class Branch:
    """A folder as the rail shows it. ``children`` are empty until it is open."""

    node: Node
    base: str
    key: str
    is_current: bool = False
    is_open: bool = False
    children: list[Branch] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The list of what is in the folder."""
        return f"{self.base}?folder={self.folder}"

    @property
    def level(self) -> int:
        """1 at the top, as ARIA counts."""
        return self.node.depth + 1

    @property
    def folder(self) -> str:
        """The folder's id as addresses carry it."""
        return str(self.node.id) if self.node.id else UNFILED


def current_folder(request: HttpRequest) -> str:
    """The folder this page is about: ``request.folder_id`` where a view sets it, else ``?folder=``."""
    chosen = getattr(request, "folder_id", None)
    return str(chosen) if chosen else request.GET.get("folder", "")


def _place(request: HttpRequest) -> tuple[str, str]:
    """What is counted and which list a folder opens: documents on documents' pages, else skills."""
    kind = "documents" if request.GET.get("of", request.path.strip("/")).startswith("documents") else "skills"
    try:
        return kind, reverse(f"{kind}:list")
    except NoReverseMatch:
        return kind, f"/{kind}/"


def _way_to(nodes: list[Node], folder: str) -> set[str]:
    """Keys of the folders above ``folder``, so that it can be seen."""
    above: dict[str, str] = {}
    waiting = [(node, "") for node in nodes]
    while waiting:
        node, parent = waiting.pop()
        above[node.key] = parent
        waiting.extend((child, node.key) for child in node.children)
    way, key = set(), above.get(folder.replace("-", ""), "")
    while key:
        way.add(key)
        key = above.get(key, "")
    return way


def _walk(nodes: list[Node]) -> Iterator[Node]:
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


@dataclass(frozen=True)
class _Maker:
    base: str
    current: str
    open_keys: frozenset[str]

    def branches(self, nodes: list[Node]) -> list[Branch]:
        return [self._branch(node) for node in nodes]

    def _branch(self, node: Node) -> Branch:
        key = node.key[-KEY_LENGTH:]
        is_open = bool(node.children) and key in self.open_keys
        branch = Branch(node, self.base, key, is_open=is_open)
        branch.is_current = branch.folder == self.current
        if is_open:
            branch.children = self.branches(node.children)
        return branch


def branches(request: HttpRequest, user: User) -> list[Branch]:
    """The tree with the branches that were open and those on the way to the current folder; two queries."""
    counting, base = _place(request)
    nodes = visible_tree(user, counting)
    current = current_folder(request)
    remembered = set(request.COOKIES.get(OPEN_COOKIE, "").split("."))
    way = {key[-KEY_LENGTH:] for key in _way_to(nodes, current)} if current else set()
    return _Maker(base, current, frozenset(remembered | way)).branches(nodes)


def current_branch(shown: list[Branch]) -> Branch | None:
    """The branch that the page is about, if it is a folder."""
    for branch in shown:
        if branch.is_current:
            return branch if branch.node.id and not branch.node.is_system else None
        if found := current_branch(branch.children):
            return found
    return None


def branch_of(request: HttpRequest, user: User, folder_id: UUID) -> list[Branch]:
    """The folders directly in one. Raises NotFound where it is not open to ``user``."""
    counting, base = _place(request)
    found = next((node for node in _walk(visible_tree(user, counting)) if node.id == folder_id), None)
    if found is None:
        raise NotFound(_("There is no such folder, or you may not see it."))
    return _Maker(base, "", frozenset()).branches(found.children)
