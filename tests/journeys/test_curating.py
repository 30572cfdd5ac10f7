"""A curator tidies up on the admin site: folders where they stand, two notes into one and back."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def folder(page: Page, name: str) -> None:
    """Make a folder at the top."""
    page.goto("/folders/new/")
    page.locator("main input[name=name]").fill(name)
    page.locator("main form").get_by_role("button").first.click()
    page.wait_for_url(lambda url: "/folders/new/" not in url)


def note(page: Page, text: str) -> None:
    """Write a note and wait until it can be found."""
    page.goto("/knowledge/")
    page.locator("#id_text").fill(text)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("article.note").first.locator(".status")).to_have_count(0, timeout=60_000)


def test_folders_are_moved_where_they_stand(page: Page) -> None:
    """Into the one above, and out again; each button says what it does."""
    folder(page, "curated A")
    folder(page, "curated B")
    page.goto("/admin/documents/folder/?q=curated")
    page.get_by_role("button", name="curated B: Into the folder above").click()
    expect(page.locator(".in-tree.depth-1")).to_have_text("curated B")
    page.goto("/admin/documents/folder/?q=curated")
    page.get_by_role("button", name="curated B: Out of its folder").click()
    page.goto("/admin/documents/folder/?q=curated")
    expect(page.locator(".in-tree.depth-0")).to_have_text(["curated A", "curated B"])


def test_two_notes_become_one_and_two_again(page: Page) -> None:
    """Chosen on the list, merged on a page that shows both, taken back in the review queue."""
    note(page, "# mergeable one\n\nThe first half.")
    note(page, "# mergeable two\n\nThe second half.")
    page.goto("/admin/skills/skill/?q=mergeable")
    for box in page.locator("input.action-select").all():
        box.check()
    page.locator("select[name=action]").select_option("merge_two")
    page.locator("button[name=index]").click()
    expect(page.locator(".difference")).to_contain_text("The second half.")
    expect(page.locator("#id_content")).to_have_value(
        "The first half.\n\n## mergeable two\n\nThe second half.\n"
    )
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".messagelist")).to_contain_text("Merged into “mergeable one”")
    page.goto("/admin/skills/skill/review/?tab=rejected")
    row = page.get_by_role("row").filter(has_text="mergeable two")
    row.get_by_role("button", name="Take back").click()
    expect(page.locator(".messagelist")).to_contain_text("“mergeable two” stands by itself again.")
