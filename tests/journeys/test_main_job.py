"""The main job, as a stranger does it: from the printed link to a cited, highlighted passage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.conftest import watched_page
from tests.journeys.papers import write_papers
from tests.model_double import KEY, ModelDouble, Reply, running
from tests.running import ADMIN, PASSWORD, Site

SLOW = 90_000  # ms: the first file waits until the embedding model is loaded


def first_run(page: Page, site: Site) -> None:
    """Follow the console's link, make the admin, go on without a model, start empty."""
    link = re.search(r"http://\S+/setup/\?token=\S+", site.output())
    assert link, site.output()
    page.goto(link[0])
    page.get_by_label("Your name").fill("Alice")
    page.get_by_label("E-mail address").fill(ADMIN)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("button", name="Go on without a model").click()
    page.get_by_role("button", name="Start empty").click()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()


def add(page: Page, files: list[Path]) -> None:
    """Choose the files and watch each become ready, without a reload."""
    page.get_by_role("link", name="Documents", exact=True).first.click()
    page.wait_for_load_state("networkidle")
    page.evaluate("window.notReloaded = true")
    page.locator("input[type=file]").set_input_files(files)
    for file in files:
        row = page.locator("tr", has_text=file.name)
        expect(row.locator(".word")).to_have_text("Ready", timeout=SLOW)
    assert page.evaluate("window.notReloaded"), "the page was reloaded"


def search(page: Page, query: str) -> Page:
    """Search from the top bar."""
    page.keyboard.press("Escape")
    page.goto(f"/search/?q={query}")
    return page


def ask(page: Page, question: str) -> None:
    """Ask on the first page and wait for the whole answer."""
    page.goto("/")
    page.get_by_label("Ask", exact=True).fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".answer").last).to_have_attribute("aria-busy", re.compile("true"), timeout=SLOW)
    expect(page.locator(".answer[aria-busy]")).to_have_count(0, timeout=SLOW)


@pytest.mark.slow
def test_from_the_first_visit_to_a_cited_answer(browser: Browser, fresh_site: Site, tmp_path: Path) -> None:
    """Everything the README promises in its first paragraph, in one sitting."""
    files = write_papers(tmp_path, browser)
    for page in watched_page(browser, base_url=fresh_site.address):
        first_run(page, fresh_site)
        add(page, files)
        finds_by_word_and_meaning(page)
        becomes_a_skill_in_three_layers(page)
        answers_with_a_passage(page)
        says_when_nothing_is_found(page)


def finds_by_word_and_meaning(page: Page) -> None:
    """A Chinese word inside a sentence, an English paraphrase, a question across languages."""
    for query, name in (
        ("结转", "年假管理规定"),
        ("总经理办公会", "采购合同审批流程"),
        ("what to do when acid is on the floor", "Laboratory safety handbook"),
        ("how many days of annual leave can be carried over", "年假管理规定"),
        ("酸液洒了怎么办", "Laboratory safety handbook"),
    ):
        search(page, query)
        expect(page.locator(".result h2").first).to_contain_text(name)
    search(page, "结转")
    expect(page.locator(".result mark").first).to_contain_text("结转")


def becomes_a_skill_in_three_layers(page: Page) -> None:
    """Abstract, overview, and the full text on demand."""
    page.goto("/skills/")
    page.get_by_role("link", name="采购合同审批流程").first.click()
    expect(page.locator("#l0 .prose")).not_to_be_empty()
    expect(page.locator("#l1 .prose")).not_to_be_empty()
    page.locator("#full a.button").click()
    expect(page.locator("#full .prose")).to_contain_text("三个工作日")


def answers_with_a_passage(page: Page) -> None:
    """The number opens the passage beside the answer, and from there in the skill, highlighted."""
    ask(page, "没休完的年假可以结转到什么时候？")
    expect(page.locator(".answer")).to_contain_text("三月三十一日")
    page.locator(".answer a.cite").first.click()
    expect(page.locator(".source[open] .here")).to_contain_text("三月三十一日")
    page.locator(".source[open]").get_by_role("link", name="Open the skill").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("年假管理规定")
    passage = page.locator("[id^='p-']").first
    expect(passage).to_be_in_viewport()
    expect(page.locator("#full mark, #full .marked").first).to_be_visible()


def says_when_nothing_is_found(page: Page) -> None:
    """No invention: the answer says so and cites nothing."""
    ask(page, "Which players won the chess olympiad in 1986?")
    expect(page.locator(".answer").last).to_contain_text(re.compile("nothing|not found|no passage", re.I))
    expect(page.locator(".answer a.cite")).to_have_count(0)


@pytest.fixture
def model(site: Site) -> Iterator[ModelDouble]:
    """A language model to connect to; afterwards the site has none again."""
    with running() as double:
        yield double
        forget = "from kbsite.llm.models import Provider; Provider.objects.all().delete()"
        site.command("shell", "-c", forget)


def test_a_model_is_tested_connected_and_asked(page: Page, model: ModelDouble) -> None:
    """An address as people type it, a wrong key that is said, then a streamed answer of the model."""
    page.goto("/setup/model/")
    page.get_by_role("textbox", name="Address").fill(f"127.0.0.1:{model.port}")
    page.get_by_label("Key").fill("sk-wrong")
    page.get_by_role("button", name="Test").click()
    expect(page.locator("#report")).to_contain_text("does not work")
    page.get_by_label("Key").fill(KEY)
    page.get_by_role("button", name="Test").click()
    expect(page.locator("#report")).to_contain_text("The connection works")
    page.get_by_label("Chat model").fill("double-chat")
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_role("button", name="Start empty").click()
    model.queue(Reply(text="One two three four five six seven eight nine ten.", rate=10))
    page.get_by_label("Ask", exact=True).fill("Count for me, please")
    page.keyboard.press("Enter")
    expect(page.locator(".answer[aria-busy]")).to_contain_text("two", timeout=SLOW)
    expect(page.locator(".answer[aria-busy]")).not_to_contain_text("ten")
    expect(page.locator(".answer").last).to_contain_text("nine ten.", timeout=SLOW)
