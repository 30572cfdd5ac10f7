"""Many skills quickly: texts and vectors made by perturbing a few real ones, loaded by COPY.

Every second word or character is another one, drawn as words are in a language (Zipf), so that terms are
about as rare as in a real base of that size; vectors are a real passage's plus noise.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from kbsite.llm.embedding import active_space, embedder
from skills import spaces
from skills.models import LayerVector, Passage, Skill, Term
from skills.terms import analyse

ROOT = Path(__file__).resolve().parent.parent
PASSAGES = 3
DISTINCT = 300
WORDS, CHARACTERS = 40_000, 4_000
CHANGED = 0.5
NOISE = 0.35
KEYS = "CREATE INDEX passage_keys ON skills_passageterms USING gin (keys) WITH (fastupdate = off)"
TOKEN = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]|[^A-Za-z\u4e00-\u9fff]+")


def paragraphs() -> list[str]:
    """Passages of our own documents, English and Chinese, 300 to 1,200 characters each."""
    files = [
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("README*.md"),
        *ROOT.glob("kbsite/**/sample_documents/*.md"),
    ]
    found: list[str] = []
    for file in sorted(files):
        text = ""
        for part in file.read_text("utf-8").split("\n\n"):
            text = f"{text}\n\n{part}".strip()
            if len(text) > 300:
                found.append(text[:1_200])
                text = ""
    return found


class Vocabulary:
    """Made-up English words and real characters, each drawn with a frequency of 1/rank."""

    def __init__(self, chance: random.Random) -> None:
        syllables = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
        self.words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(WORDS)]
        self.characters = [chr(0x4E00 + n) for n in chance.sample(range(20_000), CHARACTERS)]
        self.word_weights = list(accumulate(1 / (n + 20) for n in range(WORDS)))
        self.character_weights = list(accumulate(1 / (n + 20) for n in range(CHARACTERS)))
        self.chance = chance

    def changed(self, text: str) -> str:
        """``text`` with half its words and characters replaced."""
        tokens = TOKEN.findall(text)
        words = iter(self.chance.choices(self.words, cum_weights=self.word_weights, k=len(tokens)))
        characters = iter(
            self.chance.choices(self.characters, cum_weights=self.character_weights, k=len(tokens))
        )
        return "".join(
            token
            if self.chance.random() > CHANGED or not token.isalpha()
            else (next(words) if token.isascii() else next(characters))
            for token in tokens
        )


@dataclass
class Made:
    """Rows that wait to be copied."""

    skills: list[Skill] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    vectors: list[tuple[Skill, Passage | None, int, NDArray[np.float32]]] = field(default_factory=list)


def _near(vector: NDArray[np.float32], random_state: np.random.Generator) -> NDArray[np.float32]:
    noise = random_state.normal(size=vector.shape).astype(np.float32)
    near = vector + NOISE * noise / np.linalg.norm(noise)
    return np.asarray(near / np.linalg.norm(near), np.float32)


def _make(count: int, texts: Sequence[str], vectors: NDArray[np.float32], seed: int) -> Made:
    chance, noise = random.Random(seed), np.random.default_rng(seed)
    vocabulary, made = Vocabulary(chance), Made()
    for n in range(count):
        # One skill is about one thing: its passages follow each other in a real document.
        first = chance.randrange(len(texts) - PASSAGES + 1)
        chosen = list(range(first, first + PASSAGES))
        parts = [vocabulary.changed(texts[i]) for i in chosen]
        name = " ".join(parts[0].split())[:60]
        skill = Skill(
            slug=f"many-{n}",
            name=name,
            content="\n\n".join(parts),
            abstract=parts[0][:300],
            overview="\n\n".join(part[:600] for part in parts),
            status=Skill.Status.APPROVED,
            index_state=Skill.Index.READY,
        )
        made.skills.append(skill)
        start = 0
        for ordinal, (i, part) in enumerate(zip(chosen, parts, strict=True)):
            end = start + len(part)
            passage = Passage(skill=skill, ordinal=ordinal, text=part, start=start, end=end, tokens=250)
            made.passages.append(passage)
            made.vectors.append((skill, passage, 2, _near(vectors[i], noise)))
            start = end + 2
        made.vectors.append((skill, None, 0, _near(vectors[chosen[0]], noise)))
        made.vectors.append((skill, None, 1, _near(vectors[chosen].mean(axis=0), noise)))
    return made


def _copy(table: str, columns: str, rows: Iterator[Sequence[object]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _words(made: Made, df: Counter[int]) -> Iterator[Sequence[object]]:
    """The words of each passage; counts in ``df`` how many passages hold each term."""
    for passage in made.passages:
        vector = analyse(f"{passage.skill.name}\n{passage.text}")
        df.update(vector.hashes)
        yield passage.pk, passage.skill_id, vector.sparse.to_text(), vector.keys


def load(count: int, seed: int = 7) -> list[Passage]:
    """Fill an empty database with ``count`` skills of three passages each; returns the passages."""
    space = active_space()
    texts = paragraphs()[:DISTINCT]
    made = _make(count, texts, embedder(space).embed_passages(texts), seed)
    Skill.objects.bulk_create(made.skills, batch_size=1_000)
    Passage.objects.bulk_create(made.passages, batch_size=1_000)
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX passage_keys")
    rows = (
        (space.pk, skill.pk, passage.pk if passage else None, level, HalfVector(vector).to_text())
        for skill, passage, level, vector in made.vectors
    )
    _copy(LayerVector._meta.db_table, "space_id, skill_id, passage_id, level, vector", rows)
    df: Counter[int] = Counter({0: len(made.passages)})
    _copy("skills_passageterms", "passage_id, skill_id, weights, keys", _words(made, df))
    Term.objects.bulk_create((Term(hash=h, df=n) for h, n in df.items()), batch_size=5_000)
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        cursor.execute(
            "CREATE INDEX passage_keys ON skills_passageterms USING gin (keys) WITH (fastupdate = off)"
        )
        spaces.prepare(space)
        cursor.execute("ANALYZE")
    return made.passages
