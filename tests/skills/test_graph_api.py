"""The graph by the API."""

from __future__ import annotations

import pytest
from django.test import Client

from documents.models import Folder
from kbsite.accounts.models import User
from tests import people
from tests.skills.rows import link, make, relate

pytestmark = pytest.mark.usefixtures("alice")


def test_the_api_gives_nodes_and_edges(bob: User) -> None:
    """With ids, places, kinds and how many there are; 404 for what one may not see."""
    a, b = make("A"), make("B")
    relate(a, b, "superset")
    link(a, b)
    make("C")
    ask = Client(headers=people.bearer(bob))
    answer = ask.get("/api/graph").json()
    assert {node["slug"] for node in answer["nodes"]} == {"a", "b", "c"}
    assert answer["total"] == 3 and answer["truncated"] is False
    assert {"id", "slug", "name", "folder", "relations", "links", "x", "y"} == set(answer["nodes"][0])
    assert sorted(answer["edges"], key=lambda edge: edge["kind"]) == [
        {"source": str(a.pk), "target": str(b.pk), "kind": "link", "type": "", "directed": True},
        {"source": str(b.pk), "target": str(a.pk), "kind": "relation", "type": "subset", "directed": True},
    ]
    near = ask.get("/api/graph?skill=a&depth=1").json()
    assert [node["slug"] for node in near["nodes"]] == ["a", "b"]
    some = ask.get("/api/graph?limit=1").json()
    assert len(some["nodes"]) == 1 and some["truncated"] and some["total"] == 3
    assert ask.get("/api/graph?skill=nobody").status_code == 404
    assert ask.get("/api/graph?folder=01890000-0000-7000-8000-000000000000").status_code == 404
    for wrong in ("depth=3", "limit=0", "limit=99999", "folder=x"):
        assert ask.get(f"/api/graph?{wrong}").status_code == 422


def test_a_key_of_one_folder_sees_that_folder_only(bob: User) -> None:
    """Its graph is of what it may see; other folders are 404."""
    ours, theirs = Folder.objects.create(name="Ours"), Folder.objects.create(name="Theirs")
    a, b, c = make("A", ours), make("B", ours), make("C", theirs)
    link(a, b)
    link(a, c)
    ask = Client(headers=people.bearer(bob, folder_id=ours.pk))
    answer = ask.get("/api/graph").json()
    assert {node["name"] for node in answer["nodes"]} == {"A", "B"} and len(answer["edges"]) == 1
    assert ask.get(f"/api/graph?folder={theirs.pk}").status_code == 404
