"""The folder tree in the rail: what it shows, counts and costs, however large or deep the tree is."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents import tree as folder_tree
from documents.models import Document, Folder
from documents.tree import visible_tree
from kbsite.accounts.models import User
from skills.models import Skill
from tests import people

pytestmark = pytest.mark.django_db


class Tree(HTMLParser):
    """Reads the tree of a page: (level, name, count) of each item; complains about unclosed ones."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.items: list[tuple[int, str, str]] = []
        self.open: list[str] = []
        self._level, self._name, self._reads = 0, "", False
        start = page.index('<ul role="tree"') if '<ul role="tree"' in page else 0
        self.feed(page[start : page.index("</nav>", start) if "</nav>" in page[start:] else len(page)])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("ul", "li"):
            self.open.append(tag)
        if given.get("role") == "treeitem":
            self._level, self._name = int(given["aria-level"] or 0), given.get("aria-label") or "…"
        self._reads = given.get("class") == "count"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "li"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._reads:
            self.items.append((self._level, self._name, data))
            self._reads = False


@pytest.fixture
def bob(client: Client) -> User:
    """An editor, signed in."""
    people.alice()
    bob = people.bob()
    client.force_login(bob)
    return bob


def shown(client: Client, address: str = "/skills/") -> list[tuple[int, str, str]]:
    """The tree on that page, without the root folder."""
    found = Tree(client.get(address).content.decode())
    assert found.open == []
    return [item for item in found.items if item[1] != "Root folder"]


def skill(slug: str, folder: Folder | None, **more: Any) -> Skill:
    return Skill.objects.create(name=slug, slug=slug, folder=folder, **({"status": "approved"} | more))


@pytest.fixture
def rules(db: None) -> dict[str, Folder]:
    """Rules / Travel / Abroad, and Security."""
    made: dict[str, Folder] = {}
    for name, parent in (("Rules", ""), ("Travel", "Rules"), ("Abroad", "Travel"), ("Security", "")):
        made[name] = Folder.objects.create(name=name, parent=made.get(parent), sort_order=len(made))
    return made


