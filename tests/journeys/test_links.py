"""Linking knowledge: a name that nobody wrote about yet, written, renamed, and found from the other side."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.journeys.test_skills import write


def test_a_link_to_nothing_becomes_a_skill_and_outlives_its_name(page: Page) -> None:
    """Broken, clicked, written, mended; renamed where it is read; and linked back."""
    guide = write(page, "Guide to links", "First read [[Brand new thing]].\n\nThen rest.\n")
    page.goto(f"{guide}?full=1")
    broken = page.locator("#full a.wiki.broken")
    expect(broken).to_have_text("Brand new thing")
    broken.click()
    expect(page.locator("#id_name")).to_have_value("Brand new thing")
    page.locator("#id_content").fill("It is new.\n")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile("/skills/brand-new-thing"))
    thing = page.url
    backlinks = page.locator(".about .mentions")
    expect(backlinks).to_contain_text("First read Brand new thing.")
    page.locator(".editable[data-field=name]").dblclick()
    page.locator(".in-place input[name=value]").fill("Well known thing")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Well known thing")
    page.goto(f"{guide}?full=1")
    mended = page.locator("#full a.wiki")
    expect(mended).to_have_text("Well known thing")
    mended.click()
    page.wait_for_url(thing)
    expect(page.locator(".about .mentions a")).to_have_text("Guide to links")


def test_related_compared_and_brought_back(page: Page) -> None:
    """A relation is made and undone; two revisions are compared; the first comes back."""
    write(page, "Related one", "Nothing much.\n")
    address = write(page, "Related two", "The limit is 400 yuan.\n")
    page.get_by_text("Relate to another skill").click()
    page.get_by_label("This skill", exact=True).select_option("subset")
    page.get_by_label("Other skill").fill("related ONE")
    page.get_by_role("button", name="Relate", exact=True).click()
    expect(page.locator("#relations .relation")).to_contain_text("part of")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#relations .relation")).to_have_count(0)
    page.locator("#l0 .pencil").click()
    page.locator("#l0 textarea").fill("Limits for a night.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#l0 .prose")).to_have_text("Limits for a night.")
    page.goto(f"{address}history/")
    page.get_by_role("button", name="Compare the two chosen").click()
    expect(page.locator(".change ins").first).to_contain_text("Limits for a night.")
    page.goto(f"{address}history/1/?text=1")
    page.get_by_role("button", name="Restore").click()
    expect(page.locator("#l0 .prose")).not_to_have_text("Limits for a night.")
