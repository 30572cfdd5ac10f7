"""Living in the folder tree: putting folders elsewhere by drag and by keys, and undoing it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.running import Site

pytestmark = pytest.mark.slow

FOLDERS = """
from documents.models import Folder
from skills.models import Skill
Folder.objects.filter(name__startswith="Tree").delete()
Skill.objects.filter(slug="tree-skill").delete()
top = Folder.objects.create(name="Tree A", sort_order=1000)
Folder.objects.create(name="Tree A1", parent=top)
Folder.objects.create(name="Tree B", sort_order=1001)
Folder.objects.create(name="Tree C", sort_order=1002)
Skill.objects.create(name="Tree skill", slug="tree-skill", status="approved", index_state="ready")
"""
OUTLINE = """
from documents.models import Folder
print("=" + "|".join(f"{f.parent.name if f.parent else ''}/{f.name}" for f in
      Folder.objects.filter(name__startswith="Tree").order_by("place")))
"""


SHOWN = "#tree .node:not(.below) > .name:text('Tree')"


@pytest.fixture(autouse=True)
def _folders(site: Site) -> None:
    """Tree A with Tree A1 in it, Tree B, Tree C, and a skill in no folder."""
    site.command("shell", "-c", FOLDERS)


@pytest.fixture
def tree(page: Page) -> Page:
    """The list of skills with the tree beside it, nothing open."""
    page.context.clear_cookies(name="kb_open")
    page.goto("/skills/?folder=unfiled")
    return page


def outline(site: Site) -> list[str]:
    """The folders in their order, each as parent/name."""
    return site.command("shell", "-c", OUTLINE).rsplit("=", 1)[1].strip().split("|")


def item(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


def node(page: Page, name: str) -> Locator:
    return item(page, name).locator("> .node")


def drag(page: Page, start: Locator, end: Locator, part: float) -> None:
    """Drag one thing onto another, to a part of its height from the top; moves in steps as a hand does."""
    box = end.bounding_box()
    assert box is not None
    start.hover()
    page.mouse.down()
    y = box["y"] + box["height"] * part
    page.mouse.move(box["x"] + 60, y - 3, steps=4)
    page.mouse.move(box["x"] + 62, y, steps=3)
    page.mouse.up()


def test_a_folder_is_dragged_between_two_and_back(tree: Page, site: Site) -> None:
    """A line shows where it goes; the order is kept; Undo puts it back."""
    drag(tree, node(tree, "Tree C"), node(tree, "Tree B"), 0.1)
    expect(tree.locator("[data-toast]")).to_contain_text("Tree C")
    expect(tree.locator(SHOWN)).to_have_text(["Tree A", "Tree C", "Tree B"])
    tree.get_by_role("button", name="Undo").click()
    expect(tree.locator(SHOWN)).to_have_text(["Tree A", "Tree B", "Tree C"])
    assert outline(site) == ["/Tree A", "Tree A/Tree A1", "/Tree B", "/Tree C"]
    assert "folder=unfiled" in tree.url


def test_the_line_shows_while_dragging(tree: Page) -> None:
    """Before, into, after; never on the folder itself or on the root folder."""
    node(tree, "Tree A").hover()
    tree.mouse.down()
    box = node(tree, "Tree B").bounding_box()
    root = node(tree, "Root folder").bounding_box()
    own = node(tree, "Tree A").bounding_box()
    assert box and root and own
    for part, mark in ((0.1, "drop-before"), (0.5, "drop-here"), (0.9, "drop-after")):
        tree.mouse.move(box["x"] + 50, box["y"] + box["height"] * part, steps=4)
        tree.mouse.move(box["x"] + 52, box["y"] + box["height"] * part)
        expect(node(tree, "Tree B")).to_have_class(re.compile(rf"\b{mark}\b"))
    for place in (root, own):
        tree.mouse.move(place["x"] + 50, place["y"] + place["height"] / 2, steps=4)
        tree.mouse.move(place["x"] + 52, place["y"] + place["height"] / 2)
        expect(tree.locator(".drop-here, .drop-before, .drop-after")).to_have_count(0)
    tree.mouse.up()


def test_a_folder_is_dragged_into_one_that_opens(tree: Page, site: Site) -> None:
    """A closed folder opens while something is held over it; what was dropped is seen in it."""
    node(tree, "Tree B").hover()
    tree.mouse.down()
    box = node(tree, "Tree A").bounding_box()
    assert box
    tree.mouse.move(box["x"] + 50, box["y"] + box["height"] / 2, steps=5)
    expect(item(tree, "Tree A1")).to_be_visible()
    tree.mouse.move(box["x"] + 52, box["y"] + box["height"] / 2, steps=2)
    tree.mouse.up()
    expect(tree.locator("[data-toast]")).to_contain_text("in “Tree A” now")
    assert outline(site) == ["/Tree A", "Tree A/Tree A1", "Tree A/Tree B", "/Tree C"]
    expect(tree.locator(SHOWN)).to_have_text(["Tree A", "Tree A1", "Tree B", "Tree C"])


def test_a_skill_is_dropped_on_a_folder(tree: Page) -> None:
    """The list and the counts are drawn anew, and the way back is offered."""
    drag(tree, tree.get_by_role("row", name="Tree skill"), node(tree, "Tree B"), 0.5)
    expect(node(tree, "Tree B").locator(".count")).to_have_text("1")
    expect(tree.get_by_role("row", name="Tree skill")).to_have_count(0)
    tree.get_by_role("button", name="Undo").click()
    expect(tree.get_by_role("row", name="Tree skill")).to_be_visible()


def test_folders_are_arranged_by_keys(tree: Page, site: Site) -> None:
    """Alt with an arrow re-orders, puts in and takes out; the focus stays on the folder."""
    focused = "document.activeElement.getAttribute('aria-label')"
    item(tree, "Tree C").focus()
    tree.keyboard.press("Alt+ArrowUp")
    expect(tree.locator("[data-toast]").last).to_contain_text("Tree C")
    tree.wait_for_function(f"{focused} === 'Tree C'")
    assert outline(site)[-2:] == ["/Tree C", "/Tree B"]
    tree.keyboard.press("Alt+ArrowRight")
    expect(tree.locator("[data-toast]").last).to_contain_text("in “Tree A” now")
    tree.wait_for_function(f"{focused} === 'Tree C'")
    assert outline(site) == ["/Tree A", "Tree A/Tree A1", "Tree A/Tree C", "/Tree B"]
    tree.keyboard.press("Alt+ArrowLeft")
    expect(tree.locator("[data-toast]").last).to_contain_text("at the top now")
    tree.wait_for_function(f"{focused} === 'Tree C'")
    assert outline(site) == ["/Tree A", "Tree A/Tree A1", "/Tree C", "/Tree B"]
    assert tree.locator("[role=treeitem][tabindex='0']").count() == 1


def test_f2_renames(tree: Page, site: Site) -> None:
    """In a dialog with the name chosen; the page stays."""
    item(tree, "Tree B").focus()
    tree.keyboard.press("F2")
    field = tree.get_by_role("dialog", name="Rename the folder").get_by_label("Name")
    expect(field).to_have_value("Tree B")
    expect(field).to_be_focused()
    tree.keyboard.type("Tree B, renamed")
    tree.keyboard.press("Enter")
    expect(item(tree, "Tree B, renamed")).to_be_visible()
    assert "/skills/" in tree.url


def test_a_name_that_is_taken_is_said(tree: Page) -> None:
    """With what was typed still there."""
    item(tree, "Tree B").focus()
    tree.keyboard.press("F2")
    tree.keyboard.type("Tree C")
    tree.keyboard.press("Enter")
    expect(tree.get_by_text("There is already a folder named “Tree C” here.")).to_be_visible()
    expect(tree.get_by_role("main").get_by_label("Name")).to_have_value("Tree C")


def test_letters_do_things_with_a_folder(tree: Page) -> None:
    """n makes one inside, m opens the form to move it, Delete asks."""
    item(tree, "Tree B").focus()
    tree.keyboard.press("n")
    dialog = tree.get_by_role("dialog", name="New folder")
    expect(dialog.get_by_label("Inside")).to_have_value(re.compile(r"[0-9a-f-]{36}"))
    expect(dialog.get_by_label("Inside").locator("option:checked")).to_have_text("Tree B")
    tree.keyboard.press("Escape")
    expect(item(tree, "Tree B")).to_be_focused()
    tree.keyboard.press("m")
    expect(tree.get_by_role("heading", name="Rename or move the folder")).to_be_visible()
    expect(tree.get_by_label("Inside").last).to_be_focused()
    tree.go_back()
    item(tree, "Tree B").focus()
    tree.keyboard.press("Delete")
    expect(tree.get_by_role("heading", name="Delete the folder “Tree B”?")).to_be_visible()


def test_a_name_is_typed_whatever_its_letters(tree: Page) -> None:
    """None of them is taken for a key of the page: e, n, g, x, j and k lead to folders here."""
    item(tree, "Tree A").focus()
    address = tree.url
    tree.keyboard.type("tree b")
    expect(item(tree, "Tree B")).to_be_focused()
    tree.wait_for_timeout(800)
    tree.keyboard.type("exgjkn")
    assert tree.url == address
    expect(item(tree, "Tree B")).to_be_focused()


def test_what_is_done_with_a_folder_ends_at_it(tree: Page) -> None:
    """Renaming, moving and leaving a question come back to the same page and the same folder of the tree."""
    address = tree.url
    item(tree, "Tree C").focus()
    tree.keyboard.press("m")
    expect(tree.get_by_label("Inside").last).to_be_focused()
    tree.keyboard.press("Escape")
    tree.wait_for_url(address)
    expect(item(tree, "Tree C")).to_be_focused()
    tree.keyboard.press("Delete")
    expect(tree.get_by_role("button", name="Delete the folder", exact=True).first).to_be_focused()
    tree.keyboard.press("Escape")
    tree.wait_for_url(address)
    expect(item(tree, "Tree C")).to_be_focused()
    tree.keyboard.press("F2")
    tree.keyboard.type("Tree C again")
    tree.keyboard.press("Enter")
    expect(item(tree, "Tree C again")).to_be_focused()
    tree.keyboard.press("Delete")
    expect(tree.get_by_role("button", name="Delete the folder", exact=True).first).to_be_focused()
    tree.keyboard.press("Enter")
    expect(tree.locator("[data-toast]")).to_contain_text("is gone")
    tree.wait_for_url(address)
    expect(tree.locator("[role=treeitem]:focus")).to_have_count(1)
    tree.keyboard.press("Control+z")
    expect(item(tree, "Tree C again")).to_be_visible()


def test_the_menu_of_a_folder(tree: Page) -> None:
    """By its button and by the keyboard; arrows walk it, Escape leaves it."""
    node(tree, "Tree B").hover()
    item(tree, "Tree B").locator("> .of-folder").click()
    menu = tree.get_by_role("menu", name="Folder")
    expect(menu.get_by_role("menuitem", name="Folder page")).to_be_focused()
    tree.keyboard.press("ArrowUp")
    expect(menu.get_by_role("menuitem", name="Delete the folder")).to_be_focused()
    tree.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(item(tree, "Tree B")).to_be_focused()
    tree.keyboard.press("Shift+F10")
    menu.get_by_role("menuitem", name="Move all that is in it").click()
    expect(tree.get_by_text("Nothing lies directly in this folder.")).to_be_visible()
