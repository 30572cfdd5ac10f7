"""Writing, reading and mending a skill, as a person does it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.running import Site

NOTES = """# 值班

值班的人五分钟内回应。

## 交接

- 每周一上午交接
- 写进交接单

```python
# not a heading
answer_within(minutes=5)
```
"""


def write(page: Page, name: str, content: str) -> str:
    """Write a skill by the form and wait until it can be found; returns its address."""
    page.goto("/skills/new/")
    page.locator("#id_name").fill(name)
    page.locator("#id_content").fill(content)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(lambda url: "/new/" not in url)
    expect(page.locator("#state")).to_have_count(0, timeout=60_000)
    return page.url


def test_a_skill_is_written_and_becomes_findable_without_a_reload(page: Page) -> None:
    """The abstract appears by itself; the key o opens the full text; keys walk the list."""
    address = write(page, "值班手册 walk", NOTES)
    expect(page.locator("#l0 .prose")).to_contain_text("五分钟内回应")
    page.keyboard.press("o")
    expect(page.locator("#full .prose")).to_contain_text("写进交接单")
    assert page.url == address
    page.goto("/skills/")
    page.get_by_label("Narrow the list by words").fill("值班手册 walk")
    expect(page.locator("tr[data-item]")).to_have_count(1)
    page.locator("h1").click()
    page.keyboard.press("j")
    expect(page.locator("tr[aria-current]")).to_have_count(1)
    page.keyboard.press("o")
    page.wait_for_url(address)


def test_moving_and_deleting_can_be_undone(page: Page) -> None:
    """From the toast, where the thing was done."""
    address = write(page, "Undo me", NOTES)
    page.keyboard.press("m")
    page.get_by_role("option", name="Root folder").click()
    expect(page.locator(".skill-head .path")).to_contain_text("Root folder")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".skill-head .path")).to_contain_text("Unfiled")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/skills/")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url(address)
    expect(page.locator("h1")).to_have_text("Undo me")


def test_two_windows_editing_one_skill_lose_nothing(page: Page) -> None:
    """The second sees both texts and decides; the first stays in the history and comes back from there."""
    address = write(page, "Two windows", NOTES)
    page.goto(f"{address}edit/")
    other = page.context.new_page()
    other.goto(f"{address}edit/")
    other.locator("#id_content").fill("Theirs.")
    other.get_by_role("button", name="Save").click()
    other.wait_for_url(address)
    page.locator("#id_content").fill("Mine.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".notice.warn")).to_contain_text("saved this skill while you were editing")
    expect(page.locator("#theirs")).to_have_value("Theirs.")
    expect(page.locator("#id_content")).to_have_value("Mine.")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(address)
    page.goto(f"{address}history/")
    page.get_by_role("button", name="Restore").first.click()
    page.wait_for_url(address)
    page.goto(f"{address}?full=1")
    expect(page.locator("#full .prose")).to_have_text("Theirs.")


def test_without_javascript_everything_is_read_and_written(page: Page) -> None:
    """Reading, opening the full text, narrowing the list and editing need none."""
    address = write(page, "No script", NOTES)
    context = page.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=page.context.storage_state(), base_url=address
    )
    plain = context.new_page()
    plain.goto(address)
    plain.get_by_role("link", name="Open the full text").click()
    expect(plain.locator("#full .prose")).to_contain_text("写进交接单")
    plain.goto("/skills/")
    plain.get_by_label("Narrow the list by words").fill("No script")
    plain.get_by_role("button", name="Narrow").click()
    expect(plain.locator("tr[data-item]")).to_have_count(1)
    plain.goto(f"{address}edit/")
    plain.locator("#id_content").fill("Written plainly.")
    plain.get_by_role("button", name="Save").click()
    plain.goto(f"{address}?full=1")
    expect(plain.locator("#full .prose")).to_have_text("Written plainly.")
    context.close()


def test_a_field_is_edited_in_place_by_keys(page: Page, site: Site) -> None:
    """Escape and Ctrl-S lead back to its pencil; another skill's name is completed while it is typed."""
    with site.client(site.key()) as api:
        for name in ("In place by keys", "Other by keys"):
            made = {"name": name, "content": "Text.", "abstract": "Short.", "overview": "Long."}
            assert api.post("/api/skills", json=made).status_code in (201, 409)
    page.goto("/skills/in-place-by-keys/")
    pencil = page.locator("[data-field=abstract] > .pencil")
    pencil.press("Enter")
    text = page.locator("[data-field=abstract] textarea")
    expect(text).to_be_focused()
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    expect(pencil).to_be_focused()
    page.keyboard.press("Enter")
    expect(text).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Shorter.")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-field=abstract] .prose")).to_have_text("Shorter.")
    expect(pencil).to_be_focused()
    page.locator("details.relate summary").press("Enter")
    page.locator("#relations input[name=target]").focus()
    page.keyboard.type("Other by")
    expect(page.locator("#relation-names option")).to_have_count(1)
    page.locator("#relations input[name=target]").fill("Other by keys")
    page.keyboard.press("Enter")
    gone = page.get_by_role("button", name="Other by keys")
    expect(gone).to_have_count(1)
    expect(page.locator("#relations.htmx-added, #relations.htmx-settling")).to_have_count(0)
    page.wait_for_timeout(100)  # what was swapped in answers once it has settled
    gone.press("Enter")
    expect(gone).to_have_count(0)
    expect(page.locator("#relations:focus-within")).to_have_count(1)
