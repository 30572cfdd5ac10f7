"""How much bytes look like East Asian text when read in one encoding or another.

A detector needs a page; a contract number needs a line. East Asian character sets put their
common characters in a first level, so one line read rightly is nearly all first level, and read
wrongly is not. Characters everyone uses count most.
"""

from __future__ import annotations

import re
import string

CJK_ENCODINGS = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
FIRST_LEVEL = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5hkscs": ("big5", 0xA4, 0xC6),
    "cp932": ("shift_jis", 0x88, 0x98),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
    "cp949": ("euc_kr", 0xB0, 0xC8),
}
COMMON_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
    "种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力它与长把机十民第公"
    "此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产或新己制身果加月话合回特代内"
    "信表化老给世位次度门任常先海通教原东提立及比员解水名真论处义各入几口认条平系气题活更别变四总何电数安少报才结反受目"
    "量再建务做接必场件计管期市直资命金指统区保至形社便空决治展科司五基书非则达放强即难权设式色路记南品住告类求据程北边"
    "该交规万取格术领共确传师观清今切院让识带导争运编号甲乙报销费附流标准申请审批项客户服姓址邮箱版章节款票差旅"
    "個們來為國說時對發後會這裡過學經當沒動實無與長機點關業將兩間問應頭體見產東聲員論處義幾條氣題變總電數報結務場計"
    "書則聽達強難權設類該規萬張覺術領確傳師觀識帶導爭運臺灣網資訊頁維者曰書編號報銷費請審項標準戶郵"
    "月火水木金土曜語私彼何会社株式東京県市区町村円込参"
)
COMMON_HANGUL = frozenset(
    "이다는의에가을를은한고하지로사기도서그인나자시아대리어들일보해부수정과전스만제주여있면상라었적안동성게우원구것오으장국"
    "니습합입용관없회문년월등경소공비세개치신물당음계"
)
MARKS = frozenset("，。、；：？！“”‘’（）《》【】「」『』—…·　％￥～〈〉")
LATIN = frozenset(string.ascii_lowercase)
_WIDE = re.compile("[^\\x00-\\x7f]")
_HAN = re.compile("[\\u3400-\\u9fff\\uf900-\\ufaff]")
_KANA = re.compile("[\\u3041-\\u30ff]")
_HANGUL = re.compile("[\\uac00-\\ud7a3]")
PLAUSIBLE = 0.35
BROKEN = -2.0
OUT_OF_PLACE = -1.0


def is_plausible(score: float) -> bool:
    """Whether a :func:`cjk_score` is that of text."""
    return score >= PLAUSIBLE


def cjk_score(sample: bytes, encoding: str) -> float:
    """The mean weight of the wide characters of ``sample`` read as ``encoding``; at most 1."""
    text = sample.decode(encoding, errors="replace")[:20_000]
    if len(sample) > 64:
        text = text[:-4]
    weights = [_weight(text, m.start(), encoding) for m in _WIDE.finditer(text)]
    return sum(weights) / len(weights) if weights else 0.0


def utf16_score(sample: bytes, encoding: str) -> float:
    """The share of ``sample`` that is everyday text when read as ``encoding`` (UTF-16), 0 to 1."""
    text = sample.decode(encoding, errors="replace")[:20_000]
    everyday = sum(1 for c in text if c in string.printable or _is_everyday(c))
    return everyday / len(text) if text else 0.0


def _is_everyday(character: str) -> bool:
    if character in COMMON_HAN or character in MARKS or _KANA.match(character):
        return True
    if _HANGUL.match(character) or _HAN.match(character):
        return _in_first_level(character, "gb18030") or _in_first_level(character, "cp949")
    return "\xa0" <= character < "\u0250" or "\u0386" <= character < "\u0500"


def _weight(text: str, at: int, encoding: str) -> float:
    character = text[at]
    if character == "�":
        return BROKEN
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if before in LATIN and after in LATIN and before and after:
        return OUT_OF_PLACE
    if character in MARKS:
        return 0.8
    if _KANA.match(character):
        return 1.0 if encoding in ("cp932", "euc_jp") else -0.2
    if _HANGUL.match(character):
        return _hangul_weight(character, before + after)
    if _HAN.match(character):
        return _han_weight(character, before + after, encoding)
    return -0.2


def _hangul_weight(character: str, around: str) -> float:
    if _HAN.search(around):
        return -0.3
    return 1.0 if character in COMMON_HANGUL else (0.5 if _in_first_level(character, "cp949") else -0.3)


def _han_weight(character: str, around: str, encoding: str) -> float:
    if encoding == "cp949":
        return -0.3 if _HANGUL.search(around) else 0.1
    if character in COMMON_HAN:
        return 1.0
    return 0.6 if _in_first_level(character, encoding) else 0.0


def _in_first_level(character: str, encoding: str) -> bool:
    codec, first, last = FIRST_LEVEL[encoding]
    try:
        lead = character.encode(codec)[0]
    except UnicodeEncodeError:
        return False
    return first <= lead <= last
