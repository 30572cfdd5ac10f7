"""Reading what people read: the texts in the code, and the words on a page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize
from lxml import html

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("kbsite", "documents", "skills", "search", "chat")
CALLS = {
    "_": ("msgid",),
    "gettext": ("msgid",),
    "gettext_lazy": ("msgid",),
    "gettext_noop": ("msgid",),
    "ngettext": ("msgid", "plural"),
    "ngettext_lazy": ("msgid", "plural"),
    "pgettext": ("context", "msgid"),
    "pgettext_lazy": ("context", "msgid"),
    "npgettext": ("context", "msgid", "plural"),
}
STRING = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
CALL = re.compile(rf"\b({'|'.join(CALLS)})\(\s*{STRING}(?:,\s*{STRING})?(?:,\s*{STRING})?")
UNREAD = (
    "//script|//style|//template|//svg|//code|//kbd|//pre|//textarea|//meta|//link"
    "|//*[contains(@class, 'difference')]//*[@class='text']"
)
SPOKEN = ("placeholder", "title", "aria-label", "alt", "value", "hx-confirm")

TOASTS = ("offline", "failed", "forbidden", "missing", "large", "often", "slow")
SAID_BY_SCRIPTS = tuple(f"data-{word}" for word in (*TOASTS, "sending", "too-large", "unit"))

type Key = tuple[str, str]


def _key(call: str, strings: list[str]) -> Key:
    named = dict(zip(CALLS[call], strings, strict=False))
    return named.get("context", ""), named["msgid"]


def _in_python(source: str) -> Iterator[Key]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", "")
        strings = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        if name in CALLS and strings and all(isinstance(text, str) for text in strings):
            yield _key(name, [str(text) for text in strings])


def _in_template(source: str) -> Iterator[Key]:
    for name, *literals in CALL.findall(templatize(source)):
        yield _key(name, [ast.literal_eval(literal) for literal in literals if literal])


def texts_in_code() -> dict[Key, Path]:
    """Every text that is marked for translation, as (context, text), and a file that has it."""
    found: dict[Key, Path] = {}
    for app in APPS:
        for path in ROOT.glob(f"{app}/**/*.py"):
            if "migrations" not in path.parts:
                found |= dict.fromkeys(_in_python(path.read_text(encoding="utf-8")), path)
    for path in ROOT.glob("templates/**/*.html"):
        found |= dict.fromkeys(_in_template(path.read_text(encoding="utf-8")), path)
    return found


def words_on(page: str) -> str:
    """What a page says in words: its text, and what is spoken or shown on hover; no code, no dates."""
    tree = html.document_fromstring(page)
    for unread in tree.xpath(UNREAD):
        unread.drop_tree()
    said = [text.strip() for text in tree.xpath("//text()") if text.strip()]
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        is_data = element.tag in ("option", "input", "button", "progress") and element.get("type") != "submit"
        for name in SPOKEN:
            if element.get(name) and not (name == "value" and is_data):
                said.append(str(element.get(name)))
        said += [str(v) for k, v in element.attrib.items() if k.startswith(SAID_BY_SCRIPTS)]
    return "\n".join(said)
