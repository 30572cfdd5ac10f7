"""Doing something to many skills at once: by keyboard, by mouse, by dragging."""

from __future__ import annotations

import re
import zipfile

import pytest
from playwright.sync_api import Page, expect

from tests.running import Site


@pytest.fixture
def shelf(page: Page, site: Site) -> str:
    """Five skills of one tag, and a folder to put them in; the address of their list."""
    with site.client(site.key()) as api:
        folder = api.post("/api/folders", json={"name": "Many shelf"})
        assert folder.status_code in (201, 409), folder.text
        old = api.get("/api/skills", params={"tag": "many"}).json()["items"]
        api.post("/api/skills/bulk", json={"ids": [row["id"] for row in old], "action": "delete"})
        for n in range(5):
            made = {"name": f"Many {n}", "content": f"Text {n}.", "tags": ["many"], "priority": n}
            made |= {"abstract": "One of many.", "overview": "One of many."}
            assert api.post("/api/skills", json=made).status_code == 201
    page.goto("/skills/?tag=many")
    expect(page.locator("tr[data-item]")).to_have_count(5)
    return "/skills/?tag=many"


def paths(page: Page) -> list[str]:
    return [path.strip() for path in page.locator("tr[data-item] .path").all_inner_texts()]


def test_select_with_the_keyboard_move_and_undo(page: Page, shelf: str) -> None:
    """x and Shift-X choose, m opens the folders, typing narrows, Enter moves, Undo puts back."""
    page.locator("h1").click()
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    expect(page.locator("[data-count]")).to_have_text("3")
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Move 3 skills to…")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-count]")).to_have_text("3")
    page.keyboard.press("m")
    page.keyboard.type("many sh")
    expect(dialog.get_by_role("option", selected=True)).to_contain_text("Many shelf")
    page.keyboard.press("Enter")
    expect(page.locator("[data-toast]")).to_contain_text("3 skills moved to “Many shelf”.")
    expect(page.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-toast]")).to_contain_text("3 are as they were.")
    expect(page.locator("tr[data-item] .path", has_text="Unfiled")).to_have_count(5)


