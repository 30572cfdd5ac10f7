"""What our Markdown knows beyond CommonMark: citations, bare links, formulas, uneven tables."""

from __future__ import annotations

import re
from re import Match
from typing import Any

from mistune import BlockParser, InlineParser, Markdown
from mistune.core import BlockState, InlineState

# [1], [1, 2], [1-3], 【2】; not [2024], not [1](link), not a footnote.
CITATION = r"(?:\[|【)(?P<cited>\s*\d{1,2}(?:\s*[,，、;；–-]\s*\d{1,2})*\s*)(?:\]|】)(?!\()"
# A bare link ends at white space, at Chinese punctuation and before trailing marks.
BARE_LINK = r"https?://[^\s<>\"'`（）《》〈〉，。；：！？、【】「」“”‘’|*]*[^\s<>\"'`（）《》〈〉，。；：！？、【】「」“”‘’|*.,:;!?)\]}_~]"
# Dollars as pandoc reads them: "$5 and $10" is money.
INLINE_MATH = (
    r"\$(?!\s|\$)(?P<dollars>(?:[^$\\\n]|\\.){1,2000}?)(?<!\s)\$(?!\d)"
    r"|\$\$(?P<display>[^$\n]{1,2000}?)\$\$"
    r"|\\\((?P<parens>[^\n]{1,2000}?)\\\)"
)
BLOCK_MATH = r"^ {0,3}(?P<opens_math>\$\$|\\\[)"
LONGEST_MATH = 2_000  # characters between two signs; more is no formula
MOST_COLUMNS = 500
MOST_FILLED = 20_000  # cells of one table that are added to short rows
REST_OF_LINE = re.compile(r"[ \t]*(?:\n|$)")
_NUMBERS = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_ALIGNMENT = re.compile(r"^\s*(:?)-+(:?)\s*$")


def cited_numbers(text: str) -> list[int]:
    """The numbers in ``1, 3-5``, in order, ranges filled: ``[1, 3, 4, 5]``."""
    found: list[int] = []
    for match in _NUMBERS.finditer(text):
        first = int(match[1])
        found.extend(range(first, int(match[2] or first) + 1) or [first])
    return found


def _citation(inline: InlineParser, match: Match[str], state: InlineState) -> int | None:
    known = state.env.get("citations")
    if known is None or state.in_link:
        return None
    numbers = cited_numbers(match["cited"])
    if 0 in numbers:
        return None
    if state.tokens and state.tokens[-1]["type"] == "text":
        state.tokens[-1]["raw"] = state.tokens[-1]["raw"].rstrip(" \t")
    for number in numbers:
        if number in known:
            attrs = {"number": number, "href": known[number]}
            state.append_token({"type": "citation", "raw": "", "attrs": attrs})
    return match.end()


def _address_of_a_word(block: BlockParser, match: Match[str], state: BlockState) -> int | None:
    if state.env.get("citations") is not None and match["reflink_1"].strip().isdecimal():
        return None
    return block.parse_ref_link(match, state)


def citations(md: Markdown) -> None:
    """``[n]`` becomes a citation where ``env["citations"]`` knows n, and nothing where it does not.

    ``[1]: words`` at the start of a line is then a citation too, and names no address.
    """
    md.block.register("ref_link", None, _address_of_a_word)
    md.inline.register("citation", CITATION, _citation, before="link", start_chars=("[", "【"))


def _bare_link(inline: InlineParser, match: Match[str], state: InlineState) -> int:
    text = match[0]
    if state.in_link or state.depth >= inline.max_nested_level:
        inline.process_text(text, state)
    else:
        token = {"type": "link", "children": [{"type": "text", "raw": text}], "attrs": {"url": text}}
        state.append_token(token)
    return match.end()


def bare_links(md: Markdown) -> None:
    """``https://…`` in running text becomes a link."""
    md.inline.register("bare_link", BARE_LINK, _bare_link, start_chars=("h",))


def _inline_math(inline: InlineParser, match: Match[str], state: InlineState) -> int:
    source = match["dollars"] or match["display"] or match["parens"]
    state.append_token({"type": "inline_math", "raw": source})
    return match.end()


def _block_math(block: BlockParser, match: Match[str], state: BlockState) -> int | None:
    """The formula up to the closing sign, which must end its line."""
    closing = "$$" if match["opens_math"] == "$$" else "\\]"
    start = match.end()
    end = state.src.find(closing, start, start + LONGEST_MATH)
    if end <= start or not (source := state.src[start:end].strip()):
        return None
    rest = REST_OF_LINE.match(state.src, end + 2)
    if not rest:
        return None
    state.append_token({"type": "block_math", "raw": source})
    return rest.end()


def formulas(md: Markdown) -> None:
    """``$x$``, ``\\(x\\)``, ``$$…$$`` and ``\\[…\\]`` keep their source, out of reach of ``*`` and ``_``."""
    md.inline.register("inline_math", INLINE_MATH, _inline_math, before="escape", start_chars=("$", "\\"))
    md.block.register("block_math", BLOCK_MATH, _block_math, before="fenced_code")
    md.block.insert_rule(md.block.list_rules, "block_math", before="fenced_code")
    md.block.insert_rule(md.block.block_quote_rules, "block_math", before="fenced_code")


def _cells(line: str) -> list[str]:
    text = line.strip()
    text = text.removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [cell.strip() for cell in _CELL_BORDER.split(text)]


def _alignments(line: str) -> list[str] | None:
    aligns = []
    for cell in _cells(line):
        match = _ALIGNMENT.match(cell)
        if not match:
            return None
        aligns.append({("", ":"): "right", (":", ":"): "center"}.get((match[1], match[2]), ""))
    return aligns


def _row(
    cells: list[str], aligns: list[str], *, head: bool = False, fill: bool = True
) -> list[dict[str, Any]]:
    even = (cells + [""] * (len(aligns) if fill else 0))[: len(aligns)]
    return [
        {"type": "table_cell", "text": text.replace("\\|", "|"), "attrs": {"align": align, "head": head}}
        for text, align in zip(even, aligns, strict=False)
    ]


def _table(block: BlockParser, match: Match[str], state: BlockState) -> int | None:
    pos = match.end()
    ruler = state.get_line(pos)
    aligns = _alignments(ruler) if "-" in ruler and "|" in ruler + match[0] else None
    header = _cells(match[0])
    if not aligns or len(header) != len(aligns) or len(aligns) > MOST_COLUMNS:
        return None
    pos += len(ruler)
    rows, missing = [], 0
    while pos < state.cursor_max and "|" in (line := state.get_line(pos)) and line.strip():
        cells = _cells(line)
        missing += max(len(aligns) - len(cells), 0)
        row = _row(cells, aligns, fill=missing <= MOST_FILLED)
        rows.append({"type": "table_row", "children": row})
        pos += len(line)
    head = {"type": "table_head", "children": _row(header, aligns, head=True)}
    state.append_token({"type": "table", "children": [head, {"type": "table_body", "children": rows}]})
    return pos


def tables(md: Markdown) -> None:
    """GitHub's tables; rows that are too short are filled and rows that are too long are cut."""
    md.block.register("table", r"^ {0,3}[^\s][^\n]*\|[^\n]*(?:\n|$)", _table, before="paragraph")
    md.block.insert_rule(md.block.list_rules, "table", before="paragraph")
    md.block.insert_rule(md.block.block_quote_rules, "table", before="paragraph")
