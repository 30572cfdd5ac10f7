"""A text cut into blocks: headings, prose, list items, tables, code; what is not content is dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

LONGEST_FURNITURE = 300
LONGEST_FORMULA = 100  # lines

Kind = Literal["heading", "prose", "item", "quote", "table", "code"]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_INDENTED = re.compile(r"^(?: {4}|\t)\s*\S")
_RULE = re.compile(r"^\s*([-*_=~+])\s*(?:\1\s*){2,}$")
_ITEM = re.compile(
    r"^\s*(?:[-*+–]\s+|[•·●▪]\s*|\(?\d{1,3}[.)]\s+|\d{1,3}[、）]\s*|[（(][一二三四五六七八九十\d]{1,3}[)）]\s*)(?=\S)(.*)$"
)
_NUMBERED_HEADING = re.compile(
    r"^(?:第[一二三四五六七八九十百零〇\d]{1,6}[章节節篇部回卷条條][\s:：、]?|[一二三四五六七八九十]{1,3}、"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\s+|(?:chapter|section|part|appendix)\s+[\divxlc]+\b)",
    re.IGNORECASE,
)
_TOC_LINE = re.compile(r"(?:\.{4,}|…{2,}|·{4,}|(?:\. ){4,}|\t)\s*\d{1,4}\s*$")
_LINK_ONLY = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*!?\[[^\]]*\]\([^)]*\)\s*[|·,;]?\s*$")
_BARE_URL = re.compile(r"^\s*(?:https?://|www\.)\S+\s*$", re.IGNORECASE)
_BOILERPLATE = re.compile(
    r"^\s*(?:page \d+(?: of \d+)?|第?\s*\d+\s*页(?:\s*[/，,、]?\s*共?\s*\d+\s*页)?"
    r"|-?\s*\d{1,4}\s*-?|skip to content|table of contents|contents|目录|目錄"
    r"|all rights reserved\.?|版权所有.*|(?:copyright\b|©).*"
    r"|last (?:updated|modified)\b.*|latest commit|file metadata and controls|confidential|机密|跳转至)\s*$",
    re.IGNORECASE,
)
# Every repetition is bounded or stops at its own first letter: hostile text must not take squared time.
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\n]{0,1000}\)")
_LINK = re.compile(r"\[([^\[\]]{1,500})\]\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,1000})?\)")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,200}\|)?([^\[\]|]{1,200})\]\]")
_TAG = re.compile(
    r"<!--.{0,2000}?-->|</?(?:div|span|p|br|a|b|i|u|s|em|strong|img|table|thead|tbody|tr|td|th|ul|ol|li|h[1-6]|pre|sub|sup"
    r"|font|center|details|summary|hr|kbd|small|iframe|script|style|section|article|header|footer|nav|svg|path"
    r"|video|blockquote|dl|dt|dd|mark|del|ins|figure|figcaption|label|button|form|input)\b[^<>]{0,1000}>",
    re.S | re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|__|~~|==)(?=\S)(.{1,300}?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])[*_](?=[^\s*_])([^*_\n]{1,300}?)(?<=[^\s*_])[*_](?![\w*])")
_DRAWN = re.compile(r"[│├└┌┐┘┤┬┴┼║╔╗╚╝╠╣═┃┏┗]|──|^\s*[▼▲↓↑|v^\s]+$")
_NO_END = re.compile(r"[。！？；，、：,.;:!?…]$")
_CJK = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
_IS_CJK = re.compile(rf"[{_CJK}]")


@dataclass(frozen=True)
class Block:
    """``text`` is plain (no inline markup) except for tables and code, which stay as written; lines
    that were not wrapped are still lines.

    ``level`` is the heading's, 1 to 6, or 0.
    """

    kind: Kind
    text: str
    level: int = 0


def plain(text: str) -> str:
    """``text`` without inline Markdown, images and tags; the words of links stay."""
    text = _IMAGE.sub("", text)
    text = _TAG.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _WIKI_LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    return _ITALIC.sub(r"\1", text).strip()


def without_front_matter(text: str) -> str:
    """``text`` without a YAML block at its very start."""
    if not text.startswith("---\n"):
        return text
    end = re.search(r"^(?:---|\.\.\.)[ \t]*$", text[4:20_000], re.M)
    head = text[4 : 4 + end.start()] if end else ""
    if end and re.match(r"\s*[\w-]+\s*:", head):
        return text[4 + end.end() :].lstrip("\n")
    return text


def blocks(text: str) -> list[Block]:
    """The content of ``text`` in order, in time linear in its length.

    Front matter, tables of contents, rules, drawings made of characters, formulas that stand by
    themselves, bare links and page furniture are left out.
    """
    lines = without_front_matter(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    found: list[Block] = []
    at = 0
    while at < len(lines):
        taken, block = _take_indented(lines, at, found) or _take(lines, at)
        if block is not None and block.text:
            found.append(block)
        at += taken
    return found


def _take(lines: list[str], at: int) -> tuple[int, Block | None]:
    """How many lines the block at ``at`` has, and the block unless it is no content."""
    line = lines[at]
    if not line.strip() or _is_noise(line):
        return 1, None
    if fence := _FENCE.match(line):
        return _take_fence(lines, at, fence.group(1))
    if formula := _formula_lines(lines, at):
        return formula, None
    if line.lstrip().startswith("|") or _is_table(lines, at):
        return _take_table(lines, at)
    if atx := _ATX.match(line):
        return 1, Block("heading", plain(atx.group(2)), len(atx.group(1)))
    if underlined := _underlined(lines, at):
        return 2, Block("heading", plain(line), underlined)
    if _stands_alone(lines, at) and (level := _heading_level(line, lines, at)):
        return 1, Block("heading", plain(line), level)
    return _take_paragraph(lines, at)


def _take_indented(lines: list[str], at: int, found: list[Block]) -> tuple[int, Block] | None:
    """A stretch of code that is set in by four blanks; prose set in like that stays prose."""
    after_blank = at == 0 or not lines[at - 1].strip()
    if not after_blank or not _INDENTED.match(lines[at]) or (found and found[-1].kind in ("item", "code")):
        return None
    end = at
    while end < len(lines) and _INDENTED.match(lines[end]):
        end += 1
    if re.search(r"[。！？.!?]\W*$", lines[end - 1]):
        return None
    return end - at, Block("code", "\n".join(lines[at:end]))


def _is_noise(line: str) -> bool:
    if len(line) > LONGEST_FURNITURE:
        return False
    if _RULE.match(line) or _TOC_LINE.search(line) or _LINK_ONLY.match(line) or _BARE_URL.match(line):
        return True
    return bool(_BOILERPLATE.match(line) or _DRAWN.search(line))


def _take_fence(lines: list[str], at: int, mark: str) -> tuple[int, Block]:
    end = at + 1
    while end < len(lines):
        closing = lines[end].strip()
        if closing.startswith(mark) and not closing.strip(mark[0]):
            break
        end += 1
    return end - at + 1, Block("code", "\n".join(lines[at : end + 1]))


def _formula_lines(lines: list[str], at: int) -> int:
    """How many lines a formula that stands by itself between two $$ has; 0 when none begins at ``at``."""
    if not lines[at].lstrip().startswith("$$"):
        return 0
    end, rest = at, lines[at].strip()[2:]
    while not rest.endswith("$$"):
        end += 1
        if end == min(len(lines), at + LONGEST_FORMULA) or not lines[end].strip():
            return 0
        rest = lines[end].strip()
    return end - at + 1


def _is_table(lines: list[str], at: int) -> bool:
    following = lines[at + 1][:1000] if at + 1 < len(lines) else ""
    return "|" in lines[at] and bool(re.match(r"^[\s|:-]*-[\s|:-]*\|[\s|:-]*$", following))


def _take_table(lines: list[str], at: int) -> tuple[int, Block]:
    end = at
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end - at, Block("table", "\n".join(line.strip() for line in lines[at:end]))


def _underlined(lines: list[str], at: int) -> int:
    if at + 1 >= len(lines) or (at and lines[at - 1].strip()):
        return 0
    under = lines[at + 1].strip()
    if len(under) < 3 or len(lines[at].strip()) > 100 or _ITEM.match(lines[at]):
        return 0
    return {"=": 1, "-": 2}.get(under[0], 0) if len(set(under)) == 1 else 0


def _stands_alone(lines: list[str], at: int) -> bool:
    before = lines[at - 1].strip() if at else ""
    after = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return not before and not after


def _heading_level(line: str, lines: list[str], at: int) -> int:
    """Level of a line of plain text that stands alone like a heading; 0 when it doesn't read as one."""
    text = line.strip()
    longest = 30 if _IS_CJK.search(text) else 70
    if len(text) > longest or _NO_END.search(text) or text[0] in ">-*+•|<`#":
        return 0
    if numbered := _NUMBERED_HEADING.match(text):
        return min(6, 2 + numbered.group(0).count("."))
    if _ITEM.match(text) or line.startswith(("    ", "\t")):
        return 0
    following = next((after for after in lines[at + 1 : at + 4] if after.strip()), "")
    return 2 if len(following.strip()) > len(text) and not following.startswith("#") else 0


