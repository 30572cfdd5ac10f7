"""Why a hit is where it is, in a sentence or three."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from kbsite.templatetags.kb import ago_words
from kbsite.text import in_a_row
from search.highlight import marks
from search.question import Question
from search.rank import Ranked
from search.results import Hit
from skills import words

MOST_WORDS = 6


def _place(own: float, others: Sequence[float]) -> int:
    """1 for the best, 0 when there is nothing to compare."""
    return 1 + sum(other > own for other in others) if own > 0 else 0


def _as_typed(question: Question, terms: Sequence[str]) -> list[str]:
    """Words of the query as they were typed, for terms as they are folded."""
    spots = marks(question.text, dict.fromkeys(terms, 1.0))
    return list(dict.fromkeys(question.text[start:end] for start, end in spots))[:MOST_WORDS]


def _which_words(hit: Hit, question: Question) -> str:
    passages = "\n".join(passage.text for passage in hit.passages)
    text = words.cut("\n".join([hit.skill.name, hit.skill.abstract, passages]))
    there = {*text.grams, *text.pairs, *text.words, *text.names, *text.symbols}
    found = _as_typed(question, [term for term in question.telling if term in there])
    missing = _as_typed(question, [term for term in question.telling if term not in there])
    comma = pgettext("between words", ", ")
    said = []
    if found:
        said.append(_("Its text says: %(words)s.") % {"words": comma.join(found)})
    if missing := [word for word in missing if not any(word in one for one in found)]:
        said.append(_("It does not say: %(words)s.") % {"words": comma.join(missing)})
    return in_a_row(said)


def _places(one: Ranked, ranked: Sequence[Ranked]) -> str:
    meaning = _place(one.values.meant, [other.values.meant for other in ranked])
    said = _place(one.values.words, [other.values.words for other in ranked])
    if meaning and said:
        sentence = _("By meaning alone it would be number %(meaning)d, by words alone number %(words)d.")
        return sentence % {"meaning": meaning, "words": said}
    if meaning:
        return _("By meaning alone it would be number %(meaning)d.") % {"meaning": meaning}
    return _("By words alone it would be number %(words)d.") % {"words": said} if said else ""


def _use(hit: Hit) -> str:
    times = hit.skill.active_count
    used = ngettext("Used once", "Used %(times)d times", times) if times else _("Not used yet")
    when = ago_words(hit.skill.updated_at, timezone.now())
    return _("%(used)s, updated %(when)s.") % {"used": used % {"times": times}, "when": when}


def sentence(hit: Hit, one: Ranked, ranked: Sequence[Ranked], question: Question) -> str:
    """Where meaning and words alone would place ``hit``, which words stand in it, and how it is used."""
    exact = _("The query is its name, or a code that it holds.") if one.exact else ""
    return " ".join(filter(None, [exact, _places(one, ranked), _which_words(hit, question), _use(hit)]))
