"""nDCG@10 of the product's own search on retrieval sets, indexed by the product's own indexing.

    python -m bench.eval_sets SETS_DIR [SET …] [--sample 60]

A set is a folder with corpus.jsonl {id, title, text}, queries.dev.jsonl {id, text} and
qrels.dev.tsv. Texts become skills with extractive layers, offline. ``--sample`` keeps that many
queries, their right texts and 400 others. Printed per set: hybrid, keyword, layered, each leg alone,
and how often hybrid says that it found something: with the answers in the base, and without.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from bench import environment  # noqa: F401
from kbsite.accounts.models import Role, User
from kbsite.llm.embedding import warm_up
from kbsite.llm.offline.summary import summarise
from search import retrieve
from search.candidates import Candidate, gather
from search.question import ask
from search.retrieve import Search, find
from search.scope import Scope, among
from skills.index import index_skill
from skills.models import Skill
from skills.terms import fold_deltas

OTHERS = 400
EMPTY = "TRUNCATE skills_skill, skills_term, skills_termdelta CASCADE"


@dataclass
class RetrievalSet:
    """Texts by id, queries by id, and how relevant each text is to each query."""

    name: str
    texts: dict[str, dict[str, str]]
    queries: dict[str, str]
    relevance: dict[str, dict[str, int]]


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def read(folder: Path, sample: int) -> RetrievalSet:
    """The set in ``folder``; with ``sample`` that many queries and a smaller base."""
    texts = {row["id"]: row for row in _lines(folder / "corpus.jsonl")}
    queries = {str(row["id"]): row["text"] for row in _lines(folder / "queries.dev.jsonl")}
    relevance: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.dev.tsv").read_text("utf-8").splitlines():
        query, text, grade = line.split("\t")
        if grade.isdecimal() and int(grade) > 0 and query in queries:
            relevance.setdefault(query, {})[text] = int(grade)
    if sample:
        chance = random.Random(1)
        kept = chance.sample(sorted(relevance), min(sample, len(relevance)))
        relevance = {query: relevance[query] for query in kept}
        right = {text for judged in relevance.values() for text in judged}
        others = sorted(texts.keys() - right)
        chosen = right.union(chance.sample(others, min(OTHERS, len(others))))
        texts = {pk: row for pk, row in texts.items() if pk in chosen}
    return RetrievalSet(folder.name, texts, queries, relevance)


def ndcg(ids: Iterable[str], judged: dict[str, int]) -> float:
    """nDCG@10 with linear gain, ideal over all judged texts (trec_eval's ndcg_cut)."""
    gains = [judged.get(pk, 0) for pk in list(ids)[:10]]
    best = sorted(judged.values(), reverse=True)[:10]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def index(found: RetrievalSet) -> None:
    """The texts as skills, through the product's own indexing."""
    with connection.cursor() as cursor:
        cursor.execute(EMPTY)
    for n, (pk, row) in enumerate(found.texts.items()):
        layers = summarise(row["text"])
        skill = Skill.objects.create(
            slug=f"text-{n}",
            description=pk,
            name=(row["title"] or row["text"].strip().split("\n")[0])[:100],
            content=row["text"],
            abstract=layers.abstract,
            overview=layers.overview,
        )
        # The id is kept where a person would describe the skill; it must not be found by it.
        skill.description = ""
        index_skill(skill)
    while fold_deltas():
        pass
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


Ranking = Callable[[str], list[str]]


def rankings(user: User) -> dict[str, Ranking]:
    """Ways to rank, by name: each gives ids of texts, best first."""
    ids = dict(Skill.objects.values_list("pk", "description"))

    def by_mode(mode: retrieve.Mode) -> Ranking:
        def rank(query: str) -> list[str]:
            results, _ = find(Search(query, Scope(), mode, 10), user)
            return [hit.skill.description for hit in results.hits]

        return rank

    def by_leg(leg: str) -> Ranking:
        def value(candidate: Candidate) -> float:
            found = getattr(candidate, leg)
            return -1.0 if found is None else float(found)

        def rank(query: str) -> list[str]:
            candidates = gather(ask(query), among(Scope(), user))
            return [ids[one.skill_id] for one in sorted(candidates, key=value, reverse=True)[:10]]

        return rank

    modes = {mode: by_mode(mode) for mode in retrieve.MODES}
    return modes | {leg: by_leg(leg) for leg in ("l0", "l1", "passage", "bm25")}


def says_found(found: RetrievalSet, user: User) -> tuple[float, float]:
    """Shares of the queries for which something counts as found: all texts there, and the right ones gone."""
    ids = dict(Skill.objects.values_list("pk", "description"))
    with_them = without = 0
    for query, judged in found.relevance.items():
        about = retrieve.ranking(Search(found.queries[query]), user).about
        with_them += bool(about)
        without += any(ids[one.candidate.skill_id] not in judged for one in about)
    return with_them / len(found.relevance), without / len(found.relevance)


def evaluate(found: RetrievalSet, user: User) -> dict[str, float]:
    """Mean nDCG@10 of each ranking."""
    return {
        name: sum(ndcg(rank(found.queries[q]), judged) for q, judged in found.relevance.items())
        / len(found.relevance)
        for name, rank in rankings(user).items()
    }


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("sets", nargs="*")
    options.add_argument("--sample", type=int, default=0)
    chosen = options.parse_args()
    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.com", "bench", role=Role.ADMIN)
    warm_up()
    names = chosen.sets or sorted(path.name for path in chosen.folder.iterdir() if path.is_dir())
    for name in names:
        started = time.monotonic()
        found = read(chosen.folder / name, chosen.sample)
        index(found)
        indexed = time.monotonic() - started
        scores = evaluate(found, user)
        present, absent = says_found(found, user)
        print(
            f"{name:18s} {len(found.texts):5d} texts {len(found.relevance):4d} queries  "
            + "  ".join(f"{leg} {value:.3f}" for leg, value in scores.items())
            + f"  found {present:.3f}, without its answers {absent:.3f}"
            + f"  ({indexed:.0f} s indexing, {time.monotonic() - started - indexed:.0f} s asking)",
            flush=True,
        )


if __name__ == "__main__":
    main()
