"""Finding in a browser: results as one types, filters in the address, the passage that opens."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.conftest import sign_in, watched_page
from tests.running import Site, wait_for

pytestmark = pytest.mark.slow

TEXTS = {
    "Bicycle sheds": (
        "# Bicycle sheds\n\nThe shed behind the tower opens at six; a lost padlock is cut by the porter."
    ),
    "自行车棚": "# 自行车棚\n\n楼后的自行车棚六点开门，锁丢了由门卫剪开。",
}


@pytest.fixture
def sheds(site: Site) -> None:
    """A skill in each language, ready to be found."""
    with site.client(site.key()) as client:
        for name, content in TEXTS.items():
            if client.get("/api/skills", params={"q": name}).json()["total"]:
                continue
            body = {"name": name, "content": content, "category": "knowledge"}
            made = client.post("/api/skills", json=body).raise_for_status().json()

            def is_ready(made: dict[str, str] = made) -> bool:
                return bool(client.get(f"/api/skills/{made['id']}").json()["index_state"] == "ready")

            wait_for(is_ready, 60)


def test_results_come_while_one_types(page: Page, sheds: None) -> None:
    """No reload; the address follows, and Back leaves the page."""
    page.goto("/me/")
    page.goto("/search/")
    expect(page.get_by_role("heading", name="Find a skill, and the passage that matters")).to_be_visible()
    page.evaluate("window.same = true")
    field = page.get_by_role("searchbox", name="Search")
    expect(field).to_be_focused()
    field.press_sequentially("lost padlock")
    result = page.locator("article.result").first
    expect(result.get_by_role("heading", name="Bicycle sheds")).to_be_visible()
    expect(result.locator("mark").first).to_have_text("lost")
    expect(field).to_be_focused()
    expect(page).to_have_url(re.compile(r"/search/\?q=lost(\+|%20)padlock"))
    expect(page).to_have_title(re.compile("lost padlock"))
    assert page.evaluate("window.same")


def test_a_mode_and_a_filter_are_in_the_address(page: Page, sheds: None) -> None:
    page.goto("/search/?q=padlock")
    page.get_by_role("link", name="Words", exact=True).click()
    expect(page).to_have_url(re.compile("mode=keyword"))
    expect(page.get_by_role("link", name="Words", exact=True)).to_have_attribute("aria-current", "true")
    page.get_by_label("User").check()
    expect(page).to_have_url(re.compile("type=user"))
    expect(page.get_by_label("User")).to_be_checked()
    page.get_by_role("link", name="Clear the filters").click()
    expect(page.get_by_label("User")).not_to_be_checked()
    page.go_back()
    expect(page.get_by_label("User")).to_be_checked()


def test_the_passage_opens_and_the_reason_unfolds(page: Page, sheds: None) -> None:
    page.goto("/search/?q=lost+padlock")
    result = page.locator("article.result").first
    result.get_by_text("Why it is first").click()
    expect(result.get_by_role("row", name=re.compile("Words"))).to_be_visible()
    expect(result.get_by_text("By meaning alone")).to_be_visible()
    page.keyboard.press("j")
    result.locator(".passage a").click()
    page.wait_for_url(re.compile(r"/skills/[^/]+/\?passage=.*#p-"))
    expect(page.locator("mark").first).to_be_visible()


def test_nothing_found_offers_a_way_on(page: Page, sheds: None) -> None:
    page.goto("/search/?q=zqxv+wkjz&mode=keyword")
    expect(page.get_by_role("heading", name="Nothing here is about “zqxv wkjz”")).to_be_visible()
    page.get_by_role("link", name="Ask it as a question.").click()
    page.wait_for_url(re.compile(r"/\?q=zqxv"))


def test_it_fits_a_phone(browser: Browser, site: Site, sheds: None) -> None:
    """Filters open as a drawer; nothing is wider than the screen."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    for page in watched_page(browser, base_url=site.address, **phone):
        sign_in(page, site)
        page.goto("/search/?q=padlock")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(page.get_by_label("User")).to_be_hidden()
        page.get_by_role("button", name="Filters").click()
        page.get_by_label("User").check()
        expect(page).to_have_url(re.compile("type=user"))


def test_it_works_without_javascript(browser: Browser, site: Site, sheds: None) -> None:
    for page in watched_page(browser, base_url=site.address, java_script_enabled=False):
        sign_in(page, site)
        page.goto("/search/")
        page.get_by_role("searchbox", name="Search").fill("padlock")
        page.get_by_role("searchbox", name="Search").press("Enter")
        expect(page.get_by_role("link", name="Bicycle sheds").first).to_be_visible()
        page.get_by_label("User").check()
        page.get_by_role("button", name="Apply").click()
        expect(page).to_have_url(re.compile("type=user"))
        expect(page.get_by_role("link", name="Bicycle sheds").first).to_be_visible()
