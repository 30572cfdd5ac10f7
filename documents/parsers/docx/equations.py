"""Word equations as text: plain where plain letters can say it, LaTeX otherwise."""

from __future__ import annotations

from collections.abc import Callable

from documents.parsers.docx.package import Element, M, W

RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
RAISABLE = frozenset("0123456789+-=()ni")
LOWERABLE = frozenset("0123456789+-=()")
ACCENTS = {"̂": "hat", "̃": "tilde", "̅": "bar", "⃗": "vec", "̇": "dot", "̈": "ddot"}


def equation(element: Element) -> str:
    """An ``m:oMath`` as text, in dollar signs where it is LaTeX."""
    text = _all(element).strip()
    return f"${text}$" if "\\" in text or "^" in text or "_" in text else text


def raised(text: str) -> str:
    """``text`` as a superscript: raised figures where they exist, else ``^{…}``."""
    if text and set(text) <= RAISABLE:
        return text.translate(RAISED)
    return f"^{{{text}}}"


def lowered(text: str) -> str:
    """``text`` as a subscript, likewise."""
    if text and set(text) <= LOWERABLE:
        return text.translate(LOWERED)
    return f"_{{{text}}}"


def _all(element: Element) -> str:
    return "".join(_one(child) for child in element)


def _one(element: Element) -> str:
    tag = str(element.tag)
    if tag in (f"{M}t", f"{W}t"):
        return element.text or ""
    if not tag.startswith(M):
        return "" if tag.endswith("Pr") else _all(element)
    name = tag.removeprefix(M)
    if name.endswith("Pr"):
        return ""
    return SHAPES.get(name, _all)(element)


def _part(element: Element, name: str) -> str:
    child = element.find(f"{M}{name}")
    return _all(child) if child is not None else ""


def _setting(element: Element, shape: str, name: str, default: str) -> str:
    found = element.find(f"{M}{shape}Pr/{M}{name}")
    return default if found is None else found.get(f"{M}val", "")


def _fraction(e: Element) -> str:
    return f"\\frac{{{_part(e, 'num')}}}{{{_part(e, 'den')}}}"


def _root(e: Element) -> str:
    degree = _part(e, "deg")
    return f"\\sqrt[{degree}]{{{_part(e, 'e')}}}" if degree else f"\\sqrt{{{_part(e, 'e')}}}"


def _sum(e: Element) -> str:
    sign = _setting(e, "nary", "chr", "∫")
    below, above = _part(e, "sub"), _part(e, "sup")
    bounds = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{sign}{bounds} {_part(e, 'e')}"


def _bracket(e: Element) -> str:
    left, right = _setting(e, "d", "begChr", "("), _setting(e, "d", "endChr", ")")
    middle = _setting(e, "d", "sepChr", "|")
    return left + middle.join(_all(child) for child in e.iterfind(f"{M}e")) + right


def _accent(e: Element) -> str:
    name = ACCENTS.get(_setting(e, "acc", "chr", "̂"), "hat")
    return f"\\{name}{{{_part(e, 'e')}}}"


def _matrix(e: Element) -> str:
    rows = (" & ".join(_all(cell) for cell in row.iterfind(f"{M}e")) for row in e.iterfind(f"{M}mr"))
    return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"


def _lines(e: Element) -> str:
    return " ; ".join(_all(line) for line in e.iterfind(f"{M}e"))


SHAPES: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    "rad": _root,
    "nary": _sum,
    "d": _bracket,
    "acc": _accent,
    "m": _matrix,
    "eqArr": _lines,
    "bar": lambda e: f"\\overline{{{_part(e, 'e')}}}",
    "func": lambda e: f"{_part(e, 'fName')} {_part(e, 'e')}",
    "limLow": lambda e: f"{_part(e, 'e')}_{{{_part(e, 'lim')}}}",
    "limUpp": lambda e: f"{_part(e, 'e')}^{{{_part(e, 'lim')}}}",
    "sSup": lambda e: _part(e, "e") + raised(_part(e, "sup")),
    "sSub": lambda e: _part(e, "e") + lowered(_part(e, "sub")),
    "sSubSup": lambda e: _part(e, "e") + lowered(_part(e, "sub")) + raised(_part(e, "sup")),
    "sPre": lambda e: lowered(_part(e, "sub")) + raised(_part(e, "sup")) + _part(e, "e"),
}
