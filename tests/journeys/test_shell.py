"""Getting around: the field that finds, the keys, the tree, language and theme, a phone."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.conftest import sign_in, watched_page
from tests.running import Site

pytestmark = pytest.mark.slow

FOLDERS = """
from documents.models import Folder
top = Folder.objects.get_or_create(name="Rules")[0]
inner = Folder.objects.get_or_create(name="Travel", parent=top)[0]
Folder.objects.get_or_create(name="Abroad", parent=inner)
Folder.objects.get_or_create(name="Security")
"""


@pytest.fixture
def folders(site: Site) -> None:
    """Rules / Travel / Abroad, and Security."""
    site.command("shell", "-c", FOLDERS)


def focused(page: Page) -> str:
    """The accessible name of what has the focus, as far as it carries one."""
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''"))


def test_the_field_goes_finds_and_asks(page: Page, folders: None) -> None:
    """`/` opens it; arrows choose; Enter goes; Escape closes the list, then leaves the field."""
    page.goto("/me/")
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Find, ask or go to")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Prompts")).to_be_visible()
    page.keyboard.type("trav")
    travel = page.get_by_role("option", name="Travel Rules")
    expect(travel).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(travel).to_be_hidden()
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    page.keyboard.press("Control+k")
    field.fill("ski")
    expect(page.get_by_role("option", name="Skills")).to_be_visible()
    while "Skills" not in (page.locator("[role=option][aria-selected=true]").all_inner_texts() or [""])[0]:
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/skills/")


def test_enter_without_a_choice_searches(page: Page) -> None:
    """The field is a search form first."""
    page.goto("/me/")
    page.keyboard.press("/")
    page.keyboard.type("报销 ticket")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=*")


def test_keys_go_and_are_listed(page: Page) -> None:
    """g and a letter goes; ? lists the keys; letters typed into a field are letters."""
    page.goto("/me/")
    page.keyboard.press("g")
    page.keyboard.press("k")
    page.wait_for_url("**/skills/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_hidden()
    page.goto("/me/")
    name = page.get_by_role("main").get_by_label("Name").first
    name.fill("")
    name.press_sequentially("g/k?")
    expect(name).to_have_value("g/k?")


def test_the_tree_is_walked_by_keys_and_remembers(page: Page, folders: None) -> None:
    """One tab stop, arrows, Home, End, a letter; what was open is open on the next page."""
    page.goto("/me/")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.keyboard.press("s")
    assert focused(page) == "Security"
    page.get_by_role("treeitem", name="Rules").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("treeitem", name="Travel", exact=True)).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "Travel"
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "Rules"
    page.keyboard.press("End")
    assert focused(page) == "Unfiled"
    page.reload()
    expect(page.get_by_role("treeitem", name="Travel", exact=True)).to_be_visible()
    assert page.locator("[role=treeitem][tabindex='0']").count() == 1
    page.get_by_role("treeitem", name="Rules").locator(".twist").first.click()
    expect(page.get_by_role("treeitem", name="Travel", exact=True)).to_be_hidden()
    page.reload()
    expect(page.get_by_role("treeitem", name="Travel", exact=True)).to_have_count(0)


def test_theme_changes_at_once_and_stays(page: Page) -> None:
    """Without a reload, and on the next page too."""
    page.goto("/me/")
    page.locator(".person").click()
    with page.expect_response("**/theme/"):
        page.locator("#person").get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/skills/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator(".person").click()
    page.locator("#person").get_by_role("button", name="System").click()
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_language_changes_signed_out_too(site: Site, visitor: Page) -> None:
    """The sign-in page speaks the language that was chosen there."""
    visitor.goto(f"{site.address}/login/")
    visitor.get_by_role("button", name="Language and theme").click()
    visitor.get_by_role("button", name="中文").click()
    expect(visitor.locator("html")).to_have_attribute("lang", "zh-Hans")


def test_a_phone_has_a_bar_and_a_drawer(browser: Browser, site: Site, folders: None) -> None:
    """Places at the bottom, folders in a drawer, nothing wider than the screen."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    for page in watched_page(browser, base_url=site.address, **phone):
        sign_in(page, site)
        page.goto("/me/")
        bar = page.get_by_role("navigation", name="Places")
        box = bar.bounding_box()
        assert box is not None and box["y"] > 700
        expect(page.get_by_role("treeitem", name="Security")).to_be_hidden()
        page.get_by_role("button", name="Open the folders").click()
        expect(page.get_by_role("treeitem", name="Security")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("treeitem", name="Security")).to_be_hidden()
        for address in ("/", "/skills/", "/documents/", "/search/?q=x", "/me/"):
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, address


def test_the_focus_can_be_seen_all_the_way(page: Page, folders: None) -> None:
    """Tab goes through the shell; every stop is visible and shows an outline."""
    page.goto("/me/")
    seen = []
    for _stop in range(25):
        page.keyboard.press("Tab")
        state = page.evaluate(
            """() => {
                const at = document.activeElement, box = at.getBoundingClientRect();
                const shown = at.matches('[role=treeitem]') ? at.querySelector('.node') : at;
                const style = getComputedStyle(shown);
                const around = getComputedStyle(at.closest('.find') ?? shown);
                return JSON.stringify([at.outerHTML.slice(0, 90), box.width > 0 && box.height > 0,
                    style.outlineStyle !== 'none' || around.outlineStyle !== 'none']);
            }"""
        )
        seen.append(json.loads(state))
    assert "skip" in seen[0][0]
    assert [
        html for html, visible, outlined in seen if not (visible and outlined) and "<body" not in html
    ] == []
