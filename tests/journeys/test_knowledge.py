"""The quick door, as a person uses it: paste, find, add below, delete, take back."""

from __future__ import annotations

from playwright.sync_api import Page, expect

PASTED = """# 门禁密码 journey
tags: 办公室, journey

前台的门禁每季度更换一次，新密码由行政通知。
"""


def test_a_note_is_pasted_found_added_to_deleted_and_back(page: Page) -> None:
    """By keyboard where a keyboard is quicker."""
    page.goto("/knowledge/")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.locator("#id_text")).to_be_focused()
    page.keyboard.insert_text(PASTED)
    expect(page.locator("#understood strong")).to_have_text("门禁密码 journey")
    expect(page.locator("#understood .tag")).to_have_text(["办公室", "journey"])
    page.keyboard.press("Control+Enter")
    note = page.locator("article.note").filter(has_text="门禁密码 journey")
    expect(note.locator(".first")).to_contain_text("每季度更换一次")
    expect(page.locator("#id_text")).to_have_value("")
    expect(note.locator(".status")).to_have_count(0, timeout=60_000)  # its index is ready

    field = page.get_by_role("searchbox", name="Filter the notes")
    field.fill("行政通知")
    expect(page.locator("article.note")).to_have_count(1)
    page.get_by_text("By meaning").click()
    field.fill("How do I get into the building?")
    expect(note).to_be_visible()
    page.goto("/knowledge/?tag=journey")

    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("o")
    expect(note.locator(".prose")).to_contain_text("新密码由行政通知")
    page.keyboard.press("e")
    added = page.get_by_label("Add below the note")
    expect(added).to_be_focused()
    added.fill("访客走侧门。")
    page.keyboard.press("Control+Enter")
    expect(note.locator(".prose")).to_contain_text("访客走侧门。")
    expect(note.locator(".prose")).to_contain_text("每季度更换一次")

    note.get_by_role("button", name="Delete 门禁密码 journey").click()
    expect(note).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/knowledge/#n-*")
    expect(note).to_be_visible()


def test_a_refused_change_keeps_what_was_written(page: Page) -> None:
    """Also the kind of change; switching between both loses nothing."""
    page.goto("/knowledge/")
    page.locator("#id_text").fill("# Kept words\n\nFirst.")
    page.get_by_role("button", name="Save").click()
    note = page.locator("article.note").filter(has_text="Kept words")
    note.get_by_role("link", name="Edit Kept words").click()
    note.get_by_label("Add below the note").fill("Half a thought")
    note.get_by_text("Replace", exact=True).click()
    note.get_by_label("Title").fill("")
    note.get_by_role("button", name="Save").click()
    expect(note.locator(".hint.bad")).to_have_text("Give it a name.")
    note.get_by_text("Add below", exact=True).click()
    expect(note.get_by_label("Add below the note")).to_have_value("Half a thought")


def test_chosen_notes_go_together(page: Page) -> None:
    """x selects, the bar says how many."""
    page.goto("/knowledge/")
    for name in ("chosen-one", "chosen-two"):
        page.locator("#id_text").fill(f"# {name}\ntags: chosen\n\ntext")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("article.note").filter(has_text=name)).to_be_visible()
    page.goto("/knowledge/?tag=chosen")
    page.locator("h1").click()
    for key in "jxjx":
        page.keyboard.press(key)
    expect(page.locator(".selection")).to_contain_text("2")
    page.locator(".selection").get_by_role("button", name="Delete").click()
    expect(page.locator(".toast").first).to_contain_text("2 notes are in the trash.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("article.note").filter(has_text="chosen-one")).to_be_visible()
