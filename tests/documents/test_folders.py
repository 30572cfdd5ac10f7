"""Folders are made, renamed, nested, moved and deleted as the protocol says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from documents import folder_trash, folders
from documents.models import Document, Folder
from documents.tree import Node, visible_tree
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, NotAllowed, NotFound
from kbsite.ids import new_id
from tests import people
from tests.example_tree import make_example

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> Folder:
    """The system folder, as the migration makes it (a flushed test database has lost it)."""
    import_module("documents.migrations.0003_root_folder").make_root(apps, None)
    return Folder.objects.get(is_system=True)


@pytest.fixture
def tree(root: Folder) -> dict[str, Folder]:
    """The protocol's example."""
    return {"根目录": root} | make_example()


def outline(nodes: list[Node]) -> list[Any]:
    return [(node.name, outline(node.children)) if node.children else node.name for node in nodes]


def test_the_protocols_example_in_its_order(
    tree: dict[str, Folder], bob: User, django_assert_num_queries: Any
) -> None:
    visible_tree(bob)
    with django_assert_num_queries(1):
        nodes = visible_tree(bob)
    assert outline(nodes) == [
        "Root folder",
        ("技术文档", [("前端开发", ["React", "Vue"]), ("后端开发", ["FastAPI"])]),
        "产品文档",
        "Unfiled",
    ]
    assert [n.depth for n in (nodes[1], nodes[1].children[0], nodes[1].children[0].children[0])] == [0, 1, 2]


def test_the_path_to_a_folder_takes_one_query(
    tree: dict[str, Folder], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        found = folders.path(tree["React"].pk)
    assert [f.name for f in found] == ["技术文档", "前端开发", "React"]
    assert folders.path(None) == folders.path(tree["根目录"].pk) == folders.path(new_id()) == []


def test_counts_add_up_to_the_top(tree: dict[str, Folder], bob: User) -> None:
    for name in ("React", "React", "Vue", "技术文档"):
        Document.objects.create(title="d", filename="d", folder=tree[name])
    Document.objects.create(title="d", filename="d")
    _root, tech, product, unfiled = visible_tree(bob)
    assert (tech.count, tech.children[0].count, product.count, unfiled.count) == (4, 3, 0, 1)
    assert tech.own == {"documents": 1, "skills": 0}


def test_a_new_folder_comes_last(tree: dict[str, Folder], bob: User) -> None:
    made = folders.create(bob, "  New \n folder\x00 ", parent_id=tree["技术文档"].pk)
    assert made.name == "New folder" and made.sort_order > tree["后端开发"].sort_order
    assert folders.create(bob, "x", sort_order=0).sort_order == 0


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "x" * 201])
def test_a_name_that_is_none(name: str, bob: User) -> None:
    with pytest.raises(InvalidInput):
        folders.create(bob, name)


def test_a_form_sent_twice_makes_one_folder(bob: User) -> None:
    folders.create(bob, "One")
    with pytest.raises(Conflict) as refused:
        folders.create(bob, "One")
    assert refused.value.code == "name_taken"


def test_renaming(tree: dict[str, Folder], bob: User, dave: User) -> None:
    folders.rename(tree["Vue"], bob, "Vue 3", description="组合式 API")
    assert Folder.objects.get(name="Vue 3").description == "组合式 API"
    with pytest.raises(Conflict):
        folders.rename(tree["React"], bob, "Vue 3")
    with pytest.raises(NotAllowed):
        folders.rename(tree["React"], dave, "Mine")


def test_moving_takes_everything_inside_along(tree: dict[str, Folder], bob: User) -> None:
    folders.move(tree["前端开发"], bob, tree["产品文档"].pk)
    assert [f.name for f in folders.path(tree["React"].pk)] == ["产品文档", "前端开发", "React"]
    folders.move(tree["前端开发"], bob, None, sort_order=5)
    assert [n.name for n in visible_tree(bob)][:2] == ["Root folder", "前端开发"]


@pytest.mark.parametrize("target", ["技术文档", "前端开发", "React"])
def test_a_folder_never_lies_inside_itself(target: str, tree: dict[str, Folder], bob: User) -> None:
    with pytest.raises(Conflict):
        folders.move(tree["技术文档"], bob, tree[target].pk)