def test_one_row_moves_by_its_key(page: Page, shelf: str) -> None:
    """m on the row that is current, when nothing is chosen; arrows walk the folders."""
    page.locator("h1").click()
    page.keyboard.press("e")  # no row is current yet: none is opened
    expect(page).to_have_url(re.compile(r"tag=many$"))
    page.keyboard.press("j")
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Move “Many 0” to…")
    expect(dialog).to_be_visible()
    page.keyboard.type("shelf")
    expect(dialog.get_by_role("option")).to_have_count(2)  # and a new one of that name
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_role("option", selected=True)).to_contain_text("New folder “shelf”")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("[data-toast]")).to_contain_text("Moved to “Many shelf”.")
    expect(page.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(1)


def test_a_selection_is_dragged_to_a_folder(page: Page, shelf: str) -> None:
    """All that is chosen goes, also what was chosen by a range of clicks; a row that is not goes alone."""
    boxes = page.locator("input[name=skill]")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    folder = page.locator("#tree .node[data-folder]", has_text="Many shelf")
    page.locator("tr[data-item]").nth(1).drag_to(folder)
    expect(page.locator("[data-toast]")).to_contain_text("3 skills moved to “Many shelf”.")
    expect(page.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(3)
    page.locator("tr[data-item]", has_text="Many 4").drag_to(folder)
    expect(page.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(4)


def test_the_bar_tags_exports_and_deletes(page: Page, shelf: str) -> None:
    """Enter in its fields presses the button beside them; an export is a download; deleting can be undone."""
    page.locator("h1").click()
    page.keyboard.press("Control+a")
    expect(page.locator("[data-count]")).to_have_text("5")
    page.get_by_role("button", name="Tags").click()
    page.get_by_label("Add tags").fill("fresh")
    page.keyboard.press("Enter")
    expect(page.locator("[data-toast]")).to_contain_text("5 skills have new tags.")
    expect(page.locator("tr[data-item] .tag", has_text="fresh")).to_have_count(5)
    page.locator("input[name=skill]").nth(1).check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert zipfile.ZipFile(download.value.path()).namelist() == ["Many 1.md"]
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("tr[data-item]")).to_have_count(4)
    page.get_by_role("button", name="Undo").last.click()
    expect(page.locator("tr[data-item]")).to_have_count(5)
    page.locator("input[name=skill]").nth(1).check()
    page.keyboard.press("Escape")
    expect(page.locator("#many")).to_be_hidden()


def test_filters_are_in_the_address_and_can_be_taken_away(page: Page, shelf: str) -> None:
    """Typing narrows at once; each filter is a chip; the address can be sent."""
    page.get_by_label("Narrow the list by words").fill("Many 3")
    expect(page.locator("tr[data-item]")).to_have_count(1)
    page.wait_for_url("**q=Many*3**")
    page.get_by_role("button", name="More filters").click()
    page.get_by_label("Changed", exact=True).select_option("7d")
    expect(page.locator(".chip")).to_have_count(3)
    page.keyboard.press("Escape")
    page.goto(page.url)
    expect(page.locator("tr[data-item]")).to_have_count(1)
    page.get_by_role("link", name="Take away: Words Many 3").click()
    expect(page.locator("tr[data-item]")).to_have_count(5)
    page.get_by_role("link", name="Clear all").click()
    page.wait_for_url("**/skills/")


def test_back_shows_the_list_as_it_was_narrowed(page: Page, shelf: str) -> None:
    """The whole page, not the part of it that was fetched while typing."""
    page.get_by_label("Narrow the list by words").fill("Many 3")
    page.wait_for_url("**q=Many*3**")
    assert "status=&" not in page.url
    expect(page.locator("tr[data-item]")).to_have_count(1)
    page.locator("tr[data-item] [data-opens]").click()
    expect(page.get_by_role("heading", name="Many 3", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("navigation", name="Places")).to_be_visible()
    expect(page.locator("tr[data-item]")).to_have_count(1)
    expect(page.get_by_label("Narrow the list by words")).to_have_value("Many 3")
    page.go_back()
    expect(page.locator("tr[data-item]")).to_have_count(5)


def test_the_focus_stays_in_the_list(page: Page, shelf: str) -> None:
    """After moving and deleting it is on a row; u and Ctrl-Z undo."""
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Move “Many 0” to…")
    expect(dialog).to_be_visible()
    page.keyboard.type("many sh")
    expect(dialog.get_by_role("option", selected=True)).to_contain_text("Many shelf")
    page.keyboard.press("Enter")
    expect(page.locator("[data-toast]")).to_contain_text("Many shelf")
    expect(page.locator("tr[data-item] [data-opens]:focus")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("[data-toast]")).to_contain_text("1 is as it was.")
    expect(page.locator("tr[data-item] .path", has_text="Unfiled")).to_have_count(5)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(page.locator("tr[data-item]")).to_have_count(4)
    expect(page.locator("tr[data-item] [data-opens]:focus")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator("tr[data-item]")).to_have_count(5)


def test_without_a_script_the_bar_is_a_form(page: Page, shelf: str, site: Site) -> None:
    """Choose, press Move, choose a folder: back on the list, with a way to undo."""
    context = page.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=page.context.storage_state(), base_url=site.address
    )
    plain = context.new_page()
    plain.goto(shelf)
    plain.locator("input[name=skill]").nth(0).check()
    plain.locator("input[name=skill]").nth(1).check()
    plain.locator("#many").get_by_role("button", name="Move").click()
    expect(plain.get_by_role("heading", name="Move 2 skills to…")).to_be_visible()
    plain.get_by_role("option", name="Many shelf").first.click()
    plain.wait_for_url(f"**{shelf}")
    expect(plain.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(2)
    plain.get_by_role("button", name="Undo").click()
    expect(plain.locator("tr[data-item] .path", has_text="Many shelf")).to_have_count(0)
    context.close()
