"""Which one-byte code page a text is in, judged by its letters."""

from __future__ import annotations

import re

from charset_normalizer import from_bytes

# Code pages of scripts other than Latin, with the script's letters and its most used ones.
SCRIPTS = (
    (("cp1251", "koi8_r", "cp866", "iso8859_5"), "[а-яёіїєґўА-ЯЁІЇЄҐЎ]", "оеаинтсрвлкмдпу"),
    (("cp1253",), "[ά-ώΆ-Ώ]", "αειουντσςκρπληό"),
    (("cp1255",), "[א-ת]", "יוהלאמרתבשנ"),
    (("cp1256",), "[ء-ي]", "اليمنرتوبةعه"),
    (("cp874",), "[ก-๙]", "านรอกเงมยลวดทสตะัี่้"),
)
LATIN_PAGES = {"cp1250", "cp1252", "cp1254", "cp1257", "iso8859_2"}
WESTERN = frozenset("àâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿßÀÂÄÁÃÅÆÇÉÈÊËÍÎÏÑÓÔÖÕØŒÚÛÜ€£§°«»‘’“”„–—…·•©®×½¿¡²³´\xa0")
ENOUGH_TO_JUDGE = 24
OWN_WORDS = 0.6
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LETTERS = re.compile(rb"[A-Za-z]")


def one_byte(sample: bytes) -> str:
    """The name of the code page; Windows' Western one where nothing speaks for another."""
    score, name = best_script(sample)
    return name if score > 0.5 else _latin(sample)


def best_script(sample: bytes) -> tuple[float, str]:
    """The likeliest code page of a script other than Latin, and how likely, from 0 to 1."""
    runs = _HIGH_RUN.findall(sample)
    high = sum(map(len, runs))
    if not runs or high / len(runs) <= 2 or high <= len(_LETTERS.findall(sample)) * OWN_WORDS:
        return 0.0, ""
    return max((script_score(sample, n, s, c), n) for names, s, c in SCRIPTS for n in names)


def script_score(sample: bytes, name: str, letters: str, common: str) -> float:
    """The mean weight of ``sample``'s characters beyond ASCII when read as ``name``; at most 1."""
    text = sample.decode(name, errors="replace")
    wide = [m.start() for m in re.finditer(r"[^\x00-\x7f]", text)]
    weights = []
    for at in wide:
        character = text[at]
        if not re.match(letters, character):
            weights.append(-0.5)
        elif character.isupper():
            weights.append(-1.0 if text[at - 1 : at].islower() else 0.3)
        else:
            weights.append(1.0 if character.lower() in common else 0.5)
    return sum(weights) / len(weights) if weights else 0.0


def _latin(sample: bytes) -> str:
    high = sum(map(len, _HIGH_RUN.findall(sample)))
    guess = from_bytes(sample).best() if high >= ENOUGH_TO_JUDGE else None
    name = guess.encoding if guess else "cp1252"
    if name not in LATIN_PAGES:
        return "cp1252"
    wide = set(sample.decode("cp1252", errors="replace")) - {chr(n) for n in range(128)}
    return "cp1252" if wide <= WESTERN else name
