"""``/api/graph``."""

from __future__ import annotations

import uuid
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Field, Query, Router, Schema

from documents.models import Folder
from kbsite.accounts.auth import person
from kbsite.exceptions import NotFound
from skills.graph.draw import Picture
from skills.graph.fetch import MOST_NEAR, MOST_NODES, Graph
from skills.graph.picture import picture_of
from skills.graph.scope import DEEPEST, Scope

router = Router(tags=["graph"])


class GraphIn(Schema):
    """What the graph is of: everything, a folder with what is under it, or a neighbourhood."""

    skill: str = Field("", max_length=140, description="The slug in whose neighbourhood it is.")
    depth: int = Field(1, ge=1, le=DEEPEST, description="Steps away from ``skill``.")
    folder: uuid.UUID | None = None
    limit: int = Field(MOST_NODES, ge=1, le=MOST_NODES, description=f"At most {MOST_NEAR} with ``skill``.")


class GraphNode(Schema):
    """A skill. ``x`` and ``y`` are where the picture has it; ``relations`` and ``links`` count its edges."""

    id: uuid.UUID
    slug: str
    name: str
    folder: uuid.UUID | None
    relations: int
    links: int
    x: int
    y: int


class GraphEdge(Schema):
    """A relation, once for both ways, or a link. ``directed``: from ``source`` to ``target``."""

    source: uuid.UUID
    target: uuid.UUID
    kind: Literal["relation", "link"]
    type: str
    directed: bool


class GraphOut(Schema):
    """The most linked, then the most used skills first; ``total`` is how many there are."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    total: int
    truncated: bool


@router.get("", response=GraphOut, summary="Skills and what joins them")
def get_graph(request: HttpRequest, asked: Query[GraphIn]) -> dict[str, Any]:
    """Only skills that you may see, and edges between them."""
    user = person(request)
    seen = Folder.objects.visible_to(user)
    if asked.folder and not seen.filter(pk=asked.folder).exists():
        raise NotFound(_("There is no such folder, or you may not see it."))
    scope = Scope(skill=asked.skill, depth=asked.depth, folder_id=asked.folder)
    graph, picture = picture_of(scope, user, asked.limit)
    if scope.skill and not graph.nodes:
        raise NotFound(_("There is no such skill, or you may not see it."))
    return _answer(graph, picture)


def _answer(graph: Graph, picture: Picture) -> dict[str, Any]:
    ids = [node.id for node in graph.nodes]
    return {
        "nodes": [
            {
                "id": node.id,
                "slug": node.slug,
                "name": node.name,
                "folder": node.folder_id,
                "relations": node.relations,
                "links": node.links,
                "x": dot.x,
                "y": dot.y,
            }
            for node, dot in zip(graph.nodes, picture.dots, strict=True)
        ],
        "edges": [
            {
                "source": ids[edge.source],
                "target": ids[edge.target],
                "kind": edge.kind,
                "type": edge.type,
                "directed": edge.is_directed,
            }
            for edge in graph.edges
        ],
        "total": graph.total,
        "truncated": graph.is_truncated,
    }
