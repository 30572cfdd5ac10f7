"""PDF to Markdown, page by page: pdfium finds the letters, the rest puts them together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module

import pypdfium2 as pdfium
import pypdfium2.raw as c

from documents.faults import unreadable
from documents.parsers.document import Limits, ParsedDocument
from documents.parsers.pdf.blocks import Block, Look, blocks_of, ends_open, joined, look_of
from documents.parsers.pdf.order import in_reading_order
from documents.parsers.pdf.pieces import badness, pieces_of
from documents.parsers.pdf.rows import Row, rows_of, with_tables

TOO_BAD = 0.3
REPEATED = 3
MANY_LISTED = 12
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"^[\W_]*(page|seite|第)?\s*\d{1,4}\s*(页|/\s*\d+|of\s+\d+)?[\W_]*$", re.IGNORECASE)
_DAY = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_NO_TITLE = re.compile(
    r"^(untitled|microsoft|无标题|document\d*|.*\.(docx?|indd|pdf|tex|dvi|xlsx?))\b", re.IGNORECASE
)


@dataclass(slots=True)
class Page:
    """One page: its rows, and what was wrong with it."""

    rows: list[Row] = field(default_factory=list)
    has_images: bool = False
    is_bad: bool = False


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """The text of a PDF with its pages, headings and tables. Raises UnreadableFile."""
    pdf = _opened(data, password)
    if len(pdf) > limits.pages:
        raise unreadable("too_many_pages", pages=len(pdf), limit=limits.pages)
    pages = [_page(pdf, n, data, password) for n in range(len(pdf))]
    if not any(page.rows for page in pages):
        raise unreadable(_why_nothing(pages))
    _drop_repeated(pages)
    look = look_of((row for page in pages for row in page.rows), _contents(pdf))
    blocks = [blocks_of(with_tables(page.rows), look) for page in pages]
    markdown, starts = _together(blocks, look)
    document = ParsedDocument(markdown, mime="application/pdf", pages=len(pages), page_starts=starts)
    document.title = _title(pdf, blocks)
    document.metadata = _metadata(pdf)
    _warn(document, pages)
    return document


def _opened(data: bytes, password: str | None) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        reason = c.FPDF_GetLastError()
        if reason in (c.FPDF_ERR_PASSWORD, c.FPDF_ERR_SECURITY) or "password" in str(error).lower():
            raise unreadable("wrong_password" if password else "password") from error
        raise unreadable("damaged") from error


def _page(pdf: pdfium.PdfDocument, number: int, data: bytes, password: str | None) -> Page:
    """One page; a page that pdfium can't open is a bad page, not a bad file."""
    try:
        page = pdf[number]
        rows = rows_of(in_reading_order(pieces_of(page, page.get_textpage())))
        images = any(page.get_objects(filter=[c.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    except pdfium.PdfiumError:
        return Page(is_bad=True)
    bad = badness(" ".join(row.text for row in rows))
    if bad > TOO_BAD:
        # Loaded only where it is needed: it takes longer to load than most files to read.
        second = import_module("documents.parsers.pdf.second")
        other = second.second_opinion(data, number, password)
        rows = other if other and badness(" ".join(row.text for row in other)) < TOO_BAD else []
    page.close()
    return Page(rows, has_images=images, is_bad=bad > TOO_BAD and not rows)


def _why_nothing(pages: Sequence[Page]) -> str:
    if any(page.is_bad for page in pages):
        return "letters_unknown"
    return "no_text" if any(page.has_images for page in pages) else "blank"


def _edges(page: Page) -> Iterator[Row]:
    """The rows at the top and the bottom, where running heads and page numbers are."""
    by_height = sorted(page.rows, key=lambda row: -row.top)
    yield from by_height[:2]
    yield from by_height[2:][-2:]


def _drop_repeated(pages: Sequence[Page]) -> None:
    """Running heads and feet stay where they come first; page numbers go."""
    counts = Counter(_DIGITS.sub("#", row.text) for page in pages for row in _edges(page))
    often = {text for text, n in counts.items() if n >= max(REPEATED, len(pages) // 3)}
    seen: set[str] = set()
    for page in pages:
        dropped = []
        for row in _edges(page):
            text = _DIGITS.sub("#", row.text)
            if text in often and (text in seen or _PAGE_NUMBER.match(row.text)):
                dropped.append(id(row))
            seen.add(text)
        page.rows = [row for row in page.rows if id(row) not in dropped]


def _contents(pdf: pdfium.PdfDocument) -> dict[str, int]:
    found: dict[str, int] = {}
    try:
        for entry in pdf.get_toc(max_depth=5):
            title = " ".join((entry.get_title() or "").split()).casefold()
            if title:
                found.setdefault(title, min(entry.level + 2, 6))
    except pdfium.PdfiumError:
        return found
    return found


def _together(pages: Sequence[Sequence[Block]], look: Look) -> tuple[str, list[int]]:
    """All pages as one text, and where each begins in it. A sentence may run over a page's end."""
    text, starts = "", []
    last: Block | None = None
    for blocks in pages:
        for n, block in enumerate(blocks):
            if n == 0 and last is not None and _runs_on(last, block):
                whole = joined(text, block.markdown, look)
                starts.append(len(whole) - len(block.markdown))
                text = whole
            else:
                text += ("\n" if last and last.is_item and block.is_item else "\n\n") if text else ""
                if n == 0:
                    starts.append(len(text))
                text += block.markdown
            last = block
        if not blocks:
            starts.append(len(text))
    return text, starts


def _runs_on(last: Block, block: Block) -> bool:
    plain = not (last.level or last.is_table or block.level or block.is_table or block.is_item)
    return plain and ends_open(last.text) and not block.text[:1].isupper() and not block.text[:1].isdigit()


def _title(pdf: pdfium.PdfDocument, pages: Sequence[Sequence[Block]]) -> str:
    first = [block for blocks in pages[:2] for block in blocks][:8]
    headings = [block for block in first if block.level]
    if headings:
        return min(headings, key=lambda block: block.level).text
    stated = str(pdf.get_metadata_value("Title") or "").strip()
    return "" if _NO_TITLE.match(stated) else stated


def _metadata(pdf: pdfium.PdfDocument) -> dict[str, str]:
    wanted = {"Author": "author", "CreationDate": "created", "Title": "title", "Subject": "subject"}
    found = {key: str(pdf.get_metadata_value(name) or "").strip() for name, key in wanted.items()}
    if day := _DAY.match(found["created"]):
        found["created"] = "-".join(day.groups())
    return {key: value for key, value in found.items() if value}


def _warn(document: ParsedDocument, pages: Sequence[Page]) -> None:
    bad = [n for n, page in enumerate(pages, 1) if page.is_bad]
    bare = [n for n, page in enumerate(pages, 1) if page.has_images and not page.rows and not page.is_bad]
    if bad:
        document.warn("pages_unreadable", pages=_listed(bad))
    if bare:
        document.warn("pages_without_text", pages=_listed(bare))


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:MANY_LISTED]))
    return shown if len(numbers) <= MANY_LISTED else f"{shown} … ({len(numbers)})"
