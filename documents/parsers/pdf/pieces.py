"""A page's characters as pieces of line: text with its place, size and weight."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as c

LINE_END_HYPHEN = "\x02"
# A gap wider than this many letter heights parts cells and columns.
GAP = 1.0
# Between East Asian letters and figures there are no blanks, so a narrower one parts cells too.
TIGHT_GAP = 0.5
BACK = 0.6
_DROPPED = re.compile("[\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
# Ligatures, Kangxi radicals, compatibility ideographs and Arabic forms: a font's business, not the text's.
_PRESENTATION = re.compile("[\ufb00-\ufb06\u2e80-\u2fdf\uf900-\ufaff\ufb50-\ufdff\ufe70-\ufefe]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
# Hei is the Chinese face for headings. A stated weight is often made up, so the name comes first.
BOLD_NAMES = re.compile("bold|black|heavy|demi|simhei|heiti|fzhei|-medi$", re.IGNORECASE)
PLAIN_NAMES = re.compile("regular|roman|light|book|mono|yahei|song|sun|ming", re.IGNORECASE)
BOLD = 600
EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")


@dataclass(slots=True)
class Piece:
    """A stretch of one line. The box is in points with y upwards; ``size`` is the letters' height."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float = 0.0
    bold: bool = False
    angle: int = 0

    @property
    def height(self) -> float:
        """At least a point, so that it can be divided by."""
        return max(self.top - self.bottom, 1.0)

    def shares_row(self, other: Piece) -> bool:
        """Whether both stand on the same line of the page."""
        overlap = min(self.top, other.top) - max(self.bottom, other.bottom)
        return overlap > 0.4 * min(self.height, other.height)


def clean(text: str) -> str:
    """Text as typed: without control characters and with a font's own forms undone."""
    text = _PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return _DROPPED.sub("", text).replace("\xa0", " ").replace("\xad", "")


def badness(text: str) -> float:
    """The share of characters that say nothing: private use, replacement, "(cid:…)"; 0 to 1."""
    letters = [character for character in text if not character.isspace()]
    if not letters:
        return 0.0
    unknown = len(_PRIVATE.findall(text)) + text.count("�") + 6 * text.count("(cid:")
    unknown += sum(1 for character in letters if unicodedata.category(character) in ("Cn", "Cc"))
    return min(1.0, unknown / len(letters))


