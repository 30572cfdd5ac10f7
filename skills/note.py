"""A short note as one text: its title, its tags and its body, taken apart and put together again.

The form is that of the knowledge base's files::

    # Title
    tags: one, two

    The body, any Markdown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kbsite.markdown import plain
from kbsite.markdown.front import front_of
from kbsite.text import storable
from skills.fields import LONGEST_NAME, LONGEST_TAG, MOST_TAGS

TITLE_SAMPLE = 1_000  # characters of a line that are looked at for a title
LINES_FOR_TITLE = 50  # looked at for first words
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t\u3000]+(.*)|$)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_BOLD = re.compile(r" {0,3}(\*\*|__)(?=\S)(.+?)(?<=\S)\1[ \t]*")
_TAGS = re.compile(
    r" {0,3}(?:\*\*|__)?(?:tags?|标签|標籤)(?:\*\*|__)?[ \t]*[:：][ \t]*(?:\*\*|__)?(.*)", re.IGNORECASE
)
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r'\s*(?:"([^"]*)"|([^,，、;；]*))\s*(?:[,，、;；]|$)')
_HASHES = re.compile(r"#[^\s#]\S*(?:[ \t\u3000]+#[^\s#]\S*)*")
_SENTENCE = re.compile(r"[。！？!?]|\.(?:\s|$)")
_DIVIDES = re.compile(r"[,，、;；\"]|^[#\[]|\]$")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")
_EDGES = " \t.,:;!?。，、：；！？…·—–-"


@dataclass(frozen=True)
class Note:
    """A note taken apart. ``title`` is "" when nothing names it; ``content`` is "" when it has no body."""

    title: str
    tags: list[str]
    content: str


def understood(text: str, *, title: str = "", tags: Iterable[str] = ()) -> Note:
    """What ``text`` is as a note. Never raises, whatever it holds.

    Without ``title`` the first heading names it, or else its first words. A heading that says the
    title again is taken out, and so is a line of tags that stands alone at the start, under the
    title or at the end; front matter is understood too. ``tags`` come first in the result.
    """
    text = storable(text).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    title = " ".join(storable(title).split())
    found = list(tags)
    named, listed, text = _front_matter(text)
    found += listed
    lines = text.split("\n")
    has_line = _take_tags_line(lines, found)
    heading = _heading(lines)
    title = title or named or heading.text
    if _says(heading.text, title) and not (heading.is_section and _has_more(lines, heading)):
        kept = lines[: heading.lines]
        del lines[: heading.lines]
        has_line = _take_tags_line(lines, found, is_under_title=True) or has_line
        if not any(line.strip() for line in lines):
            lines = kept
    if not has_line:
        _take_last_tags_line(lines, found)
    content = "\n".join(lines).strip("\n").rstrip()
    return Note(_short(title or _first_words(lines)), _unique(found), f"{content}\n" if content else "")


def as_markdown(title: str, tags: Iterable[str], content: str) -> str:
    """The note as one text, from which :func:`understood` makes the same note again."""
    listed = ", ".join(f'"{tag}"' if _DIVIDES.search(tag) else tag for tag in tags)
    lines = content.strip("\n").split("\n")
    # An empty line of tags says that what follows is not one.
    needs_line = listed or _take_tags_line(list(lines), []) or _take_last_tags_line(list(lines), [])
    head = f"# {_as_heading(title)}\n" + (f"tags: {listed}".rstrip() + "\n" if needs_line else "")
    return f"{head}\n{content.strip(chr(10)).rstrip()}\n"


def folded(title: str) -> str:
    """``title`` for comparing: width, case, blanks and what stands at its ends don't count."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split()).strip(_EDGES)


@dataclass(frozen=True)
class _Heading:
    """What the first lines say as a title: its words, how many lines it takes, whether it is a section."""

    text: str = ""
    lines: int = 0
    is_section: bool = False


def _heading(lines: list[str]) -> _Heading:
    at = next((n for n, line in enumerate(lines) if line.strip()), None)
    found = _heading_at(lines, at) if at is not None else None
    return found if found and folded(found.text) else _Heading()


def _heading_at(lines: list[str], at: int) -> _Heading | None:
    line = lines[at][:TITLE_SAMPLE]
    under = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if match := _ATX.fullmatch(line):
        return _Heading(_words(_CLOSING.sub("", match[2] or "")), at + 1, len(match[1]) > 1)
    if under and len(line) < TITLE_SAMPLE and re.fullmatch(r"=+|-{2,}", under) and not _is_block(line):
        return _Heading(_words(line), at + 2, under.startswith("-"))
    if not under and (match := _BOLD.fullmatch(line)):
        return _Heading(_words(match[2]), at + 1)
    return None


