"""The tree of folders on the admin site: seen as a tree, moved by its own verbs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import AuditEntry, User
from tests import people

LIST = "/admin/documents/folder/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def carol() -> User:
    people.alice()
    return people.carol()


@pytest.fixture
def site(carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client


@pytest.fixture
def tree() -> dict[str, Folder]:
    """A with B and C in it, D after A."""
    made: dict[str, Folder] = {}
    for name, parent in (("A", ""), ("B", "A"), ("C", "A"), ("D", "")):
        order = 10 * (len(made) + 1)
        made[name] = Folder.objects.create(name=name, parent=made.get(parent), sort_order=order)
    return made


def shown(site: Client, **query: str) -> list[tuple[str, int]]:
    """The names on the page in order, each with its depth; without the root folder."""
    page = html.fromstring(site.get(LIST, query).content.decode())
    rows = page.xpath("//span[starts-with(@class, 'in-tree')]")
    named = [(row.text_content(), int(row.get("class").split("depth-")[1])) for row in rows]
    return [row for row in named if row[0] != "Root folder"]


def move(site: Client, folder: Folder, how: str) -> Any:
    return site.post(reverse("admin:documents_folder_move", args=[folder.pk]), {"how": how}, follow=True)


def said(answer: Any) -> str:
    """What the page says after a deed."""
    items = html.fromstring(answer.content.decode()).xpath("//ul[@class='messagelist']/li")
    return " ".join(item.text_content().strip() for item in items)


def values(folder: Folder, **changes: str) -> dict[str, str]:
    """What the form of a folder posts."""
    parent = str(folder.parent_id or "")
    form = {"name": folder.name, "description": "", "sort_order": str(folder.sort_order), "parent": parent}
    return form | changes


def test_the_list_is_the_tree(site: Client, tree: dict[str, Folder]) -> None:
    """In its order, indented; a search shows how deep each stands all the same."""
    assert shown(site) == [("A", 0), ("B", 1), ("C", 1), ("D", 0)]
    assert shown(site, q="C") == [("C", 1)]


def test_steps(site: Client, tree: dict[str, Folder]) -> None:
    """Up, down, in, out; at an end nothing happens; each is in the audit trail."""
    move(site, tree["C"], "up")
    assert shown(site) == [("A", 0), ("C", 1), ("B", 1), ("D", 0)]
    move(site, tree["C"], "up")
    assert shown(site) == [("A", 0), ("C", 1), ("B", 1), ("D", 0)]
    move(site, tree["C"], "down")
    move(site, tree["C"], "in")
    assert shown(site) == [("A", 0), ("B", 1), ("C", 2), ("D", 0)]
    move(site, tree["B"], "out")
    assert shown(site) == [("A", 0), ("B", 0), ("C", 1), ("D", 0)]
    move(site, tree["A"], "out")
    assert AuditEntry.objects.filter(action="folder.moved").count() == 4


def test_what_the_tree_refuses_is_said(site: Client, tree: dict[str, Folder]) -> None:
    """A taken name, an unknown way, the root folder; nothing changes."""
    Folder.objects.create(name="B", sort_order=99)
    assert "already a folder named “B”" in said(move(site, tree["B"], "out"))
    assert said(move(site, tree["B"], "sideways"))
    root = Folder.objects.get(is_system=True)
    for how in ("up", "down", "in"):
        assert "root folder can’t be" in said(move(site, root, how))
    assert site.get(reverse("admin:documents_folder_move", args=[root.pk])).status_code == 405


def test_parent_and_order_are_edited(site: Client, tree: dict[str, Folder]) -> None:
    """By the tree's verbs."""
    address = reverse("admin:documents_folder_change", args=[tree["D"].pk])
    given = values(tree["D"], parent=str(tree["A"].pk), sort_order="25", name="  D  d ")
    assert site.post(address, given).status_code == 302
    assert shown(site) == [("A", 0), ("B", 1), ("D d", 1), ("C", 1)]
    moved = Folder.objects.get(pk=tree["D"].pk)
    assert site.post(address, values(moved, parent="")).status_code == 302
    assert Folder.objects.get(pk=moved.pk).parent is None


def test_a_ring_is_refused_at_its_field(site: Client, tree: dict[str, Folder]) -> None:
    """So is a parent that is the root folder; what was typed stays."""
    address = reverse("admin:documents_folder_change", args=[tree["A"].pk])
    root = Folder.objects.get(is_system=True)
    for parent, sentence in (
        (tree["A"], "into itself or a folder inside it"),
        (tree["C"], "into itself or a folder inside it"),
        (root, "holds no folders"),
    ):
        answer = site.post(address, values(tree["A"], parent=str(parent.pk), name="Typed"))
        assert answer.status_code == 200
        assert sentence in answer.content.decode()
        assert 'value="Typed"' in answer.content.decode()
    assert Folder.objects.get(pk=tree["A"].pk).name == "A"


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "B"])
def test_bad_names_are_refused(site: Client, tree: dict[str, Folder], name: str) -> None:
    """With a sentence; nothing is saved."""
    address = reverse("admin:documents_folder_change", args=[tree["C"].pk])
    answer = site.post(address, values(tree["C"], name=name), follow=True)
    assert "errorlist" in answer.content.decode() or said(answer)
    assert Folder.objects.get(pk=tree["C"].pk).name == "C"


def test_the_root_folder_is_looked_at(site: Client) -> None:
    """Its form saves nothing."""
    root = Folder.objects.get(is_system=True)
    address = reverse("admin:documents_folder_change", args=[root.pk])
    assert site.get(address).status_code == 200
    assert site.post(address, values(root, name="Mine")).status_code == 403


def test_closed_folders_are_closed_there_too(site: Client, tree: dict[str, Folder]) -> None:
    """B50: neither seen nor moved, nor moved into."""
    FolderGrant.objects.create(folder=tree["A"], user=people.bob())
    assert shown(site) == [("D", 0)]
    move(site, tree["B"], "out")
    address = reverse("admin:documents_folder_change", args=[tree["D"].pk])
    answer = site.post(address, values(tree["D"], parent=str(tree["A"].pk)), follow=True)
    assert Folder.objects.get(pk=tree["D"].pk).parent is None, answer
    assert Folder.objects.get(pk=tree["B"].pk).parent == tree["A"]


def test_editors_are_kept_out(tree: dict[str, Folder]) -> None:
    """It is for curators."""
    people.alice()
    client = Client()
    client.force_login(people.bob())
    assert client.post(reverse("admin:documents_folder_move", args=[tree["B"].pk])).status_code == 302
    assert Folder.objects.get(pk=tree["B"].pk).parent == tree["A"]


def test_the_list_takes_a_fixed_number_of_queries(
    site: Client, tree: dict[str, Folder], django_assert_max_num_queries: Any
) -> None:
    """However many folders there are."""
    for n in range(60):
        Folder.objects.create(name=f"n{n}", parent=tree["A"], sort_order=n)
    with django_assert_max_num_queries(12):
        assert len(shown(site)) == 64
