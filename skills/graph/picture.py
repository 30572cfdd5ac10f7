"""From a scope to the picture of it: fetch, lay out, draw."""

from __future__ import annotations

from django.utils.translation import gettext as _

from documents.models import Folder
from documents.names import shown_name
from kbsite.accounts.models import User
from skills.graph import draw
from skills.graph.areas import FolderRow
from skills.graph.fetch import MOST_NEAR, MOST_NODES, Graph, graph_of, neighbourhood
from skills.graph.scope import Scope


def picture_of(scope: Scope, user: User, limit: int = MOST_NODES) -> tuple[Graph, draw.Picture]:
    """The graph and its picture; a neighbourhood has no more than 150 nodes. No more than five queries."""
    if scope.skill:
        graph = neighbourhood(scope, user, min(limit, MOST_NEAR))
        return graph, draw.near(graph)
    graph = graph_of(scope, user, limit)
    return graph, draw.whole(graph, _folders(user), _("Unfiled"))


def _folders(user: User) -> list[FolderRow]:
    """The folders ``user`` may see, in the tree's order."""
    seen = Folder.objects.visible_to(user).order_by("place")
    rows = seen.values_list("id", "parent_id", "name", "is_system")
    return [(id_, parent, shown_name(name, is_system)) for id_, parent, name, is_system in rows]
