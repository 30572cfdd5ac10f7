"""Bytes to text: which encoding a text file is in, judged by what the text would say."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import partial

from documents.parsers.onebyte import best_script, one_byte
from documents.parsers.plausible import CJK_ENCODINGS, cjk_score, is_plausible, utf16_score

SAMPLE = 64_000
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SHOWN_AS = {"big5hkscs": "big5", "cp932": "shift-jis", "cp949": "euc-kr", "cp1252": "windows-1252"}
FEW = 0.02
SURE = 0.7
_UNREADABLE = re.compile("�")


@dataclass(frozen=True, slots=True)
class Decoded:
    """``text`` with line ends as LF, the ``encoding`` it was in, and how much was ``lost``:
    the share of characters that could not be read, from 0 to 1."""

    text: str
    encoding: str
    lost: float = 0.0


def decode(data: bytes, declared: str = "") -> Decoded:
    """The text in ``data``; never raises.

    A byte order mark decides, then UTF-16 without one, strict UTF-8, the ``declared`` name, and
    last what the bytes would say in each likely encoding.
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    for look in (_utf16, _utf8, partial(_known, declared), _east_asian):  # costly ones only when needed
        if encoding := look(data):
            return _decoded(data, encoding)
    return _decoded(data, one_byte(data[:SAMPLE]))


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lost = len(_UNREADABLE.findall(text)) / len(text) if text else 0.0
    name = SHOWN_AS.get(encoding, encoding.replace("_", "-").removesuffix("-sig"))
    return Decoded(text.removeprefix("\ufeff"), name, lost)


def _utf16(data: bytes) -> str:
    """UTF-16 without a mark: zeros on one side only, or better text than any other reading."""
    if len(data) < 2 or len(data) % 2:
        return ""
    sample = data[:SAMPLE]
    best, encoding = max((utf16_score(sample, e), e) for e in ("utf-16-le", "utf-16-be"))
    if best < 0.8:
        return ""
    zeros = sample.count(0) / len(sample)
    return encoding if zeros > 0.2 or (not _utf8(data) and best > cjk_score(sample, "gb18030")) else ""


def _utf8(data: bytes) -> str:
    """UTF-8, also when a byte here and there is broken."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
        wide = sum(1 for c in text if c > "\x7f" and c != "�")
        return "utf-8" if text.count("�") <= wide * FEW else ""
    return "utf-8"


def _known(declared: str, data: bytes) -> str:
    try:
        name = codecs.lookup(declared.strip()).name if declared.strip() else ""
    except LookupError:
        return ""
    wider = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "iso8859-1": "cp1252"}
    name = wider.get(name, name)
    if not name or name.startswith(("utf-16", "utf-32")):
        return ""
    try:
        data.decode(name)
    except (UnicodeError, LookupError):
        return ""
    return name


def _east_asian(data: bytes) -> str:
    sample = data[:SAMPLE]
    best, encoding = max((cjk_score(sample, e), e) for e in CJK_ENCODINGS)
    if best < SURE and best_script(sample)[0] > SURE:
        return ""
    return encoding if is_plausible(best) else ""
