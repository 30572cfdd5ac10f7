"""Which language a text is in, told by its script and commonest words."""

from __future__ import annotations

import re

SAMPLE = 20_000
SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
)
WORDS = {
    "en": "the of and to in is for that with are this be on you",
    "de": "der die und das ist nicht mit den ein zu von für auf sich",
    "fr": "le la les des et est une pour dans que qui pas sur avec",
    "es": "el los las que y en una para con por del no se es",
    "it": "il di che la per una con non sono del della gli",
    "pt": "o que de para uma com não os as do da em por",
    "nl": "de het een van en is dat niet op zijn voor met",
}
COMMON = {language: frozenset(words.split()) for language, words in WORDS.items()}
_LATIN = re.compile(r"[^\W\d_]+")
ENOUGH = 0.15
FEW = 0.05


def language_of(text: str) -> str:
    """A two-letter language tag, or "" when nothing tells.

    A Han character says as much as about two letters of a word, so a Chinese text full of
    English names still counts as Chinese.
    """
    sample = text[:SAMPLE]
    counts = {language: len(script.findall(sample)) for language, script in SCRIPTS}
    latin = sum(map(len, _LATIN.findall(re.sub("[^\x00-\u024f]", " ", sample))))
    total = latin + sum(counts.values()) + counts["zh"]
    if not total:
        return ""
    if counts["ja"] > 0.2 * (counts["zh"] + counts["ja"]) and counts["ja"] > ENOUGH * total:
        return "ja"
    counts["zh"] *= 2
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > ENOUGH * total else _latin_language(sample)


def _latin_language(sample: str) -> str:
    words = [word.lower() for word in _LATIN.findall(sample)]
    counts = {language: sum(word in common for word in words) for language, common in COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > max(FEW * len(words), 2) else "en"
