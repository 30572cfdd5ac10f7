"""Index: make what is written what can be found. Passages, vectors and words change together."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.db import transaction
from pgvector import HalfVector

from kbsite.ids import new_id
from kbsite.llm import tokens
from kbsite.llm.embedding import active_space, embedder
from kbsite.llm.models import EmbeddingSpace
from skills import passages, spaces, terms
from skills.models import LayerVector, Passage, PassageTerms, Skill, TermDelta
from skills.terms import TermVector

Vectors = npt.NDArray[np.float32]
Level = LayerVector.Level

TEXTS_BETWEEN_BEATS = 128
SMALLEST_WINDOW = 100
ROWS_AT_ONCE = 500
LONGEST_HEADINGS = 200  # characters of a heading path that are indexed with each passage
OWN_HEADINGS = re.compile(r"\A(?:[ \t]*#{1,6}[ \t][^\n]*\n\s*)+(?=\S)")
PASSAGE_FIELDS = ["ordinal", "text", "prefix", "digest", "heading_path", "page", "start", "end", "tokens"]


@dataclass(slots=True)
class Entry:
    """One passage as it will be stored. ``vector`` and ``words`` None: they stay as they are."""

    row: Passage
    vector: Vectors | None = None
    words: TermVector | None = None


@dataclass(frozen=True)
class Prepared:
    """All that :func:`swap` writes. ``layers``: level and vector of L0 and of each window of L1."""

    space: EmbeddingSpace
    entries: list[Entry]
    layers: list[tuple[int, Vectors]]


def passage_text(skill: Skill, heading_path: Sequence[str], text: str) -> str:
    """What is embedded for a passage: the skill's name, the headings above it, and its text.

    Headings that begin the text are among those above it and not said twice.
    """
    above = " › ".join(title for title in heading_path if title != skill.name)[:LONGEST_HEADINGS]
    body = OWN_HEADINGS.sub("", text) if heading_path else text
    return "\n".join(part for part in (skill.name, above, body) if part)


def layer_texts(skill: Skill) -> list[tuple[int, str]]:
    """What is embedded for L0 (one text) and L1 (one per window), each under the skill's name."""
    size = max(settings.KB_WINDOW_TOKENS - tokens.count(skill.name), SMALLEST_WINDOW)
    abstract = skill.abstract or skill.description
    found = [(Level.ABSTRACT, f"{skill.name}\n{abstract}".strip())]
    found += [(Level.OVERVIEW, f"{skill.name}\n{w}") for w in passages.windows(skill.overview, size)]
    return [(int(level), text) for level, text in found]


def _about(skill: Skill) -> str:
    """Words by which the skill as a whole is found; they go with its first passage."""
    return "\n".join(filter(None, [skill.description, *skill.tags, *skill.trigger_keywords]))


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\x00".join(texts).encode(), digest_size=16).hexdigest()


class _Known:
    """The passages a skill has, to be kept where they did not change."""

    def __init__(self, skill: Skill, space: EmbeddingSpace) -> None:
        self.by_digest: dict[str, list[uuid.UUID]] = defaultdict(list)
        self.by_text: dict[str, list[uuid.UUID]] = defaultdict(list)
        embedded = set(
            LayerVector.objects.filter(skill=skill, space=space, level=Level.PASSAGE).values_list(
                "passage_id", flat=True
            )
        )
        rows = skill.passages.order_by("-ordinal").values_list("id", "digest", "text")
        for passage_id, digest, text in rows:
            if digest and passage_id in embedded:
                self.by_digest[digest].append(passage_id)
            self.by_text[text].append(passage_id)
        self.taken: set[uuid.UUID] = set()

    def same(self, digest: str) -> uuid.UUID | None:
        return self._take(self.by_digest[digest])

    def alike(self, text: str) -> uuid.UUID | None:
        return self._take(self.by_text[text])

    def _take(self, ids: list[uuid.UUID]) -> uuid.UUID | None:
        while ids:
            if (found := ids.pop()) not in self.taken:
                self.taken.add(found)
                return found
        return None


def _entries(
    skill: Skill, page_starts: Sequence[int], space: EmbeddingSpace
) -> Iterator[tuple[Entry, str | None, str]]:
    """Each entry, the text to embed (None: unchanged) and the text whose words are kept."""
    known = _Known(skill, space)
    for ordinal, draft in enumerate(passages.cut(skill.content, page_starts)):
        embedded = passage_text(skill, draft.heading_path, draft.prefix + draft.text)
        words = "\n".join(filter(None, [embedded, "" if ordinal else _about(skill)]))
        digest = _digest(embedded, words)
        same = known.same(digest)
        row = Passage(
            id=same or known.alike(draft.text) or new_id(),
            skill=skill,
            ordinal=ordinal,
            text=draft.text,
            prefix=draft.prefix,
            digest=digest,
            heading_path=draft.heading_path,
            page=draft.page,
            start=draft.start,
            end=draft.end,
            tokens=draft.tokens,
        )
        yield Entry(row), None if same else embedded, words