def test_the_root_folder_stays_as_it_is(tree: dict[str, Folder], bob: User) -> None:
    root = tree["根目录"]
    for attempt in (
        lambda: folders.rename(root, bob, "x"),
        lambda: folders.move(root, bob, tree["React"].pk),
        lambda: folder_trash.delete(root, bob),
    ):
        with pytest.raises(NotAllowed):
            attempt()
    with pytest.raises(Conflict):
        folders.create(bob, "x", parent_id=root.pk)
    with pytest.raises(Conflict):
        folders.move(tree["React"], bob, root.pk)


def test_deleting_unfiles_what_was_inside(tree: dict[str, Folder], bob: User) -> None:
    document = Document.objects.create(title="d", filename="d", folder=tree["React"])
    said = folder_trash.would_empty(tree["技术文档"])
    emptied = folder_trash.delete(tree["技术文档"], bob)
    assert emptied.deletion_id and said.deletion_id is None
    assert replace(emptied, deletion_id=None) == said and (emptied.folders, emptied.documents) == (6, 1)
    document.refresh_from_db()
    assert document.folder is None and document.deleted_at is None
    assert {f.name for f in Folder.objects.all()} == {"根目录", "产品文档"}


def test_moving_the_contents(tree: dict[str, Folder], bob: User) -> None:
    document = Document.objects.create(title="d", filename="d", folder=tree["React"])
    assert folders.move_contents(tree["React"], bob, tree["Vue"].pk).count == 1
    document.refresh_from_db()
    assert document.folder == tree["Vue"]


def test_a_closed_folder_is_not_there_for_others(tree: dict[str, Folder], bob: User) -> None:
    tree["前端开发"].grants.create(user=people.carol())
    tech = visible_tree(bob)[1]
    assert outline(tech.children) == [("后端开发", ["FastAPI"])]
    with pytest.raises(NotFound):
        folders.create(bob, "x", parent_id=tree["React"].pk)
    with pytest.raises(Conflict):
        folder_trash.delete(tree["技术文档"], bob)


def test_a_narrow_key_sees_its_folder_at_the_top(tree: dict[str, Folder], bob: User) -> None:
    bob.narrowed_to = tree["前端开发"].pk
    assert outline(visible_tree(bob)) == [("前端开发", ["React", "Vue"])]
    assert folders.create(bob, "Svelte").parent == tree["前端开发"]
    with pytest.raises(NotAllowed):
        folder_trash.delete(tree["前端开发"], bob)


@pytest.mark.django_db(transaction=True)
def test_two_moves_at_once_make_no_ring(bob: User) -> None:
    a, b = Folder.objects.create(name="a"), Folder.objects.create(name="b")

    def move(folder: Folder, parent: Folder) -> bool:
        try:
            folders.move(Folder.objects.get(pk=folder.pk), bob, parent.pk)
        except Conflict:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(move, (a, b), (b, a)))
    assert sorted(done) == [False, True]


def test_a_thousand_folders_deep_and_wide(bob: User, django_assert_max_num_queries: Any) -> None:
    parent = None
    for n in range(200):
        parent = Folder.objects.create(name=f"d{n}", parent=parent)
    Folder.objects.bulk_create(Folder(name=f"w{n}", parent=parent) for n in range(800))
    with django_assert_max_num_queries(3):
        nodes = visible_tree(bob)
    deepest = nodes[0]
    while deepest.children:
        deepest = deepest.children[0]
    assert deepest.depth == 200 and len(folders.path(deepest.id)) == 201


def test_a_key_for_one_folder_deletes_none_inside_it(bob: User) -> None:
    """What is in a deleted folder becomes unfiled, where such a key doesn't reach."""
    own = Folder.objects.create(name="Own")
    inner = Folder.objects.create(name="Inner", parent=own)
    bob.narrowed_to = own.pk
    with pytest.raises(NotAllowed, match="limited to a folder"):
        folder_trash.delete(inner, bob)
    assert Folder.objects.filter(pk=inner.pk).exists()
