r"""Pictures of every page: light and dark, wide and phone, Chinese and English.

    python docs/screenshots.py http://127.0.0.1:8000 EMAIL PASSWORD --out docs/images \
        [--only search,skill] [--themes light,dark] [--widths wide,phone] [--languages en,zh-hans]

For reviewing the interface, and for the README's pictures. Needs Chromium (``KB_CHROMIUM`` or the system's).
Problems that the browser reports (errors, blocked styles and scripts) are printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from urllib.parse import urljoin

from playwright._impl._api_structures import SetCookieParam
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

SIZES = {"wide": (1440, 900), "laptop": (1024, 768), "phone": (390, 844)}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]
# name → an address, then links to follow from there, one after the other
PAGES: dict[str, tuple[str, ...]] = {
    "login": ("/login/",),
    "ask": ("/",),
    "conversation": ("/", ".talk"),
    "cited": ("/", ".talk", ".answer a.cite"),
    "search": ("/search/?q=报销 ticket",),
    "skills": ("/skills/",),
    "skill": ("/skills/", "[data-list] a[href*='/skills/']"),
    "documents": ("/documents/",),
    "document": ("/documents/", "[data-list] a[href*='/documents/']"),
    "prompts": ("/prompts/",),
    "models": ("/models/",),
    "me": ("/me/",),
    "styleguide": ("/styleguide/",),
    "setup": ("/setup/model/",),
    "samples": ("/setup/samples/",),
    "missing": ("/nothing-here/",),
    "admin": ("/admin/",),
}


@dataclass(frozen=True)
class Look:
    """One way to see a page."""

    theme: str
    width: str
    language: str


def _cookies(base: str, look: Look) -> list[SetCookieParam]:
    cookies: list[SetCookieParam] = [{"name": "kb_language", "value": look.language, "url": base}]
    if look.theme:
        cookies.append({"name": "kb_theme", "value": look.theme, "url": base})
    return cookies


def _context(browser: Browser, base: str, look: Look) -> BrowserContext:
    width, height = SIZES[look.width]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if look.theme == "dark" else "light",
        locale={"zh-hans": "zh-CN"}.get(look.language, "en-GB"),
        has_touch=look.width == "phone",
        is_mobile=look.width == "phone",
        device_scale_factor=1,
    )
    context.add_cookies(_cookies(base, look))
    return context


def _sign_in(page: Page, base: str, email: str, password: str) -> None:
    page.goto(f"{base}/login/")
    page.fill("input[name=username]", email)
    page.fill("input[name=password]", password)
    page.click("main form button")
    page.wait_for_url(lambda url: "/login" not in url)


def _listen(page: Page, problems: list[str], name: str) -> None:
    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            problems.append(f"{name}: {message.text}")

    page.on("console", said)
    page.on("pageerror", lambda error: problems.append(f"{name}: {error}"))


def _visit(page: Page, base: str, name: str) -> bool:
    address, *links = PAGES[name]
    page.goto(base + address)
    for selector in links:
        link = page.locator(selector).first
        if not link.count():
            return False
        page.goto(urljoin(page.url, link.get_attribute("href") or ""))
    page.wait_for_load_state("load")
    page.wait_for_timeout(400)
    return True


def _looks(options: argparse.Namespace) -> Iterator[Look]:
    for theme, width, language in product(options.themes, options.widths, options.languages):
        yield Look(theme, width, language)


def _take(browser: Browser, options: argparse.Namespace, look: Look, problems: list[str]) -> None:
    context = _context(browser, options.base, look)
    signed_in = False
    for name in sorted(options.only, key=lambda name: name != "login"):
        if name != "login" and not signed_in:
            _sign_in(context.new_page(), options.base, options.email, options.password)
            signed_in = True
        label = f"{name}-{look.theme}-{look.width}-{look.language}"
        page = context.new_page()
        _listen(page, problems, label)
        if _visit(page, options.base, name):
            page.screenshot(path=options.out / f"{label}.png", full_page=options.full)
        page.close()
    context.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)

    def words(text: str) -> list[str]:
        return text.split(",")

    parser.add_argument("base")
    parser.add_argument("email")
    parser.add_argument("password")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--only", type=words, default=list(PAGES))
    parser.add_argument("--themes", type=words, default=["light", "dark"])
    parser.add_argument("--widths", type=words, default=["wide", "phone"])
    parser.add_argument("--languages", type=words, default=["en", "zh-hans"])
    parser.add_argument("--full", action="store_true", help="the whole page, not only the first screen")
    return parser.parse_args()


def main() -> int:
    """Take the pictures; 1 when the browser reported a problem."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    chromium = os.environ.get("KB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for look in _looks(options):
            _take(browser, options, look, problems)
        browser.close()
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)  # noqa: T201 - a command's output
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