def pieces_of(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> list[Piece]:
    """The page's pieces in the order they were written, turned so that text runs rightwards.

    What runs another way than most of the page (a stamp in the margin) comes last, with size 0.
    What lies outside the page's visible box (printer's marks) is left out.
    """
    raw = textpage.raw
    found = [piece for piece in _runs(raw, textpage.count_chars()) if piece.text.strip()]
    found = [piece for piece in found if _is_on(page, piece)]
    turn = _main_angle(found)
    aside = [replace(p, size=0.0, bold=False) for p in found if p.angle != turn]
    return [_turned(piece, turn) for piece in found if piece.angle == turn] + aside


def _is_on(page: pdfium.PdfPage, piece: Piece) -> bool:
    left, bottom, right, top = page.get_bbox()
    x, y = (piece.left + piece.right) / 2, (piece.bottom + piece.top) / 2
    return bool(left <= x <= right and bottom <= y <= top)


def _main_angle(pieces: list[Piece]) -> int:
    weights: Counter[int] = Counter()
    for piece in pieces:
        weights[piece.angle] += len(piece.text)
    return weights.most_common(1)[0][0] if weights else 0


def _turned(piece: Piece, angle: int) -> Piece:
    """Coordinates as they are when text at ``angle`` (quarter turns against the clock) runs rightwards."""
    left, bottom, right, top = piece.left, piece.bottom, piece.right, piece.top
    box = {
        1: (bottom, -right, top, -left),
        2: (-right, -top, -left, -bottom),
        3: (-top, left, -bottom, right),
    }.get(angle)
    if box is None:
        return piece
    return replace(piece, left=box[0], bottom=box[1], right=box[2], top=box[3])


def _runs(raw: Any, count: int) -> Iterator[Piece]:
    """Characters joined while they go on along one line."""
    loose = c.FS_RECTF()
    run: Piece | None = None
    last: Piece | None = None
    letters: list[str] = []
    line_ended = False
    for index in range(count):
        character = _character(raw, index)
        if character in ("\r", "\n"):
            line_ended = True
        elif character in ("", " ", "\t") or c.FPDFText_IsGenerated(raw, index) == 1:
            letters.append(character)
        else:
            # The loose box is as wide as the letter's place, so that 。 leaves no gap behind it.
            c.FPDFText_GetLooseCharBox(raw, index, loose)
            box = Piece(character, loose.left, loose.bottom, loose.right, loose.top)
            if run is None or last is None or not _continues(run, last, box, letters, line_ended):
                if run is not None:
                    yield _closed(run, letters)
                run, letters = replace(box), []
                run.angle, run.size, run.bold = _manner(raw, index)
            _widen(run, box)
            letters.append(character)
            last, line_ended = box, False
    if run is not None:
        yield _closed(run, letters)


def _character(raw: Any, index: int) -> str:
    code = c.FPDFText_GetUnicode(raw, index)
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        return ""
    return chr(code)


def _closed(run: Piece, letters: list[str]) -> Piece:
    run.text = clean("".join(letters)).rstrip()
    if letters and letters[-1] == LINE_END_HYPHEN:
        run.text = run.text.rstrip(LINE_END_HYPHEN) + LINE_END_HYPHEN
    return run


def _continues(run: Piece, last: Piece, box: Piece, letters: list[str], line_ended: bool) -> bool:
    """Whether ``box`` belongs to ``run`` after its letter ``last``."""
    if LINE_END_HYPHEN in letters[-2:]:
        return False
    before, after = _turned(last, run.angle), _turned(box, run.angle)
    if unicodedata.category(box.text) == "Mn":
        return before.left - before.height <= after.left <= before.right + before.height
    if not line_ended and _goes_down(last, box):
        return True
    if not before.shares_row(after):
        return False
    em = max(min(before.height, 2 * run.size), run.size)
    forwards, backwards = after.left - before.right, before.left - after.right
    widest = (TIGHT_GAP if _is_tight(last.text, box.text) else GAP) * em
    if forwards > widest or backwards > widest:
        return False
    return forwards > -BACK * em or backwards > -BACK * em or after.left >= before.left


def _goes_down(last: Piece, box: Piece) -> bool:
    """Whether ``box`` stands under ``last`` as in vertical writing."""
    over = min(last.right, box.right) - max(last.left, box.left) > 0.4 * (box.right - box.left)
    below = last.bottom - box.top
    return bool(over and -0.2 * box.height < below < box.height and EAST_ASIAN.match(box.text))


def _is_tight(before: str, after: str) -> bool:
    return bool(
        (EAST_ASIAN.match(before) or before.isdigit()) and (EAST_ASIAN.match(after) or after.isdigit())
    )


def _widen(run: Piece, box: Piece) -> None:
    run.left, run.right = min(run.left, box.left), max(run.right, box.right)
    run.bottom, run.top = min(run.bottom, box.bottom), max(run.top, box.top)


def _manner(raw: Any, index: int) -> tuple[int, float, bool]:
    """The direction in quarter turns, the size in points and the weight of one letter."""
    angle = c.FPDFText_GetCharAngle(raw, index)
    quarter = round(angle / (math.pi / 2)) % 4 if angle >= 0 else 0
    matrix = c.FS_MATRIX()
    scale = 1.0
    if c.FPDFText_GetMatrix(raw, index, matrix):
        scale = math.hypot(matrix.b, matrix.d) if quarter % 2 == 0 else math.hypot(matrix.a, matrix.c)
    size = c.FPDFText_GetFontSize(raw, index) * (scale or 1.0)
    return quarter, round(size * 2) / 2, _is_bold(raw, index)


def _is_bold(raw: Any, index: int) -> bool:
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    c.FPDFText_GetFontInfo(raw, index, buffer, 128, flags)
    name = buffer.value.decode("utf-8", "replace")
    if BOLD_NAMES.search(name):
        return True
    return c.FPDFText_GetFontWeight(raw, index) >= BOLD and not PLAIN_NAMES.search(name)
