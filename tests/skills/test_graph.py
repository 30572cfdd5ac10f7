"""The graph page: what is drawn and what is not, and the list that says the same."""

from __future__ import annotations

import html
import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills.graph import fetch, views
from skills.graph.fetch import Edge, graph_of, neighbourhood
from skills.graph.picture import picture_of
from skills.graph.scope import Scope, scope_of
from skills.models import Link, Relation, Skill
from tests import people
from tests.skills.rows import link, make, relate

pytestmark = pytest.mark.usefixtures("alice")  # without an admin every page leads to set-up
HOSTILE = [
    '<svg onload="alert(1)">',
    "</title><script>alert(1)</script>",
    "‮gnp.exe‬",
    "🦊" * 30,
    "x" * 100,
    "a/b?c#d%20",
]


def said(response: Any) -> str:
    """What a page says, without its tags."""
    text = re.sub(r"<script.*?</script>", "", response.content.decode(), flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.fixture
def secret(alice: User) -> Folder:
    """A folder that only Alice may see."""
    folder = Folder.objects.create(name="Board")
    FolderGrant.objects.create(folder=folder, user=alice)
    return folder


def drawn(user: User, **scope: Any) -> tuple[set[str], set[tuple[str, str, str]]]:
    """The names of what is drawn, and its edges as (source, type, target)."""
    asked = Scope(**scope)
    graph = neighbourhood(asked, user) if asked.skill else graph_of(asked, user)
    names = [node.name for node in graph.nodes]
    return set(names), {
        (names[edge.source], edge.type or edge.kind, names[edge.target]) for edge in graph.edges
    }


def test_a_relation_is_drawn_once_and_a_link_each_way(bob: User) -> None:
    """Folded over both ways; "contains" is "part of" turned; several links to one skill are one edge."""
    a, b, c = make("A"), make("B"), make("C")
    relate(b, a, "superset")
    relate(a, c, "conflict")
    link(a, b)
    link(a, b, "sk://skills/b")
    link(b, a)
    link(c, c)
    names, edges = drawn(bob)
    assert names == {"A", "B", "C"}
    assert {edge for edge in edges if "conflict" not in edge} == {
        ("A", "subset", "B"),
        ("A", "link", "B"),
        ("B", "link", "A"),
    }
    assert len(edges) == 4
    counts = {node.name: (node.relations, node.links) for node in graph_of(Scope(), bob).nodes}
    assert counts == {"A": (2, 2), "B": (1, 2), "C": (1, 0)}


def test_a_relation_that_was_written_one_way_only_is_drawn_too(bob: User) -> None:
    """From either end of it."""
    a, b = make("A"), make("B")
    Relation.objects.create(source=a, target=b, type="superset")
    assert drawn(bob, skill="b")[1] == drawn(bob, skill="a")[1] == {("B", "subset", "A")}


def test_what_one_may_not_see_leaves_no_trace(bob: User, alice: User, page: Client, secret: Folder) -> None:
    """Not as a dot, an edge, a count, a card, in the list or the API; its neighbours look alone."""
    a, b, hidden = make("Open one"), make("Open two"), make("Merger plans", secret)
    relate(a, hidden, "conflict")
    link(hidden, b)
    link(a, hidden)
    assert drawn(alice)[1] and drawn(bob) == ({"Open one", "Open two"}, set())
    assert all(node.degree == 0 for node in graph_of(Scope(), bob).nodes)
    assert drawn(bob, without_lone=True)[0] == set()
    assert drawn(bob, skill="open-one", depth=2)[0] == {"Open one"}
    for address in ("", "?view=list", "?skill=open-one&depth=2", "?at=merger-plans", "?lone=no&view=list"):
        shown = page.get(f"/graph/{address}")
        assert shown.status_code == 200
        assert "Merger" not in shown.content.decode()
        assert "onflict" not in said(shown).replace("conflicts ", "", 1)  # but for the filter's option
    for address in (
        "?skill=merger-plans",
        f"?folder={secret.pk}",
        f"?folder={secret.pk}&view=list",
        "card/merger-plans/",
    ):
        assert page.get(f"/graph/{address}").status_code == 404
    answer = Client().get("/api/graph", headers=people.bearer(bob)).json()
    assert (len(answer["nodes"]), answer["edges"], answer["total"]) == (2, [], 2)
    assert "Merger" not in page.get("/graph/card/open-one/").content.decode()


def test_trash_and_system_skills_are_left_out_and_readers_see_what_is_found(bob: User, dave: User) -> None:
    """Editors see what search does not find yet, drawn apart."""
    a, gone = make("A"), make("Gone")
    make("How to search", type="system")
    pending = make("Pending", status="pending")
    for other in (gone, pending):
        relate(a, other)
    Skill.objects.filter(pk=gone.pk).update(deleted_at="2026-01-01T00:00Z")
    names, edges = drawn(bob)
    assert names == {"A", "Pending"} and len(edges) == 1
    assert drawn(dave) == ({"A"}, set())
    looks = {dot.name: dot.look for dot in picture_of(Scope(), bob)[1].dots}
    assert looks == {"A": "", "Pending": "off"}


def test_filters_are_in_the_address(bob: User) -> None:
    """Edge kinds, one type of relation from either word for it, type, tag, folder, lone ones."""
    folder = Folder.objects.create(name="HR")
    below = Folder.objects.create(name="Travel", parent=folder)
    a = make("A", folder, tags=["hr"])
    b, c, d = make("B", below, tags=["hr"], type="document"), make("C"), make("D")
    relate(a, b, "conflict")
    relate(a, c, "subset")
    link(b, c)
    assert len(drawn(bob)[1]) == 3
    assert {edge[1] for edge in drawn(bob, edges="relations")[1]} == {"conflict", "subset"}
    assert {edge[1] for edge in drawn(bob, edges="links")[1]} == {"link"}
    for word in ("subset", "superset"):
        assert drawn(bob, edges=word, without_lone=True) == ({"A", "C"}, {("A", "subset", "C")})
    assert drawn(bob, without_lone=True)[0] == {"A", "B", "C"}
    assert drawn(bob, tag="hr") == ({"A", "B"}, {("A", "conflict", "B")})
    assert drawn(bob, type="document")[0] == {"B"}
    assert drawn(bob, folder_id=folder.pk)[0] == {"A", "B"}
    assert drawn(bob, unfiled=True)[0] == {"C", "D"}
    asked = scope_of({"edges": "conflict", "lone": "no", "tag": " hr ", "type": "user", "depth": "2"})
    assert asked == Scope(edges="conflict", without_lone=True, tag="hr", type="user", depth=2)
    nonsense = {"edges": "';--", "type": "system", "depth": "9", "folder": "x", "tag": "\0"}
    assert scope_of(nonsense) == Scope()
    assert d.name in drawn(bob)[0]


def test_the_list_view_has_the_same_filters(page: Client) -> None:
    """Lone ones left out, one kind of edge, a tag."""
    a, b = make("Alpha", tags=["hr"]), make("Beta")
    make("Lonely")
    link(a, b)
    assert "Lonely" in said(page.get("/graph/?view=list"))
    shown = said(page.get("/graph/?view=list&lone=no"))
    assert "Alpha" in shown and "Beta" in shown and "Lonely" not in shown
    assert "Alpha" not in said(page.get("/graph/?view=list&lone=no&edges=relations"))
    assert "Beta" not in said(page.get("/graph/?view=list&tag=hr"))
    assert "No skill fits" in said(page.get("/graph/?view=list&lone=no&edges=conflict"))


def test_a_neighbourhood_goes_one_or_two_steps(bob: User) -> None:
    """The centre first; a ring of skills ends; edges between neighbours are there too."""
    chain = [make(f"S{n}") for n in range(5)]
    for one, other in zip(chain, [*chain[1:], chain[0]], strict=True):
        link(one, other)
    assert drawn(bob, skill="s0", depth=1)[0] == {"S0", "S1", "S4"}
    names, edges = drawn(bob, skill="s0", depth=2)
    assert names == {f"S{n}" for n in range(5)} and len(edges) == 5
    graph = neighbourhood(Scope(skill="s0", depth=2), bob)
    assert graph.nodes[0].name == "S0" and graph.steps == [0, 1, 1, 2, 2]


def test_a_large_neighbourhood_keeps_names_apart(bob: User) -> None:
    """At most 150 are drawn, conflicts first; no two names share a line on one side."""
    centre = make("Hub")
    others = Skill.objects.bulk_create(
        Skill(name=f"Spoke {n}", slug=f"spoke-{n}", status="approved") for n in range(200)
    )
    Link.objects.bulk_create(Link(source=o, target=centre, label="Hub", key="hub") for o in others)
    relate(others[-1], centre, "conflict")
    graph, picture = picture_of(Scope(skill="hub", depth=2), bob)
    assert len(graph.nodes) == 150 and graph.is_truncated and graph.total == 201
    assert graph.nodes[1].name == "Spoke 199"
    for side in (True, False):
        lines = sorted(dot.y for dot in picture.dots[1:] if (dot.x > 0) is side)
        assert len(lines) > 60
        assert min(b - a for a, b in itertools.pairwise(lines)) >= 24


def test_of_a_large_base_the_most_linked_are_drawn(bob: User, page: Client, monkeypatch: Any) -> None:
    """And then the most used; the page says how many there are."""
    hub, spokes = make("Hub"), [make(f"Spoke {n}") for n in range(4)]
    used = make("Used", active_count=9)
    for n in range(6):
        make(f"Lone {n}")
    for spoke in spokes[:3]:
        link(spoke, hub)
    graph = graph_of(Scope(), bob, limit=5)
    assert graph.nodes[0].name == "Hub" and graph.nodes[4].name == used.name
    assert graph.is_truncated and graph.total == 12 and len(graph.edges) == 3
    monkeypatch.setattr(views, "MOST_NODES", 5)
    assert "5 of 12 drawn" in said(page.get("/graph/"))
    assert "narrow by folder" in said(page.get("/graph/"))


def test_more_edges_than_can_be_drawn_are_said_to_be(bob: User, page: Client, monkeypatch: Any) -> None:
    """Conflicts are among those that are."""
    skills = [make(f"S{n}") for n in range(6)]
    for one in skills:
        for other in skills:
            if one != other:
                link(one, other)
    relate(skills[4], skills[5], "conflict")
    monkeypatch.setattr(fetch, "MOST_EDGES", 3)
    graph = graph_of(Scope(), bob)
    assert not graph.has_all_edges and len(graph.edges) == 3
    assert graph.edges[0].type == "conflict"
    assert "more edges than can be drawn" in said(page.get("/graph/"))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_text(page: Client, name: str) -> None:
    """In titles, labels, data, card and list; no style or script comes in with them."""
    folder = Folder.objects.create(name=name[:60])
    one, other = make(name, folder, slug="one", abstract=name), make("Other", slug="other")
    relate(one, other, "conflict")
    for address in (
        "/graph/",
        "/graph/?skill=one&depth=2",
        "/graph/?at=one",
        "/graph/?view=list",
        "/graph/card/one/",
    ):
        body = page.get(address).content.decode()
        assert name[:20] in html.unescape(body)
        assert "<svg onload" not in body and "<script>alert" not in body
        assert " style=" not in body.replace(" style=%", "")


def test_slugs_of_any_letters_lead_to_their_skill(page: Client) -> None:
    """Chinese, and what would end a path."""
    for slug in ("差旅-报销", "50%25-off", "what?", "c#"):
        make(slug, slug=slug)
    body = page.get("/graph/").content.decode()
    for address in re.findall(r'<a href="(/skills/[^"]+/)" tabindex', body):
        assert page.get(html.unescape(address)).status_code == 200, address
    assert 'href="/skills/差旅-报销/"' in body


def test_the_picture_is_read_without_a_script(page: Client) -> None:
    """Dots are links with names, the folders have theirs; a summary and a way to the list."""
    folder = Folder.objects.create(name="Travel")
    a, b = make("Rail passes", folder), make("Hotels", folder)
    link(a, b)
    relate(a, b, "conflict")
    body = page.get("/graph/").content.decode()
    assert 'role="img" aria-labelledby="graph-summary"' in body
    assert '<a href="/skills/rail-passes/" tabindex="-1" class="torn"><title>Rail passes</title>' in body
    assert re.search(r"<text[^>]*>Travel</text>", body)
    shown = said(page.get("/graph/"))
    assert "2 skills · 1 relation · 1 link" in shown and "See as a list" in shown
    data = json.loads(re.search(r'id="graph-data" type="application/json">(.*?)</script>', body, re.S)[1])  # type: ignore[index]
    assert [(s["type"], s["out"], s["in"], sorted(s["pairs"])) for s in data] == [
        ("conflict", "conflicts with", "conflicts with", [0, 1]),
        ("link", "links to", "linked from", [0, 1]),
    ]


def test_the_list_says_what_the_picture_shows(page: Client) -> None:
    """A heading a folder, one a skill, and each edge in words from this end."""
    hr = Folder.objects.create(name="HR")
    travel = Folder.objects.create(name="Travel", parent=hr)
    a, b, c = make("Rail", travel), make("Rail EU", travel), make("Hotels")
    relate(b, a, "subset")
    relate(a, c, "conflict")
    link(c, a)
    make("Lone", hr)
    body = page.get("/graph/?view=list").content.decode()
    headings = re.findall(r"<h([123])[^>]*>(.*?)</h\1>", body, re.S)
    found = [
        (level, " ".join(html.unescape(re.sub("<[^>]+>", " ", text)).split())) for level, text in headings
    ]
    start = found.index(("1", "Graph"))
    assert found[start + 1 : start + 8] == [
        ("2", "HR"),
        ("3", "Lone"),
        ("2", "HR / Travel"),
        ("3", "Rail"),
        ("3", "Rail EU"),
        ("2", "Unfiled"),
        ("3", "Hotels"),
    ]
    shown = said(page.get("/graph/?view=list"))
    for sentence in (
        "Rail conflicts with Hotels contains Rail EU linked from Hotels",
        "Rail EU part of Rail",
        "Hotels conflicts with Rail links to Rail",
        "Lone Joined to nothing yet.",
    ):
        assert sentence in shown


def test_a_long_list_has_pages(page: Client) -> None:
    """Fifty at a time, on from where the last one ended."""
    for n in range(60):
        make(f"Skill {n:02}")
    first = page.get("/graph/?view=list").content.decode()
    assert first.count("data-opens") == 50 and "60 skills" in first
    onward = re.search(r'rel="next" href="(\?[^"]+)"', first)
    assert onward
    second = page.get(f"/graph/{html.unescape(onward[1])}").content.decode()
    assert second.count("data-opens") == 10 and "Skill 59" in second and "Skill 49" not in second


def test_empty_bases_folders_and_neighbourhoods_say_what_to_do(page: Client) -> None:
    """Each in its own words."""
    assert "No skills yet" in said(page.get("/graph/"))
    assert "No skills yet" in said(page.get("/graph/?view=list"))
    folder = Folder.objects.create(name="Empty")
    make("Alone")
    assert "Nothing in this folder yet" in said(page.get(f"/graph/?folder={folder.pk}"))
    whole = said(page.get("/graph/"))
    assert "Nothing is joined yet" in whole and "[[Name]]" in whole
    lone = said(page.get("/graph/?skill=alone"))
    assert "Nothing is joined yet" in lone and "Alone" in lone
    assert "No such edge" in said(page.get("/graph/?edges=conflict"))
    assert "No skill fits" in said(page.get("/graph/?tag=none"))
    assert page.get("/graph/?skill=nobody").status_code == 404
    assert page.get("/graph/card/nobody/").status_code == 404


def test_the_card_tells_of_one_skill(page: Client) -> None:
    """Name, path, abstract and edges in words, with a way to open it and to its neighbourhood."""
    folder = Folder.objects.create(name="HR")
    a, b = make("Leave", folder, abstract="How long, and when."), make("Sickness")
    relate(a, b, "complement")
    link(b, a)
    body = page.get("/graph/card/leave/")
    shown = said(body)
    for words in ("Leave", "HR", "How long, and when.", "adds to Sickness", "linked from Sickness"):
        assert words in shown
    assert 'href="/graph/?skill=leave"' in body.content.decode()
    assert "<html" not in body.content.decode()


def test_cost_does_not_grow_with_the_base(
    page: Client, bob: User, django_assert_num_queries: Callable[..., Any]
) -> None:
    """As many queries for sixty skills in twenty folders as for two."""
    addresses = (
        "/graph/",
        "/graph/?view=list",
        "/graph/?skill=s-0&depth=2",
        "/graph/?lone=no&edges=conflict",
    )
    folder = Folder.objects.create(name="F")
    skills = [make(f"S {n}", folder, slug=f"s-{n}") for n in range(2)]
    link(skills[0], skills[1])
    relate(skills[0], skills[1], "conflict")
    few = [_queries(page, address) for address in addresses]
    for n in range(2, 60):
        parent = Folder.objects.create(name=f"F {n}", parent=folder) if n < 20 else folder
        skills.append(make(f"S {n}", parent, slug=f"s-{n}"))
        link(skills[n], skills[n // 2])
        relate(skills[n], skills[n - 1], "conflict")
    for address, count in zip(addresses, few, strict=True):
        with django_assert_num_queries(count):
            assert page.get(address).status_code == 200
    assert max(few) <= 16


def _queries(page: Client, address: str) -> int:
    page.get(address)
    with CaptureQueriesContext(connection) as context:
        page.get(address)
    return len(context)


def test_edges_know_their_direction() -> None:
    """Links and parts have one; equals have none."""
    assert Edge(0, 1, "link", "").is_directed and Edge(0, 1, "relation", "subset").is_directed
    assert not Edge(0, 1, "relation", "conflict").is_directed
