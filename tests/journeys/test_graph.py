"""The graph as a person uses it: with a mouse, with keys alone, and as a list."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running import Site

MARK = "Orbit"


@pytest.fixture
def three(page: Page, site: Site) -> list[str]:
    """Three skills, the first naming the others in links; their addresses."""
    with site.client(site.key()) as api:
        slugs = []
        for name, text in (
            (f"{MARK} planet", "Has no links."),
            (f"{MARK} moon", "Has none either."),
            (f"{MARK} star", f"See [[{MARK} planet]] and [[{MARK} moon]]."),
        ):
            answer = api.post("/api/skills", json={"name": name, "content": text, "tags": ["orbit"]})
            assert answer.status_code == 201, answer.text
            slugs.append(answer.json()["slug"])
    return slugs


def test_a_dot_is_found_walked_from_and_opened(page: Page, three: list[str]) -> None:
    """Search centres it, its card opens; arrows follow edges and say so; Enter opens; Escape clears."""
    page.goto("/graph/?tag=orbit")
    dots = page.locator(".picture .dots a")
    assert dots.count() >= 3
    page.get_by_label("Find in the picture").fill(f"{MARK.lower()} star")
    expect(page.locator("#sought")).not_to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator("#card h2")).to_have_text(f"{MARK} star")
    expect(page.locator("#card .ties")).to_contain_text(f"links to {MARK} moon")
    assert f"at={three[2]}" in page.url
    canvas = page.get_by_role("application")
    canvas.focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
        if "linked from" in (page.locator("#graph-said").text_content() or ""):
            break
    expect(page.locator("#graph-said")).to_contain_text(f"linked from {MARK} star")
    name = page.locator(".picture .dots .chosen title").text_content() or ""
    page.keyboard.press("Escape")
    expect(page.locator(".picture .dots .chosen")).to_have_count(0)
    expect(page.locator("#graph-said")).to_have_text("Nothing chosen.")
    assert "at=" not in page.url
    page.locator("#card .most a").filter(has_text=name).first.click()
    expect(page.locator("#card h2")).to_have_text(name)
    canvas.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/skills/" in url)
    expect(page.locator("h1")).to_have_text(name)


def test_zoom_and_drag_change_what_is_shown(page: Page, three: list[str]) -> None:
    """Keys, buttons, wheel and drag; 0 shows all again. A drag chooses nothing."""
    page.goto("/graph/")
    picture = page.locator("svg.picture")
    page.wait_for_timeout(200)

    def box() -> list[float]:
        page.wait_for_timeout(80)
        return [float(value) for value in (picture.get_attribute("viewBox") or "").split()]

    whole = box()
    page.get_by_role("application").focus()
    page.keyboard.press("+")
    closer = box()
    assert closer[2] < whole[2]
    page.get_by_role("button", name="Farther").click()
    page.get_by_role("button", name="Show all").click()
    assert box()[2] == pytest.approx(whole[2], rel=0.01)
    place = picture.bounding_box()
    assert place
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    zoomed = box()
    assert zoomed[2] < whole[2]
    page.mouse.down()
    page.mouse.move(x + 80, y + 40, steps=4)
    page.mouse.up()
    dragged = box()
    assert dragged[0] < zoomed[0] and dragged[2] == pytest.approx(zoomed[2])
    expect(page.locator(".picture .dots .chosen")).to_have_count(0)


def test_a_neighbourhood_and_the_list(page: Page, three: list[str]) -> None:
    """From the card to the neighbourhood; its names stand; the list says the same under headings."""
    page.goto(f"/graph/?tag=orbit&at={three[2]}")
    page.get_by_role("link", name="Show neighbourhood").click()
    page.wait_for_url("**/graph/?skill=*")
    expect(page.locator(".picture .labels text")).to_have_count(3)
    expect(page.locator(".picture .notes text").first).to_have_text("links to")
    page.get_by_role("link", name="See as a list").click()
    expect(page.locator(".graph-list").get_by_role("heading", level=3)).to_have_count(3)
    item = page.locator(".skills-joined > li").filter(has=page.get_by_role("heading", name=f"{MARK} moon"))
    expect(item.first).to_contain_text(re.compile(rf"linked from\s+{MARK} star"))
    page.goto("/graph/?view=list&tag=orbit")
    page.get_by_label("Edges").select_option("conflict")
    page.wait_for_url("**edges=conflict**")
    expect(page.locator(".skills-joined")).to_contain_text("Joined to nothing yet.")


def test_the_graph_without_a_script(page: Page, site: Site, three: list[str]) -> None:
    """The picture stands, its dots lead to their skills, the filter has a button."""
    context = page.context.browser.new_context(  # type: ignore[union-attr]
        base_url=site.address, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain = context.new_page()
    plain.goto("/graph/?tag=orbit")
    expect(plain.locator(".picture .labels text").first).to_be_attached()
    plain.get_by_role("button", name="Narrow").click()
    assert "tag=orbit" in plain.url
    address = plain.locator(f".dots a[href='/skills/{three[0]}/']").get_attribute("href")
    plain.goto(f"{address}")
    expect(plain.locator("h1")).to_have_text(f"{MARK} planet")
    context.close()
