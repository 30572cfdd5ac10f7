"""Files come in through the page: dropped, followed, told apart, unlocked, put away and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.documents.builders import locked, pdf
from tests.documents.builders import page as pdf_page

SLOW = 90_000  # ms: the first file waits until the embedding model is loaded

DROP = """async ([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: "text/markdown" }));
  const main = document.querySelector("main");
  const options = { bubbles: true, cancelable: true, dataTransfer: transfer };
  for (const type of ["dragenter", "dragover", "drop"]) main.dispatchEvent(new DragEvent(type, options));
}"""


def row(page: Page, name: str) -> Locator:
    return page.locator("tr[data-item]").filter(has=page.get_by_role("link", name=name, exact=True))


def state(page: Page, name: str, word: str) -> None:
    expect(row(page, name).locator(".word")).to_have_text(word, timeout=SLOW)


def choose(page: Page, *files: Path) -> None:
    page.locator("#drop input[type=file]").set_input_files(list(files))


@pytest.mark.slow
def test_files_are_followed_to_their_end_without_a_reload(page: Page, tmp_path: Path) -> None:
    """One is read, one is locked and opened, one is damaged, one is here already."""
    good, copy, bad = tmp_path / "规定.md", tmp_path / "规定 copy.md", tmp_path / "broken.pdf"
    secret = tmp_path / "secret.pdf"
    good.write_text("# 差旅规定\n\n高铁二等座可以报销。")
    copy.write_text(good.read_text())
    bad.write_bytes(b"%PDF-1.7 and then nothing")
    secret.write_bytes(locked(pdf(pdf_page([(72, 700, "Salaries of the year")])), "open sesame"))
    page.goto("/documents/")
    page.evaluate("window.notReloaded = true")
    choose(page, good, bad, secret)
    expect(page.get_by_text("Batch of 3 files")).to_be_visible()
    state(page, "broken.pdf", "Failed in parsing")
    expect(row(page, "broken.pdf").locator(".reason")).to_contain_text("damaged")
    state(page, "规定.md", "Ready")
    state(page, "secret.pdf", "Needs a password")
    row(page, "secret.pdf").get_by_placeholder("Password").fill("wrong")
    row(page, "secret.pdf").get_by_role("button", name="Unlock").click()
    expect(row(page, "secret.pdf")).to_contain_text("does not open", timeout=SLOW)
    row(page, "secret.pdf").get_by_placeholder("Password").fill("open sesame")
    row(page, "secret.pdf").get_by_role("button", name="Unlock").click()
    state(page, "secret.pdf", "Ready")
    choose(page, copy)
    state(page, "规定 copy.md", "Already here?")
    row(page, "规定 copy.md").get_by_role("button", name="Keep both").click()
    state(page, "规定 copy.md", "Ready")
    assert page.evaluate("window.notReloaded"), "the page was reloaded"


@pytest.mark.slow
def test_a_file_dropped_into_a_folder_is_read_there_moved_and_brought_back(page: Page) -> None:
    """The whole page is a drop area; a deleted document comes back with one click."""
    page.goto("/folders/new/")
    page.locator("main").get_by_label("Name").fill("Trips")
    page.locator("main").get_by_role("button", name="Make the folder").click()
    expect(page.get_by_text("No documents in this folder yet")).to_be_visible()
    page.evaluate(DROP, ["dropped.md", "# Dropped\n\nOnto the page."])
    state(page, "dropped.md", "Ready")
    expect(row(page, "dropped.md").locator(".folder")).to_have_text("Trips")
    row(page, "dropped.md").get_by_role("link", name="dropped.md", exact=True).click()
    expect(page.get_by_role("heading", name="Dropped").first).to_be_visible()
    expect(page.locator(".prose")).to_contain_text("Onto the page.")
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#toasts")).to_contain_text("is in the trash")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("is back")
    expect(page.get_by_role("heading", name="Dropped").first).to_be_visible()
