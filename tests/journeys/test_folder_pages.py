"""A folder fills, and its page tells what is in it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.running import wait_for

RULES = "# Hotel rules\n\nA night in Paris may cost 180 euros. Elsewhere the limit is 120 euros a night.\n"
TRAINS = "# Train rules\n\nTrains are booked 7 days ahead. First class is paid from 4 hours on.\n"


def test_two_files_become_a_page_of_their_folder(page: Page) -> None:
    """Uploaded, asked for, made while one looks: facts with their skills, index by key, log, Markdown."""
    folder = page.request.post("/api/folders", data={"name": "Travel page"}, headers=_csrf(page)).json()["id"]
    page.goto(f"/folders/{folder}/page/")
    expect(page.get_by_text("Nothing is in this folder yet")).to_be_visible()
    for name, text in (("hotels.md", RULES), ("trains.md", TRAINS)):
        file = {"name": name, "mimeType": "text/markdown", "buffer": text.encode()}
        form = {"file": file, "folder_id": folder}
        assert page.request.post("/api/documents/upload", multipart=form, headers=_csrf(page)).status == 202
    wait_for(lambda: _approved(page, folder) == 2, 90, 1.0)
    page.reload()
    # On a slow machine the clock has made it by now.
    page.get_by_role("button", name=re.compile("Make the page|Make again")).click()
    expect(page.locator("#state .notice")).to_be_visible()
    expect(page.locator("#l0 .prose")).to_contain_text("euros", timeout=60_000)
    expect(page.locator("#facts li").first).to_contain_text("Hotel rules")
    expect(page.locator("#facts")).to_contain_text("7 days ahead")
    expect(page.locator(".log")).to_contain_text("This page was made")
    expect(page.locator(".log")).to_contain_text("Read from a file")
    expect(page.locator(".skill-head .meta")).to_contain_text("Quoted from 2 skills, without a model")
    page.keyboard.press("j")
    expect(page.locator("tr[aria-current]")).to_contain_text("Hotel rules")
    page.keyboard.press("o")
    page.wait_for_url("**/skills/*/")
    page.go_back()
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("link", name="As Markdown").click()
    page.wait_for_url("**/page.md")
    expect(page.locator("body")).to_contain_text("## Key facts")


def test_a_change_of_order_stays_on_the_page(page: Page) -> None:
    """The index is exchanged in place, and the address says so."""
    folder = page.request.post("/api/folders", data={"name": "Order page"}, headers=_csrf(page)).json()["id"]
    for name in ("Alpha", "Beta"):
        skill = {
            "name": f"{name} order",
            "description": "",
            "category": "knowledge",
            "content": f"{name} text.",
        }
        answer = page.request.post("/api/skills", data=skill | {"folder_id": folder}, headers=_csrf(page))
        assert answer.status == 201
    page.goto(f"/folders/{folder}/page/")
    expect(page.locator("tr[data-item] a").first).to_have_text("Alpha order")
    page.get_by_role("link", name="Newest change first").click()
    expect(page.locator("tr[data-item] a").first).to_have_text("Beta order")
    assert page.url.endswith("?order=updated")


def _approved(page: Page, folder: str) -> int:
    rows = page.request.get(f"/api/skills?folder_id={folder}").json()["items"]
    return sum(row["status"] == "approved" for row in rows)


def _csrf(page: Page) -> dict[str, str]:
    """What a form of the site sends along."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    address = page.url.split("/", 3)
    return {"X-CSRFToken": cookies["kb_csrf"], "Referer": f"{address[0]}//{address[2]}/"}
