"""Asking in a browser: the answer grows, its numbers open passages, and nothing typed is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.model_double import ModelDouble, Reply, running
from tests.running import Site

pytestmark = pytest.mark.slow

LIBRARY = """
from kbsite.accounts.models import User
from skills.edit import create_skill
from skills.models import Skill
from skills.pipeline import refresh
text = '''# Leave policy

## Carry-over

Unused annual leave can be carried over until the end of March of the next year.

## Sick leave

A doctor's note is needed from the third day of sickness.
'''
if not Skill.objects.filter(name="Leave policy").exists():
    refresh(create_skill(User.objects.get(email="alice@example.com"), name="Leave policy", content=text).pk)
"""
CONNECT = """
from kbsite.llm.models import Provider, PurposeModel
p = Provider.objects.create(name="Double", base_url={url!r})
PurposeModel.objects.create(purpose="chat", provider=p, model="double-chat")
"""
DISCONNECT = """
from kbsite.llm.models import Provider, PurposeModel
PurposeModel.objects.all().delete()
Provider.objects.all().delete()
"""


@pytest.fixture(scope="module")
def library(site: Site) -> None:
    """One skill to ask about."""
    site.command("shell", "-c", LIBRARY)


@pytest.fixture
def double(site: Site) -> Iterator[ModelDouble]:
    """A model double that serves the site's chat while the test runs."""
    with running(key=None) as double:
        site.command("shell", "-c", CONNECT.format(url=double.url))
        yield double
        site.command("shell", "-c", DISCONNECT)


def ask(page: Page, question: str) -> None:
    """Type a question and press Enter."""
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")


def slow(words: int = 100, rate: float = 20) -> Reply:
    """An answer of some seconds."""
    return Reply(pieces=[f"w{n} " for n in range(words)], rate=rate)


def test_answer_cites_and_the_number_opens_the_passage(page: Page, site: Site, library: None) -> None:
    """Without a language model: a quote, its number, the passage marked, the skill's page."""
    page.goto(site.address)
    expect(page.get_by_text("No language model is connected")).to_be_visible()
    ask(page, "Can I carry over annual leave?")
    expect(page.locator("h1.question")).to_have_text("Can I carry over annual leave?")
    page.wait_for_url(re.compile(r"/c/[0-9a-f-]+/"))
    expect(page.locator(".answer")).to_contain_text("end of March", timeout=60_000)
    expect(page.locator(".steps summary")).to_contain_text("Searched")
    page.locator(".answer .cite").first.click()
    expect(page.locator("#sources mark")).to_contain_text("end of March")
    expect(page).to_have_url(re.compile(r"source=\d+#source-\d+$"))
    page.set_viewport_size({"width": 390, "height": 480})
    page.reload()
    expect(page.locator("#sources mark")).to_contain_text("end of March")
    expect(page.locator("#sources mark")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.get_by_role("link", name="Open the skill")).to_have_attribute(
        "href", re.compile(r"^/skills/leave-policy/\?passage=[0-9a-f-]+#p-[0-9a-f-]+$")
    )


def test_enter_of_an_input_method_sends_nothing(page: Page, site: Site, library: None) -> None:
    """Enter that confirms a candidate is not ours, nor the keyCode 229 that Safari sends."""
    page.goto(site.address)
    field = page.locator("#question")
    field.fill("年假")
    for init in ("{isComposing: true}", "{keyCode: 229}"):
        page.evaluate(
            f"document.getElementById('question').dispatchEvent(new KeyboardEvent('keydown',"
            f" Object.assign({{key: 'Enter', bubbles: true, cancelable: true}}, {init})))"
        )
    field.press("Shift+Enter")
    field.type("能跨年吗")
    assert field.input_value() == "年假\n能跨年吗"
    expect(page).to_have_url(f"{site.address}/")
    field.press("Enter")
    page.wait_for_url(re.compile(r"/c/"))