def _starts_block(line: str) -> bool:
    starts = _FENCE.match(line) or _ATX.match(line) or _ITEM.match(line)
    return bool(starts) or line.lstrip().startswith(("|", ">", "$$")) or _is_noise(line)


def _take_paragraph(lines: list[str], at: int) -> tuple[int, Block]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines[end]):
        end += 1
    first = lines[at].strip()
    kind: Kind = "prose"
    if item := _ITEM.match(first):
        kind, first = "item", item.group(1)
    elif first.startswith(">"):
        kind, first = "quote", first.lstrip("> ")
    rest = [line.strip().lstrip("> ") if kind == "quote" else line.strip() for line in lines[at + 1 : end]]
    return end - at, Block(kind, plain(_unwrapped([first, *rest])))


def _columns(line: str) -> int:
    return len(line) + len(_IS_CJK.findall(line))


def _unwrapped(lines: list[str]) -> str:
    """Lines of one paragraph joined where they were wrapped to a width; short ones stay lines."""
    width = max(_columns(line) for line in lines)
    text = lines[0]
    for before, line in pairwise(lines):
        if _columns(before) < max(36, 0.6 * width):
            text += "\n" + line
        elif _IS_CJK.match(before[-1:]) and _IS_CJK.match(line[:1]):
            text += line
        else:
            text += " " + line
    return text
