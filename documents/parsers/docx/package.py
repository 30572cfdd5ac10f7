"""The parts of a Word file, and how they refer to each other."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from lxml import etree

from documents.faults import unreadable
from documents.parsers.archive import Archive

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# Strict files say the same under other names.
STRICT = (
    (b"http://purl.oclc.org/ooxml/officeDocument/math", M[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", R[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
)
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True)
MAIN = "word/document.xml"

type Element = etree._Element


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part points: ``kind`` is the last word of its type."""

    kind: str
    target: str
    is_external: bool


@dataclass(slots=True)
class Part:
    """An XML part: its root, its name, and its relations by id."""

    name: str
    root: Element
    relations: dict[str, Relation]

    def find(self, kind: str) -> str | None:
        """The name of the first part of that kind it relates to."""
        return next((r.target for r in self.relations.values() if r.kind == kind and not r.is_external), None)


class Package:
    """A Word file's parts."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def main(self) -> Part:
        """The document itself. Raises UnreadableFile (damaged)."""
        relations = self._relations("")
        named = next((r.target for r in relations.values() if r.kind == "officeDocument"), MAIN)
        part = self.part(named) or self.part(MAIN)
        if part is None:
            raise unreadable("damaged")
        return part

    def part(self, name: str | None) -> Part | None:
        """A part by name; None when it is missing. Raises UnreadableFile (damaged)."""
        data = self.archive.read(name) if name else None
        if not name or data is None:
            return None
        return Part(name, _root(data), self._relations(name))

    def optional(self, name: str | None) -> Part | None:
        """A part that the document can do without: None as well when it is broken."""
        try:
            return self.part(name)
        except etree.LxmlError:
            return None

    def _relations(self, name: str) -> dict[str, Relation]:
        folder, base = posixpath.split(name)
        data = self.archive.read(posixpath.join(folder, "_rels", f"{base}.rels"))
        if data is None:
            return {}
        found = {}
        for child in _root(data):
            target = child.get("Target", "")
            external = child.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join(folder, target)).lstrip("/")
            found[child.get("Id", "")] = Relation(child.get("Type", "").rsplit("/", 1)[-1], target, external)
        return found


def _root(data: bytes) -> Element:
    for strict, usual in STRICT:
        data = data.replace(strict, usual)
    try:
        return etree.fromstring(data, PARSER)
    except etree.XMLSyntaxError as error:
        raise unreadable("damaged") from error


def value(element: Element | None, name: str = "val") -> str | None:
    """The ``w:`` attribute of that name."""
    return element.get(f"{W}{name}") if element is not None else None


def number(element: Element | None, name: str = "val") -> int | None:
    """The ``w:`` attribute as a number; None when there is none or it is not one."""
    try:
        return int(value(element, name) or "")
    except ValueError:
        return None


def is_on(element: Element | None) -> bool:
    """Whether an on/off property is there and not switched off."""
    return element is not None and value(element) not in ("0", "false", "off", "none")