def test_escape_stops_and_what_was_typed_stays(
    page: Page, site: Site, library: None, double: ModelDouble
) -> None:
    """Stop stands where Send was; the part stays; the next question works."""
    double.queue(slow())
    page.goto(site.address)
    ask(page, "Tell me all")
    expect(page.locator(".answer")).to_contain_text("w3")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.locator("#question").fill("My next question")
    page.locator("#question").press("Enter")  # nothing is sent while an answer runs
    page.locator("#question").press("Escape")
    expect(page.get_by_text("Stopped. What had come until then is kept.")).to_be_visible()
    assert double.wait_until_left(5)
    expect(page.locator(".answer")).to_contain_text("w3")
    expect(page.locator("#question")).to_have_value("My next question")
    double.queue("Here it is.")
    page.locator("#question").press("Enter")
    expect(page.locator(".turn").nth(1)).to_contain_text("Here it is.")
    expect(page.locator("#question")).to_have_value("")


def test_reload_in_mid_answer_goes_on(page: Page, site: Site, library: None, double: ModelDouble) -> None:
    """The page that comes back shows what there is and grows on to the end, each word once."""
    double.queue(slow(60))
    page.goto(site.address)
    ask(page, "Tell me all")
    expect(page.locator(".answer")).to_contain_text("w10")
    page.reload()
    expect(page.locator(".answer[aria-busy]")).to_contain_text("w10")
    expect(page.locator(".after")).to_be_visible()
    words = page.locator(".answer").inner_text().split()
    assert words == [f"w{n}" for n in range(60)]


def test_blocks_do_not_flicker(page: Page, site: Site, library: None, double: ModelDouble) -> None:
    """While it grows, the answer never gets lower; half a diagram is code, markup is text."""
    diagram, markup = "```mermaid\ngraph TD\nA-->B\n```", "```\n<form action=x>\n```"
    text = f"First.\n\n{diagram}\n\n{markup}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nEnd."
    double.queue(Reply(pieces=list(text), rate=40))
    page.goto(site.address)
    ask(page, "Draw it")
    expect(page.locator(".answer[aria-busy]")).to_contain_text("First.")
    page.evaluate(
        "() => { window.heights = []; const look = () => { const a = document.querySelector('.answer');"
        " if (a) window.heights.push(a.offsetHeight); requestAnimationFrame(look); }; look(); }"
    )
    expect(page.locator(".after")).to_be_visible()
    heights = page.evaluate("window.heights")
    drops = [(a, b) for a, b in pairwise(heights) if b < a]
    assert drops == []
    expect(page.locator(".answer pre")).to_have_count(2)
    expect(page.locator(".answer form")).to_have_count(0)


def test_fault_stands_in_place_and_a_retry_works(
    page: Page, site: Site, library: None, double: ModelDouble
) -> None:
    """The sentence says which fault; the question is kept; Try again answers it."""
    double.queue(Reply(status=500, error="boom"))
    page.goto(site.address)
    ask(page, "Can I carry over annual leave?")
    expect(page.get_by_role("alert")).to_contain_text("fault")
    double.queue("Until March.")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".answer")).to_have_text("Until March.")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_draft_outlives_a_reload(page: Page, site: Site, library: None) -> None:
    """What was typed and not sent is there again."""
    page.goto(site.address)
    page.locator("#question").fill("Half a thought")
    page.reload()
    expect(page.locator("#question")).to_have_value("Half a thought")


def test_conversation_is_renamed_and_deleted_with_undo(page: Page, site: Site, library: None) -> None:
    """From the menu beside its name; the toast brings it back."""
    page.goto(site.address)
    ask(page, "Who needs a doctor's note?")
    expect(page.locator(".after")).to_be_visible()
    menu = page.get_by_role("button", name="Rename, pin, export or delete")
    menu.click()
    page.locator("#talk-title").fill("Sick notes")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.locator(".talk[aria-current]")).to_have_text("Sick notes")
    menu.click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".talk", has_text="Sick notes")).to_have_count(0)
    expect(page).to_have_url(f"{site.address}/")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".talk", has_text="Sick notes")).to_be_visible()