def embed(space: EmbeddingSpace, texts: Sequence[str], beat: Callable[[], object]) -> Vectors:
    """The vectors of ``texts``, float32, shape (len(texts), dimension); ``beat`` runs in between."""
    engine = embedder(space)
    parts = []
    for start in range(0, len(texts), TEXTS_BETWEEN_BEATS):
        parts.append(engine.embed_passages(texts[start : start + TEXTS_BETWEEN_BEATS]))
        beat()
    return np.concatenate(parts)


def prepare(skill: Skill, page_starts: Sequence[int], beat: Callable[[], object]) -> Prepared:
    """Cut, embed and analyse ``skill`` without writing anything. Raises ModelUnavailable."""
    space = active_space()
    spaces.prepare(space)
    layers = layer_texts(skill)
    found = list(_entries(skill, page_starts, space))
    fresh = [(entry, text, words) for entry, text, words in found if text is not None]
    vectors = embed(space, [text for _, text in layers] + [text for _, text, _ in fresh], beat)
    for (entry, _, words), vector in zip(fresh, vectors[len(layers) :], strict=True):
        entry.vector, entry.words = vector, terms.analyse(words)
    return Prepared(
        space=space,
        entries=[entry for entry, _, _ in found],
        layers=[(level, vector) for (level, _), vector in zip(layers, vectors, strict=False)],
    )


def swap(skill: Skill, prepared: Prepared) -> None:
    """Replace what is stored to find ``skill``. Call it in a transaction that holds the row."""
    kept = [entry.row.pk for entry in prepared.entries if entry.words is None]
    PassageTerms.objects.filter(skill=skill).exclude(pk__in=kept).delete()
    LayerVector.objects.filter(skill=skill).exclude(passage_id__in=kept).delete()
    ids = [entry.row.pk for entry in prepared.entries]
    skill.passages.exclude(pk__in=ids).delete()
    Passage.objects.bulk_create(
        [entry.row for entry in prepared.entries],
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=PASSAGE_FIELDS,
    )
    rows: list[tuple[int, uuid.UUID | None, Vectors]] = [(n, None, v) for n, v in prepared.layers]
    rows += [(int(Level.PASSAGE), e.row.pk, e.vector) for e in prepared.entries if e.vector is not None]
    LayerVector.objects.bulk_create(
        [
            LayerVector(space=prepared.space, skill=skill, passage_id=p, level=level, vector=HalfVector(v))
            for level, p, v in rows
        ],
        batch_size=ROWS_AT_ONCE,
    )
    _store_words(skill, prepared.entries)


def _store_words(skill: Skill, entries: Sequence[Entry]) -> None:
    fresh = [(entry.row.pk, entry.words) for entry in entries if entry.words is not None]
    PassageTerms.objects.bulk_create(
        [PassageTerms(passage_id=p, skill=skill, weights=w.sparse, keys=w.keys) for p, w in fresh],
        batch_size=ROWS_AT_ONCE,
    )
    TermDelta.objects.bulk_create(
        [TermDelta(sign=1, hashes=w.hashes) for _, w in fresh], batch_size=ROWS_AT_ONCE
    )


def index_skill(
    skill: Skill, page_starts: Sequence[int] = (), beat: Callable[[], object] = lambda: None
) -> bool:
    """Make ``skill`` findable as it is in memory; embeds first, then swaps in one transaction.

    Returns False, with nothing changed, when it was saved or deleted meanwhile (whoever did that
    queued it again). Approves it unless a person or a decision already gave it a status.
    """
    prepared = prepare(skill, page_starts, beat)
    with transaction.atomic():
        row = Skill.objects.filter(pk=skill.pk, deleted_at=None).held().first()
        if row is None or row.version != skill.version:
            return False
        swap(skill, prepared)
        if row.status in (Skill.Status.PENDING, Skill.Status.PROCESSING):
            skill.status = Skill.Status.APPROVED
        else:
            skill.status = row.status
        skill.index_state, skill.index_reason = Skill.Index.READY, ""
        skill.attempts, skill.heartbeat_at = 0, None
        skill.save(update_fields=["status", "index_state", "index_reason", "attempts", "heartbeat_at"])
    return True
