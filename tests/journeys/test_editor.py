"""Writing in the editor, as a person does it: preview, drafts, links, pictures, keys, and two at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.test_skills import write

# A picture of one red pixel, as a clipboard holds it.
PASTE = """async () => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 4;
  canvas.getContext("2d").fillRect(0, 0, 4, 4);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const data = new DataTransfer();
  data.items.add(new File([blob], "receipt.png", { type: "image/png" }));
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.getElementById("id_content").dispatchEvent(event);
}"""


def area(page: Page) -> Any:
    return page.locator("#id_content")


def draft_kept(page: Page) -> None:
    expect(page.locator("[data-draft-state]")).to_contain_text(re.compile(r"Draft kept \d\d:\d\d"))


def test_writing_with_a_preview_a_link_a_picture_and_a_draft(page: Page) -> None:
    """What is typed is shown beside it, outlives a reload, and Ctrl-S saves it."""
    write(page, "Night duty editor", "Be there.\n")
    page.goto("/skills/new/")
    page.locator("#id_name").fill("Written here")
    area(page).click()
    page.keyboard.type("# Title\n\nSee [[night du")
    expect(page.locator("#names [aria-selected=true]")).to_contain_text("Night duty editor")
    page.keyboard.press("Enter")
    expect(area(page)).to_have_value("# Title\n\nSee [[Night duty editor]]")
    expect(page.locator("#shown a.wiki")).to_have_text("Night duty editor")
    page.keyboard.type(" and $x^2$. ")
    expect(page.locator("#shown math")).to_have_count(1)
    page.evaluate(PASTE)
    expect(area(page)).to_have_value(re.compile(r"!\[receipt\]\(/pictures/[0-9a-f-]{36}/\)"))
    expect(page.locator("#shown img")).to_have_js_property("naturalWidth", 4)
    draft_kept(page)
    page.reload()
    expect(page.locator("#id_name")).to_have_value("Written here")
    expect(area(page)).to_have_value(re.compile("Night duty editor"))
    page.goto("/skills/new/drafts/")
    page.get_by_role("link", name="Written here").click()
    area(page).click()
    page.keyboard.press("Control+s")
    page.wait_for_url("**/skills/written-here/")
    page.goto("/skills/written-here/?full=1")
    expect(page.locator("#full img")).to_have_count(1)


def test_a_draft_is_offered_and_discarded(page: Page) -> None:
    """Opening the editor again asks; meanwhile the draft is not written over."""
    address = write(page, "Draft offered", "Saved text.\n")
    page.goto(f"{address}edit/")
    area(page).fill("Typed text.")
    draft_kept(page)
    page.goto(f"{address}edit/")
    expect(page.locator("[data-draft-waits]")).to_contain_text("It differs in: Full text.")
    expect(area(page)).to_have_value("Saved text.\n")
    area(page).fill("Typed beside it.")
    page.wait_for_timeout(2600)
    page.goto(f"{address}edit/?draft=1")
    expect(area(page)).to_have_value("Typed text.")
    page.goto(f"{address}edit/")
    page.get_by_role("button", name="Discard it").first.click()
    expect(page.locator("[data-draft-waits]")).to_have_count(0)
    page.goto("/skills/new/drafts/")
    expect(page.get_by_role("link", name="Draft offered")).to_have_count(0)


def test_keys_while_writing(page: Page) -> None:
    """Lists go on, Tab indents inside them and leaves elsewhere; after Escape everywhere; Undo works."""
    page.goto("/skills/new/")
    area(page).click()
    page.keyboard.type("word")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+b")
    expect(area(page)).to_have_value("**word**")
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value("word")
    page.keyboard.press("End")
    page.keyboard.type("\n- [x] one\ntwo")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(area(page)).to_have_value("word\n- [x] one\n    - [ ] two\n")
    page.keyboard.press("Tab")
    expect(area(page)).not_to_be_focused()
    area(page).focus()
    area(page).fill("1. one")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(area(page)).to_have_value("1. one\n2. ")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(area(page)).not_to_be_focused()
    assert page.url.endswith("/skills/new/") or "?draft=" in page.url


def test_an_input_method_is_left_alone(page: Page) -> None:
    """Enter that confirms a word neither goes on with a list nor takes a link."""
    page.goto("/skills/new/")
    area(page).fill("- 差")
    area(page).dispatch_event(
        "keydown", {"key": "Enter", "isComposing": True, "bubbles": True, "cancelable": True}
    )
    area(page).dispatch_event(
        "keydown", {"key": "Enter", "keyCode": 229, "bubbles": True, "cancelable": True}
    )
    expect(area(page)).to_have_value("- 差")


def test_two_people_at_once(page: Page) -> None:
    """Both versions of the field, the words that differ marked; theirs is taken by one press."""
    address = write(page, "Both at once", "One two three.\n")
    page.goto(f"{address}edit/")
    other = page.context.new_page()
    other.goto(f"{address}edit/")
    area(other).fill("One 2 three.\n")
    other.get_by_role("button", name="Save").click()
    other.wait_for_url(address)
    area(page).fill("One two 3.\n")
    page.keyboard.press("Control+s")
    expect(page.locator(".notice.warn")).to_contain_text("saved this skill while you were editing")
    expect(page.locator(".both del").first).to_be_visible()
    expect(page.locator(".both ins").first).to_be_visible()
    expect(area(page)).to_have_value("One two 3.\n")
    page.get_by_role("button", name="Take theirs").click()
    expect(area(page)).to_have_value("One 2 three.\n")
    expect(page.locator(".both")).to_have_count(0)


def test_a_session_that_ends_while_typing_loses_nothing(page: Page) -> None:
    """Saving says so and keeps the text; signed in again it is brought back."""
    address = write(page, "Signed out", "Saved.\n")
    page.goto(f"{address}edit/")
    cookies = page.context.cookies()
    page.context.clear_cookies(name="kb_session")
    area(page).fill("Typed while signed out.")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-draft-state]")).to_contain_text("It stays here")
    expect(area(page)).to_have_value("Typed while signed out.")
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.goto(f"{address}edit/")
    page.get_by_role("button", name="Bring it back").click()
    expect(area(page)).to_have_value("Typed while signed out.")


def test_a_picture_that_is_none_is_refused_in_words(page: Page) -> None:
    """The line that stood for it goes."""
    page.goto("/skills/new/")
    area(page).fill("Before. ")
    page.locator("[data-choose-picture]").set_input_files(
        {"name": "x.png", "mimeType": "image/png", "buffer": b"<svg onload=alert(1)>"}
    )
    expect(page.locator("#toasts")).to_contain_text("PNG, JPEG, GIF or WebP")
    expect(area(page)).to_have_value("Before. ")


@pytest.mark.parametrize("width", [390])
def test_on_a_phone_one_switches(page: Page, width: int) -> None:
    """Between writing and what it will look like."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/skills/new/")
    area(page).fill("**bold**")
    expect(page.locator(".editor .shown")).to_be_hidden()
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator("#shown strong")).to_have_text("bold")
    expect(area(page)).to_be_hidden()
    page.get_by_role("button", name="Write", exact=True).click()
    expect(area(page)).to_be_focused()
