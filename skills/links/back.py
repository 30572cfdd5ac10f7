"""Where a skill is linked from, where it links to, and links that lead nowhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import F, IntegerField, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Concat, Greatest, NullIf, StrIndex, Substr

from documents.models import Document
from kbsite.accounts.models import User
from kbsite.markdown import plain
from skills.models import Link, Skill

AROUND = 240  # characters of the text before a link, and after it, that are looked at
LONGEST_LINE = 220  # characters of the line that is shown
LONG = ("source__content", "source__overview", "source__abstract", "source__config")
_START = re.compile(r"(?:[。！？]|[.!?]\s|\n\s*\n|\n(?=\s*(?:[-*+#>|]|\d+[.)])))")


@dataclass(frozen=True, slots=True)
class Mention:
    """A skill that links here, and the sentence in which it does."""

    source: Skill
    line: str


def linked_from(skill: Skill, user: User) -> QuerySet[Link]:
    """The links to ``skill`` from others that ``user`` may see, one of each, by the source's name."""
    rows = Link.objects.filter(target=skill, source__in=Skill.objects.visible_to(user)).exclude(source=skill)
    return rows.order_by("source__name", "source_id", "id").distinct("source__name", "source_id")


def mentions(links: QuerySet[Link]) -> list[Mention]:
    """The sources of ``links`` (from :func:`linked_from`) with the sentence around the link. One query."""
    written = Concat(Value("[["), F("label"))
    place = Coalesce(
        NullIf(StrIndex("source__content", written), Value(0)),
        NullIf(StrIndex("source__content", "label"), Value(0)),
        Value(1),
        output_field=IntegerField(),
    )
    start = Greatest(place - AROUND, Value(1))
    rows = links.annotate(
        offset=place - start, around=Substr("source__content", start, 2 * AROUND + 300)
    ).select_related("source")
    return [Mention(link.source, sentence(link.around, link.offset)) for link in rows.defer(*LONG)]


def sentence(text: str, at: int) -> str:
    """The sentence of ``text`` that the position ``at`` is in, in plain words."""
    starts = [match.end() for match in _START.finditer(text, 0, at)]
    start = starts[-1] if starts else 0
    closing = text.find("]]", at)
    end_of = _START.search(text, closing if closing >= 0 else at)
    end = end_of.end() if end_of else len(text)
    line = plain(text[start:end].strip().lstrip("#>|-*+ "))
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE].rstrip()}…"


def links_out(skill: Skill, user: User) -> QuerySet[Link]:
    """The links of ``skill`` to what ``user`` may see."""
    return (
        Link.objects.filter(_leads_somewhere(user), source=skill)
        .select_related("target", "document")
        .order_by("id")
    )


def broken_links(user: User) -> QuerySet[Link]:
    """The links in texts ``user`` may see that lead nowhere for them, in order of what they say."""
    rows = Link.objects.filter(source__in=Skill.objects.visible_to(user)).exclude(_leads_somewhere(user))
    return rows.select_related("source").defer(*LONG).order_by("key", "source__name", "id")


def _leads_somewhere(user: User) -> Q:
    """A condition for links to what ``user`` may see."""
    return Q(target__in=Skill.objects.visible_to(user)) | Q(document__in=Document.objects.visible_to(user))
