"""The text of one paragraph: what a reader of the printed page would see."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.parsers.docx.equations import LOWERED, RAISED, equation
from documents.parsers.docx.package import Element, M, Relation, W, is_on, value

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
LINE = "\n"
# Deleted or moved away by a tracked change; comment marks, field codes and properties.
UNSEEN = {
    *("del", "moveFrom", "delText", "instrText", "delInstrText", "pPr", "rPr", "rubyPr", "rt"),
    *("commentReference", "annotationRef", "footnoteRef", "endnoteRef", "fldData"),
}
SYMBOLS = {"F0FC": "✓", "F0FE": "☑", "F0A8": "☐", "F0B7": "•", "F0E0": "→", "F0D8": "➢", "F0A7": "▪"}
SHOWN_SCHEMES = ("http://", "https://", "mailto:")


@dataclass(slots=True)
class Seen:
    """What was met on the way: text boxes to be placed after the paragraph, notes referred to, and
    how much was left out."""

    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    deletions: int = 0
    comments: int = 0


class Inline:
    """Reads paragraphs of one part, whose relations give its links."""

    def __init__(self, relations: dict[str, Relation], seen: Seen) -> None:
        self.relations = relations
        self.seen = seen
        self.fields: list[bool] = []

    def text(self, paragraph: Element) -> str:
        """The paragraph's text; ``LINE`` where it is broken by hand."""
        return "".join(self._one(child) for child in paragraph)

    def _all(self, element: Element) -> str:
        return "".join(self._one(child) for child in element)

    def _one(self, element: Element) -> str:
        tag = str(element.tag)
        if tag == f"{W}r":
            return self._run(element)
        if tag in (f"{M}oMath", f"{M}oMathPara"):
            return self.equation(element)
        if tag == f"{MC}AlternateContent":
            return self._alternative(element)
        name = tag.removeprefix(W)
        if name in UNSEEN:
            self._note_left_out(name)
            return ""
        if name == "hyperlink":
            return self._link(element)
        return self._piece(name, element)

    def _note_left_out(self, name: str) -> None:
        self.seen.deletions += name in ("del", "moveFrom")
        self.seen.comments += name == "commentReference"

    def equation(self, element: Element) -> str:
        """An equation, or several under each other, as text."""
        if element.tag == f"{M}oMath":
            return equation(element)
        return LINE.join(equation(child) for child in element.iterfind(f"{M}oMath"))

    def _alternative(self, element: Element) -> str:
        """One of the alternatives, not all of them."""
        choices = [child for child in element if child.tag in (f"{MC}Choice", f"{MC}Fallback")]
        for choice in choices:
            before = len(self.seen.boxes)
            text = self._all(choice)
            if text or len(self.seen.boxes) > before:
                return text
        return ""

    def _run(self, run: Element) -> str:
        properties = run.find(f"{W}rPr")
        if properties is not None and is_on(properties.find(f"{W}vanish")):
            return ""
        text = self._all(run)
        position = value(properties.find(f"{W}vertAlign")) if properties is not None else None
        if position in ("superscript", "subscript") and text.isdigit():
            return text.translate(RAISED if position == "superscript" else LOWERED)
        return text

    def _piece(self, name: str, element: Element) -> str:
        if name == "fldChar":
            self._field(value(element, "fldCharType"))
            return ""
        if self.fields and self.fields[-1]:
            return ""
        if name in ("t", "tab", "br", "cr", "noBreakHyphen", "sym", "ptab"):
            return _letters(name, element)
        if name in ("footnoteReference", "endnoteReference"):
            return self._note(name.removesuffix("Reference"), value(element, "id") or "")
        if name == "txbxContent":
            self.seen.boxes.append(element)
            return ""
        return self._all(element)

    def _field(self, kind: str | None) -> None:
        """Between "begin" and "separate" stands the field's code, after that what it shows."""
        if kind == "begin":
            self.fields.append(True)
        elif kind == "separate" and self.fields:
            self.fields[-1] = False
        elif kind == "end" and self.fields:
            self.fields.pop()

    def _note(self, kind: str, id: str) -> str:
        if (kind, id) not in self.seen.notes:
            self.seen.notes.append((kind, id))
        return f"[^{self.seen.notes.index((kind, id)) + 1}]"

    def _link(self, element: Element) -> str:
        text = self._all(element)
        relation = self.relations.get(_relation_id(element))
        target = relation.target if relation is not None and relation.is_external else ""
        plain = text.strip()
        if not plain or not target.startswith(SHOWN_SCHEMES) or plain == target:
            return text
        safe = target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        return f"[{plain.replace('[', '').replace(']', '')}]({safe})"


def _relation_id(element: Element) -> str:
    """Empty for a link to a place in the same document, such as a line of the table of contents."""
    return next((str(id) for name, id in element.attrib.items() if str(name).endswith("}id")), "")


def _letters(name: str, element: Element) -> str:
    if name == "t":
        return element.text or ""
    if name == "noBreakHyphen":
        return "-"
    if name == "sym":
        return SYMBOLS.get((value(element, "char") or "").upper(), "")
    if name in ("br", "cr"):
        return LINE if value(element, "type") != "page" else ""
    return " "