def test_counts_hold_what_is_below(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    """Also of branches that are closed; system skills and the trash are not counted."""
    for n, name in enumerate(("Rules", "Travel", "Abroad", "Abroad")):
        skill(f"s{n}", rules[name])
    skill("unfiled", None)
    skill("system", None, type="system")
    Skill.objects.create(name="t", slug="t", folder=rules["Abroad"], deleted_at="2026-01-01T00:00Z")
    assert shown(client) == [(1, "Rules", "4"), (1, "Security", "0"), (1, "Unfiled", "1")]
    client.cookies["kb_open"] = ".".join(rules[name].id.hex[-12:] for name in ("Rules", "Travel"))
    assert shown(client)[:3] == [(1, "Rules", "4"), (2, "Travel", "3"), (3, "Abroad", "2")]
    Document.objects.create(title="d", filename="d", folder=rules["Abroad"])
    assert shown(client, "/documents/")[:2] == [(1, "Rules", "1"), (2, "Travel", "1")]


def test_an_open_branch_in_a_closed_one_waits(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    client.cookies["kb_open"] = rules["Travel"].id.hex[-12:]
    assert [name for _level, name, _count in shown(client)] == ["Rules", "Security", "Unfiled"]


def test_the_way_to_the_folder_is_open(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    levels = [(level, name) for level, name, _ in shown(client, f"/skills/?folder={rules['Abroad'].id}")]
    assert levels[:3] == [(1, "Rules"), (2, "Travel"), (3, "Abroad")]
    for nonsense in ("x", "unfiled", "00000000-0000-0000-0000-000000000000"):
        assert len(shown(client, f"/skills/?folder={nonsense}")) == 3


def test_readers_count_what_they_can_find(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    skill("a", rules["Travel"])
    skill("b", rules["Travel"], status="pending")
    skill("c", rules["Travel"], is_active=False)
    assert shown(client)[0] == (1, "Rules", "3")
    client.force_login(people.dave())
    assert shown(client)[0] == (1, "Rules", "1")


def test_what_is_closed_is_neither_shown_nor_counted(
    client: Client, bob: User, rules: dict[str, Folder]
) -> None:
    rules["Travel"].grants.create(user=people.carol())
    skill("a", rules["Abroad"])
    skill("b", rules["Rules"])
    client.cookies["kb_open"] = rules["Rules"].id.hex[-12:]
    page = client.get("/skills/").content.decode()
    assert "Travel" not in page and "Abroad" not in page
    assert shown(client)[0] == (1, "Rules", "1")
    rail = page[page.index('<ul role="tree"') : page.index("</nav>", page.index('<ul role="tree"'))]
    assert "aria-expanded" not in rail  # nothing that can be opened is in it
    client.cookies.pop("kb_open")
    named = client.get(f"/skills/?folder={rules['Abroad'].id}").content.decode()
    assert 'aria-expanded="true"' not in named  # nor does the tree tell where a closed folder is
    assert client.get(f"/tree/{rules['Travel'].id}/").status_code == 404
    assert client.get(f"/tree/{rules['Abroad'].id}/").status_code == 404
    assert client.get("/tree/00000000-0000-0000-0000-000000000000/").status_code == 404


def tree_queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as found:
        client.get(address)
    return [query["sql"] for query in found.captured_queries if "WITH counted" in query["sql"]]


def test_the_tree_is_one_query(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    """Whatever is open, whatever the page."""
    client.get("/skills/")
    with CaptureQueriesContext(connection) as few:
        client.get("/skills/")
    parent = rules["Abroad"]
    for n in range(40):
        parent = Folder.objects.create(name=f"d{n}", parent=parent)
    client.cookies["kb_open"] = ".".join(folder.id.hex[-12:] for folder in rules.values())
    with CaptureQueriesContext(connection) as many:
        client.get("/skills/")
    assert len(few) == len(many)
    for address in ("/me/", "/skills/", "/documents/", f"/tree/{rules['Rules'].id}/", "/tree/"):
        assert len(tree_queries(client, address)) == 1


def test_a_tree_a_thousand_deep(client: Client, bob: User) -> None:
    """The page of the deepest folder shows the way to it; so do pickers and the API."""
    Folder.objects.bulk_create(chain := [Folder(name=f"d{n}") for n in range(1000)])
    for above, below in pairwise(chain):
        below.parent = above
    Folder.objects.bulk_update(chain[1:], ["parent"], batch_size=1000)
    found = shown(client, f"/skills/?folder={chain[-1].id}")
    assert [level for level, name, _count in found if name.startswith("d")] == list(range(1, 1001))
    assert client.get("/folders/new/").status_code == 200
    assert client.get(f"/folders/{chain[500].id}/?move=1").status_code == 200
    headers = people.bearer(bob)
    assert client.get("/api/folders?tree=true", headers=headers).status_code == 200
    one = client.get(f"/api/folders/{chain[-1].id}", headers=headers).json()
    assert len(one["path"]) == 1000
    below = client.get(f"/api/folders?parent_id={chain[70].id}", headers=headers).json()
    assert [folder["name"] for folder in below] == ["d71"]
    assert len(visible_tree(bob)) == 3


def test_many_siblings_come_bit_by_bit(
    client: Client, bob: User, rules: dict[str, Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first ones, the one the page is about, and a line for the rest."""
    monkeypatch.setattr(folder_tree, "MOST_SIBLINGS", 5)
    top = rules["Security"]
    made = [Folder(name=f"n{n:02}", parent=top, sort_order=n) for n in range(12)]
    Folder.objects.bulk_create(made)
    page = client.get(f"/skills/?folder={made[8].id}").content.decode()
    names = [name for level, name, _count in Tree(page).items if level == 2]
    assert names == ["n00", "n01", "n02", "n03", "n04", "n08"]
    assert "6 more folders" in page and f"/tree/{top.id}/?of=skills&amp;from=5" in page
    more = client.get(f"/tree/{top.id}/?of=skills&from=5").content.decode()
    assert [name for _l, name, _c in Tree(more).items] == ["n05", "n06", "n07", "n08", "n09"]
    assert "2 more folders" in more
    last = client.get(f"/tree/{top.id}/?of=skills&from=10").content.decode()
    assert [name for _l, name, _c in Tree(last).items] == ["n10", "n11"] and "more folder" not in last


def test_the_api_counts_one_level_or_all(client: Client, bob: User, rules: dict[str, Folder]) -> None:
    skill("a", rules["Abroad"])
    Document.objects.create(title="d", filename="d", folder=rules["Travel"])
    headers = people.bearer(bob)
    top = client.get("/api/folders", headers=headers).json()
    assert [folder["name"] for folder in top if not folder["is_system"]] == ["Rules", "Security"]
    found = next(folder for folder in top if folder["name"] == "Rules")
    assert found["counts"] == {
        "documents": 0,
        "skills": 0,
        "folders": 1,
        "documents_below": 1,
        "skills_below": 1,
    }
    assert found["children"] == []
    tree = client.get("/api/folders?tree=true", headers=headers).json()
    rules_again = next(folder for folder in tree if folder["name"] == "Rules")
    abroad = rules_again["children"][0]["children"][0]
    assert abroad["path"] == ["Rules", "Travel", "Abroad"] and abroad["counts"]["skills"] == 1
    narrow = people.bearer(bob, folder_id=rules["Travel"].id)
    assert [f["name"] for f in client.get("/api/folders", headers=narrow).json()] == ["Travel"]
    assert client.get(f"/api/folders?parent_id={rules['Rules'].id}", headers=narrow).status_code == 404


def test_who_may_not_change_folders_gets_no_means_to(
    client: Client, bob: User, rules: dict[str, Folder]
) -> None:
    page = client.get("/skills/").content.decode()
    assert page.count('class="of-folder"') == 2 and 'id="branch-menu"' in page
    client.force_login(people.dave())
    page = client.get("/skills/").content.decode()
    assert "of-folder" not in page and "branch-menu" not in page and "data-folder-id" not in page
