"""The folder tree in the rail: only what is open is on the page, a branch is fetched when it is opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from documents.tree import KEY_LENGTH, Node, branch, open_branches, top_of
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from kbsite.sent import as_id, as_number

OPEN_COOKIE = "kb_open"
MOST_OPEN = 60
UNFILED = "unfiled"


@dataclass
class Branch:
    """A folder as the rail shows it, in a list of all that are shown: no recursion, trees may be deep.

    ``ends`` has an entry for each group that ends after it. ``rest``: how many of its siblings are
    still to be fetched, from the address ``more``; it then stands for them and not for ``node``.
    ``can_change``: the reader may rename, move and delete it.
    """

    node: Node
    base: str
    is_current: bool = False
    is_open: bool = False
    ends: str = ""
    rest: int = 0
    more: str = ""
    can_change: bool = False

    @property
    def key(self) -> str:
        """What the cookie of open branches has for it."""
        return self.node.key[-KEY_LENGTH:]

    @property
    def url(self) -> str:
        """The list of what is in the folder."""
        return f"{self.base}?folder={self.folder}"

    @property
    def inside(self) -> str:
        """Where the folders in it are fetched."""
        return f"{reverse('tree_top')}{self.node.id}/?of={self.base.strip('/')}"

    @property
    def level(self) -> int:
        """1 at the top, as ARIA counts."""
        return self.node.depth + 1

    @property
    def folder(self) -> str:
        """The folder's id as addresses carry it."""
        return str(self.node.id) if self.node.id else UNFILED

    @property
    def says(self) -> str:
        """What its menu's button is called."""
        return _("Do something with %(name)s") % {"name": self.node.name}


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


@dataclass(frozen=True)
class _Maker:
    base: str
    can_edit: bool
    current: str = ""

    def listed(self, nodes: list[Node], *, skipped: int = 0) -> list[Branch]:
        """``nodes`` with what is under them, one after the other as the page has them."""
        found: list[Branch] = []
        groups = [iter(self._group(nodes, skipped))]
        while groups:
            one = next(groups[-1], None)
            if one is None:
                groups.pop()
                if groups:
                    found[-1].ends += "."
                continue
            found.append(one)
            if one.is_open:
                groups.append(iter(self._group(one.node.children)))
        return found

    def _group(self, nodes: list[Node], skipped: int = 0) -> list[Branch]:
        made = [self._branch(node) for node in nodes]
        folders = [node for node in nodes if node.id]
        rest = folders[0].siblings - skipped - len(folders) if folders else 0
        if rest > 0:
            made.insert(len(folders), self._rest(folders, rest, skipped))
        return made

    def _branch(self, node: Node) -> Branch:
        one = Branch(node, self.base, is_open=bool(node.children))
        one.is_current = one.folder == self.current
        one.can_change = self.can_edit and node.id is not None and not node.is_system
        return one

    def _rest(self, folders: list[Node], rest: int, skipped: int) -> Branch:
        first = folders[0]
        run = [node.rank for node in folders]
        there = next((n for n, rank in enumerate(run, skipped + 1) if rank != n), run[-1] + 1) - 1
        kind = self.base.strip("/")
        top = first.parent_id is None
        address = reverse("tree_top") if top else reverse("tree", args=[first.parent_id])
        return Branch(
            Node(None, "", depth=first.depth), self.base, rest=rest, more=f"{address}?of={kind}&from={there}"
        )


def branches(request: HttpRequest, user: User) -> list[Branch]:
    """The tree with the branches that were open and those on the way to the current folder.

    One query, however large the tree, and the one for what is closed to ``user``.
    """
    counting, base = _place(request)
    current = current_folder(request)
    remembered = request.COOKIES.get(OPEN_COOKIE, "").split(".")[:MOST_OPEN]
    nodes = open_branches(user, counting, _keys(remembered), as_id(current))
    return _Maker(base, user.can_edit, current).listed(nodes)


def _keys(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if len(text) == KEY_LENGTH and text.isalnum()]


def current_branch(shown: list[Branch]) -> Branch | None:
    """The branch that the page is about, if it is a folder in which one may make another."""
    return next((one for one in shown if one.is_current and one.can_change), None)


def branch_of(request: HttpRequest, user: User, folder_id: UUID | None) -> list[Branch]:
    """The folders directly in one, None for the top, from number ``?from=`` on.

    Raises NotFound where the folder is not open to ``user``.
    """
    counting, base = _place(request)
    skip = as_number(request.GET.get("from"))
    if folder_id is None:
        return _Maker(base, user.can_edit).listed(top_of(user, [counting], skip=skip), skipped=skip)
    found = branch(user, [counting], folder_id, skip=skip)
    if found is None:
        raise NotFound(_("There is no such folder, or you may not see it."))
    return _Maker(base, user.can_edit).listed(found.children, skipped=skip)
