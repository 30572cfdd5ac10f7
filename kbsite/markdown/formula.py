"""Formulas as MathML: written in LaTeX, shown by the browser itself, with no script and no font."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml import exceptions
from latex2mathml.converter import convert_to_element

LONGEST = 2_000  # characters; a longer formula shows its source
DEEPEST = 40  # braces and \left within each other
MOST = 2_000  # formulas of one text that are drawn; the rest show their source

TAGS = frozenset(
    {
        *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "mpadded", "mphantom", "menclose"),
        *("mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
        *("mmultiscripts", "mprescripts", "mtable", "mtr", "mtd"),
    }
)
CHILDREN = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
ATTRIBUTES = frozenset(
    {
        *(
            "display",
            "displaystyle",
            "scriptlevel",
            "mathvariant",
            "accent",
            "accentunder",
            "stretchy",
            "fence",
        ),
        *(
            "form",
            "separator",
            "largeop",
            "movablelimits",
            "symmetric",
            "notation",
            "columnalign",
            "rowalign",
        ),
        *("linethickness", "width", "height", "depth", "voffset", "lspace", "rspace", "minsize", "maxsize"),
    }
)
_LENGTHS = ("linethickness", "width", "height", "depth", "voffset", "lspace", "rspace", "minsize", "maxsize")
_LENGTH = re.compile(r"[+-]?(?:\d{1,2}(?:\.\d{0,4})?|\.\d{1,4})(?:em|ex|px|pt|mu)?")
_MACROS = re.compile(r"\\(?:(?:re|provide)?newcommand|[egx]?def|let|DeclareMathOperator|href|style|class)\b")
_UNKNOWN = re.compile(r"\\[A-Za-z]+")
_XMLNS = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_FAULTS: tuple[type[Exception], ...] = (
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    *(AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError),
)


def _is_deep(source: str) -> bool:
    depth = 0
    for sign in re.findall(r"\\left\b|\\begin\b|\\right\b|\\end\b|\\.|[{}]", source, re.DOTALL):
        depth += 1 if sign in {"{", "\\left", "\\begin"} else -1 if sign in {"}", "\\right", "\\end"} else 0
        if depth > DEEPEST:
            return True
    return False


def _tidy(root: ElementTree.Element) -> bool:
    """Leave what is on the lists; whether every command of the formula was understood."""
    for element in root.iter():
        if element.tag not in TAGS or len(element) != CHILDREN.get(element.tag, len(element)):
            return False
        element.text = html.unescape(element.text) if element.text else element.text
        if element.text and _UNKNOWN.match(element.text):
            return False
        for name, value in list(element.attrib.items()):
            if name not in ATTRIBUTES or (name in _LENGTHS and not _LENGTH.fullmatch(value)):
                del element.attrib[name]
    return True


@lru_cache(maxsize=2048)
def mathml(source: str, *, block: bool = False) -> str:
    """``source`` (LaTeX) as a ``<math>`` element, or ``""`` where it can't be drawn.

    It can't where it is too long or too deep, defines commands, uses unknown ones, or is no formula.
    """
    if len(source) > LONGEST or _MACROS.search(source) or _is_deep(source):
        return ""
    try:
        root = convert_to_element(source, display="block" if block else "inline")
        drawn = ElementTree.tostring(root, encoding="unicode") if _tidy(root) else ""
    except _FAULTS:
        return ""
    return drawn.replace(_XMLNS, "", 1)
