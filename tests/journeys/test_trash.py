"""Deleting and thinking better of it: a folder from its toast, other things from the trash by keyboard."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import Page, expect

from tests.running import Site


def made(api: httpx.Client, address: str, **body: object) -> str:
    """The id of what was made through the API."""
    answer = api.post(address, json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_a_deleted_folder_comes_back_from_its_toast(page: Page, site: Site) -> None:
    """The dialog says what goes; Undo puts the folders and what lay in them back."""
    with site.client(site.key()) as api:
        top = made(api, "/api/folders", name="Moving house")
        inner = made(api, "/api/folders", name="Boxes", parent_id=top)
        made(api, "/api/skills", name="How to pack", content="Heavy things below.\n", folder_id=inner)
        page.goto(f"/folders/{top}/delete/")
        expect(page.locator(".form")).to_contain_text("1 folder inside goes with it.")
        expect(page.locator(".form")).to_contain_text("0 documents, 1 skill")
        page.get_by_role("button", name="Delete the folder").click()
        expect(page.locator("#tree")).not_to_contain_text("Moving house")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#tree")).to_contain_text("Moving house")
        page.goto(f"/skills/?folder={inner}")
        expect(page.locator("tr[data-item]")).to_contain_text("How to pack")


def test_the_trash_is_walked_and_emptied_by_keyboard(page: Page, site: Site) -> None:
    """j and k walk, x selects, o opens; restore brings back, and what is deleted for good is asked about."""
    with site.client(site.key()) as api:
        for name in ("Trash one", "Trash two"):
            skill = made(
                api, "/api/skills", name=name, content="Text.\n", abstract=f"About {name}.", overview="x"
            )
            assert api.delete(f"/api/skills/{skill}").status_code == 200
    page.goto("/skills/")
    page.locator("#tree").get_by_role("link", name="Trash").click()
    page.wait_for_url("**/trash/")
    page.keyboard.press("j")
    row = page.locator("tr[aria-current]")
    expect(row).to_contain_text("Trash two")
    page.keyboard.press("o")
    expect(row.locator(".more")).to_contain_text("About Trash two.")
    page.keyboard.press("x")
    expect(row.get_by_role("checkbox")).to_be_checked()
    page.get_by_role("button", name="Restore selected").press("Enter")
    expect(page.locator("#toasts")).to_contain_text("“Trash two” is back.")
    expect(page.locator("tr[data-item]", has_text="Trash two")).to_have_count(0)
    page.get_by_label("Select Trash one").check()
    page.get_by_role("button", name="Delete selected for good").click()
    expect(page.get_by_role("heading", name="Delete 1 thing for good?")).to_be_visible()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator("tr[data-item]", has_text="Trash one")).to_have_count(0)
    page.goto("/skills/?q=Trash")
    expect(page.locator("tr[data-item] .what > a", has_text=re.compile("Trash one"))).to_have_count(0)
    expect(page.locator("#rows")).to_contain_text("Trash two")


def test_system_skills_are_read_in_ones_language_and_not_changed(page: Page) -> None:
    """They stand at the end of the list; their page says what they are."""
    page.goto("/skills/?type=system")
    expect(page.locator("tr[data-item]")).to_have_count(3)
    page.get_by_role("link", name="Searching the knowledge base").click()
    expect(page.locator(".notice", has_text="It can be read, not changed.")).to_be_visible()
    expect(page.get_by_role("link", name="Edit")).to_have_count(0)
