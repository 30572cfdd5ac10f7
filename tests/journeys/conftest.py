"""A real browser on the real site. ``page`` is signed in as Alice; ``visitor`` is not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, expect, sync_playwright

from tests.running import ADMIN, PASSWORD, Site

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
MISSING = (
    "No browser: install Chromium (apt install chromium) or run `.venv/bin/playwright install chromium`; "
    "KB_CHROMIUM=/path names one."
)


def find_browser(playwright: Playwright) -> str | None:
    """Path of an installed Chromium, else of Playwright's own, else None."""
    named = os.environ.get("KB_CHROMIUM")
    found = [path for path in map(shutil.which, [named, *NAMES] if named else NAMES) if path]
    own = playwright.chromium.executable_path
    return found[0] if found else own if Path(own).exists() else None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for the run; without any the journeys are skipped (a failure under KB_CI)."""
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            (pytest.fail if os.environ.get("KB_CI") else pytest.skip)(MISSING)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(browser: Browser) -> Iterator[Site]:
    """One running site for all journeys that don't need a fresh one; Alice is its admin."""
    with Site() as running:
        yield running


@pytest.fixture
def fresh_site(browser: Browser) -> Iterator[Site]:
    """A site that nobody has visited: no admin, nothing in it."""
    with Site(admin=False) as running:
        yield running


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A page of somebody who is not signed in."""
    yield from watched_page(browser)


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A page signed in as Alice, the admin, on ``site``."""
    for page in watched_page(browser, base_url=site.address):
        sign_in(page, site)
        yield page


def watched_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """A page in a browser profile of its own; an error on its console fails the test.

    ``options`` are Playwright's for a context: ``locale``, ``color_scheme``, ``viewport``, …
    """
    errors: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # A page that answers 4xx is an error to the console, not to us: those are tested for.
        if message.type == "error" and "Failed to load resource" not in message.text:
            errors.append(message.text)

    defaults = {"locale": "en-GB", "viewport": {"width": 1280, "height": 800}}
    context = browser.new_context(**(defaults | options))
    context.set_default_timeout(15_000)
    expect.set_options(timeout=15_000)
    page = context.new_page()
    page.on("console", listen)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def sign_in(page: Page, site: Site, email: str = ADMIN, password: str = PASSWORD) -> None:
    """Sign in through the form and end on the first page."""
    page.goto(f"{site.address}/login/")
    page.locator("input[type=email], input[name=username]").first.fill(email)
    page.locator("input[type=password]").fill(password)
    page.locator("input[type=password]").press("Enter")
    page.wait_for_url(lambda url: "/login/" not in url)