def _is_block(line: str) -> bool:
    """Whether a line begins something that no line below turns into a heading."""
    return line.startswith(("    ", "\t")) or line.lstrip()[:1] in {">", "|"} or bool(_FENCE.match(line))


def _has_more(lines: list[str], heading: _Heading) -> bool:
    """Whether other headings follow, so that taking this one out would leave them without it."""
    return any(_ATX.match(line) for line in lines[heading.lines :])


def _words(heading: str) -> str:
    return plain(f"# {heading}") or " ".join(heading.split())


def _says(heading: str, title: str) -> bool:
    return bool(heading) and folded(heading) == folded(title) and len(heading) <= LONGEST_NAME


def _short(title: str) -> str:
    return title if len(title) <= LONGEST_NAME else title[: LONGEST_NAME - 1].rstrip() + "…"


def _first_words(lines: list[str]) -> str:
    said = (plain(line[:TITLE_SAMPLE]) for line in lines[:LINES_FOR_TITLE] if not _FENCE.match(line))
    words = next((words for words in said if folded(words)), "")
    sentence = re.match(r".*?(?=[。！？]|[.!?](?:\s|$))", words)
    return (sentence[0] if sentence and sentence[0].strip() else words).strip()


def _take_tags_line(lines: list[str], found: list[str], *, is_under_title: bool = False) -> bool:
    """Take a line of tags out of the start of ``lines``: the first one that isn't blank, alone.

    Right under the title it need not be alone: the text may go on in the next line.
    """
    at = next((n for n, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return False
    tags = _tags_of(lines[at])
    below = lines[at + 1] if at + 1 < len(lines) else ""
    is_alone = not below.strip() or _ATX.match(below) or (is_under_title and at == 0)
    if tags is None or not is_alone:
        return False
    found += tags
    del lines[: at + 1]
    return True


def _take_last_tags_line(lines: list[str], found: list[str]) -> bool:
    """Take a line of tags out of the end of ``lines``, where it stands alone and in no code."""
    at = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), None)
    if at is None or at == 0 or lines[at - 1].strip() or not (tags := _tags_of(lines[at])):
        return False
    if _is_in_code(lines, at):
        return False
    found += tags
    del lines[at:]
    return True


def _is_in_code(lines: list[str], at: int) -> bool:
    """Whether line ``at`` is inside a fence that was opened above it."""
    fence = ""
    for line in lines[:at]:
        if not fence:
            match = _FENCE.match(line)
            fence = match[1] if match else ""
        elif set(line.strip()) == {fence[0]} and len(line.strip()) >= len(fence):
            fence = ""
    return bool(fence)


def _tags_of(line: str) -> list[str] | None:
    """The tags that a line lists; None when it is no line of tags."""
    match = _TAGS.fullmatch(line) if len(line) <= TITLE_SAMPLE * 3 else None
    if match is None:
        return None
    listed = match[1]
    tags = _divided(listed)
    if len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        return None
    return None if _SENTENCE.search(listed.replace('"', "")) else tags


def _divided(listed: str) -> list[str]:
    listed = listed.strip()
    if listed.startswith("[") and listed.endswith("]"):
        listed = listed[1:-1]
    if _HASHES.fullmatch(listed) and not re.search(r"[,，、;；]", listed):
        return [word.removeprefix("#") for word in listed.split()]
    items = ((match[1] or match[2] or "").strip() for match in _ITEM.finditer(listed))
    return [item.removeprefix("#").strip() for item in items if item.strip("# ")]


def _front_matter(text: str) -> tuple[str, list[str], str]:
    """Title and tags from YAML at the start, and the text without it; what else it holds is kept whole."""
    front = front_of(text)
    if not front.fields:
        return "", [], text
    keys = {key.casefold(): value for key, value in front.fields.items()}
    title = keys.get("title")
    tags = [tag for key in ("tags", "tag", "标签", "標籤") for tag in _listed(keys.get(key))]
    rest = keys.keys() - {"title", "tags", "tag", "标签", "標籤"}
    named = " ".join(str(title).split()) if isinstance(title, str | int | float) else ""
    return named, tags, text if rest else text[front.length :]


def _listed(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(item).removeprefix("#") for item in value if isinstance(item, str | int | float)]
    return _divided(str(value)) if isinstance(value, str | int | float) else []


def _unique(tags: Iterable[str]) -> list[str]:
    cleaned = (" ".join(tag.split()).removeprefix("#").strip() for tag in tags)
    return list({tag.casefold(): tag for tag in reversed([*filter(None, cleaned)])}.values())[::-1]


def _as_heading(title: str) -> str:
    """``title`` written so that the words of the heading are the title again."""
    return title if _heading([f"# {title}"]).text == title else _MARKS.sub(r"\\\1", title)
