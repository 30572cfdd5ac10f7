"""Word (.docx) to Markdown, with numbers, tables, notes and headers as Word shows them."""

from __future__ import annotations

from documents.faults import unreadable
from documents.parsers.archive import Archive
from documents.parsers.document import Limits, ParsedDocument
from documents.parsers.docx.body import Block, Body, together
from documents.parsers.docx.numbering import Numbering
from documents.parsers.docx.package import Package, Part, W, value
from documents.parsers.docx.styles import Styles

MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
CORE = "docProps/core.xml"
# Dublin Core's names for what is worth keeping.
KEPT = {"title": "title", "creator": "author", "subject": "subject", "created": "created", "keywords": "tags"}


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """The text of a Word file. Raises UnreadableFile."""
    package = Package(Archive(data, inflated_mb=limits.inflated_mb))
    main = package.main()
    styles = Styles(package.optional(main.find("styles")))
    body = Body(styles, Numbering(package.optional(main.find("numbering"))))
    blocks = body.blocks(main, main.root)
    margins = _margins(package, main, body)
    notes = _notes(package, main, body)
    if not (blocks or margins):
        raise unreadable("no_text" if any(_is_picture(name) for name in package.archive.names) else "empty")
    text = together(blocks)
    if notes:
        text += "\n\n" + "\n".join(notes)
    if margins:
        text += "\n\n---\n\n" + together(margins)
    document = ParsedDocument(text.strip(), mime=MIME)
    document.metadata = _metadata(package)
    document.title = _title(blocks) or str(document.metadata.get("title", ""))
    _warn(document, body)
    return document


def _margins(package: Package, main: Part, body: Body) -> list[Block]:
    """Headers and footers, each text once, however many pages and sections repeat it."""
    found: dict[str, Block] = {}
    for relation in main.relations.values():
        if relation.kind not in ("header", "footer"):
            continue
        part = package.optional(relation.target)
        for block in body.blocks(part, part.root) if part is not None else ():
            if any(character.isalpha() for character in block.markdown):
                found.setdefault(block.markdown, Block(block.markdown))
    return list(found.values())


def _notes(package: Package, main: Part, body: Body) -> list[str]:
    """Foot- and endnotes in the order they are referred to, as Markdown footnotes."""
    parts = {kind: package.optional(main.find(f"{kind}s")) for kind in ("footnote", "endnote")}
    lines = []
    for n, (kind, id) in enumerate(body.seen.notes, 1):
        part = parts[kind]
        if part is None:
            continue
        for note in part.root.iterfind(f"{W}{kind}"):
            if value(note, "id") == id:
                text = " ".join(block.markdown for block in body.blocks(part, note))
                lines.append(f"[^{n}]: {' '.join(text.split())}")
    return lines


def _title(blocks: list[Block]) -> str:
    headings = [block for block in blocks[:20] if block.level is not None and block.level <= 1]
    return min(headings, key=lambda block: block.level or 0).markdown if headings else ""


def _is_picture(name: str) -> bool:
    return name.startswith("word/media/")


def _metadata(package: Package) -> dict[str, object]:
    part = package.optional(CORE)
    found: dict[str, object] = {}
    for child in part.root if part is not None else ():
        name = KEPT.get(str(child.tag).rsplit("}", 1)[-1])
        text = (child.text or "").strip()
        if name and text:
            found[name] = (
                [tag.strip() for tag in text.replace(";", ",").split(",")] if name == "tags" else text
            )
    return found


def _warn(document: ParsedDocument, body: Body) -> None:
    if body.seen.deletions:
        document.warn("deletions_dropped")
    if body.seen.comments:
        document.warn("comments_left_out", count=body.seen.comments)
