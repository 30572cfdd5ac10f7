"""Search over HTTP in a base of 10,000 skills, against its parts measured in the same run.

    python -m bench.search_http [--skills 10000] [--queries 200]

The parts: embedding the query, one raw HNSW query over the passages, one raw word query (exact BM25).
They and the search take turns, query by query, so that a noisy machine disturbs all alike; no query
comes twice. Printed: medians, and the ratio of search to the sum of its parts (2.5 is the limit).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import httpx
from django.core.management import call_command

from bench import environment  # noqa: F401
from bench.many_skills import ROOT, TOKEN, load
from kbsite.accounts.keys import make_key
from kbsite.accounts.models import Role, User
from kbsite.llm.embedding import active_space, embedder, warm_up
from skills.models import LayerVector, Passage, PassageTerms
from skills.terms import query_terms
from tests.running import free_port, wait_for

LIMIT = 2.5
WARM_UP = 20


def queries(passages: Sequence[Passage], count: int) -> list[str]:
    """Different queries: 3 to 8 words, or 4 to 14 characters, out of the passages."""
    chance, made = random.Random(11), set()
    while len(made) < count:
        tokens = [t for t in TOKEN.findall(chance.choice(passages).text) if t.isalpha()]
        if len(tokens) > 40:
            start = chance.randrange(len(tokens) - 20)
            wide = not tokens[start].isascii()
            taken = tokens[start : start + (chance.randint(4, 14) if wide else chance.randint(3, 8))]
            made.add(("" if wide else " ").join(taken))
    return sorted(made, key=lambda _query: chance.random())


@contextmanager
def served() -> Iterator[str]:
    """The site in a process of its own; its address."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "kbsite.asgi:application", "--port", str(port)]
    command += ["--loop", "uvloop", "--http", "httptools", "--lifespan", "off", "--no-access-log"]
    server = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return httpx.get(f"{address}/api/health", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    try:
        wait_for(answers, 60)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def milliseconds(what: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    what()
    return (time.perf_counter() - started) * 1000


class Parts:
    """What a search cannot do without, each alone."""

    def __init__(self) -> None:
        self.space = active_space()
        self.embedder = embedder(self.space)

    def embed(self, query: str) -> object:
        """One query embedding."""
        return self.embedder.embed_query(query)

    def nearest(self, query: str) -> Callable[[], object]:
        """One raw HNSW query over the passages, the vector at hand."""
        vector = self.embedder.embed_query(query)
        rows = LayerVector.objects.nearest_to(self.space, vector, LayerVector.Level.PASSAGE, 40)
        return lambda: list(rows.values_list("skill_id", "distance"))

    def words(self, query: str) -> object:
        """One raw word query: frequencies, candidates, exact BM25, the best hundred."""
        return list(PassageTerms.objects.matching(query_terms(query), 100).values_list("skill_id", "score"))


def measure(address: str, key: str, asked: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds of each part and of search by API and by page, per query."""
    parts, taken = Parts(), {name: [] for name in ("embedding", "hnsw", "words", "api", "page")}
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=60) as client:

        def search(query: str) -> None:
            client.get("/api/search", params={"q": query}).raise_for_status()

        for n, query in enumerate(asked):
            row = {
                "embedding": milliseconds(lambda query=query: parts.embed(query)),
                "hnsw": milliseconds(parts.nearest(query)),
                "words": milliseconds(lambda query=query: parts.words(query)),
                "api": milliseconds(lambda query=query: search(query)),
            }
            for name, value in row.items():
                if n >= WARM_UP:
                    taken[name].append(value)
    return taken


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--skills", type=int, default=10_000)
    options.add_argument("--queries", type=int, default=200)
    chosen = options.parse_args()
    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.com", "bench", role=Role.ADMIN)
    _row, key = make_key(user, "bench")
    warm_up()
    started = time.monotonic()
    passages = load(chosen.skills)
    print(f"{chosen.skills} skills, {len(passages)} passages loaded in {time.monotonic() - started:.0f} s")
    with served() as address:
        taken = measure(address, key, queries(passages, chosen.queries + WARM_UP))
    medians = {name: statistics.median(values) for name, values in taken.items() if values}
    for name, value in medians.items():
        p95 = statistics.quantiles(taken[name], n=20)[-1]
        print(f"{name:10s} median {value:6.1f} ms   p95 {p95:6.1f} ms")
    ratio = medians["api"] / (medians["embedding"] + medians["hnsw"] + medians["words"])
    print(f"search / (embedding + hnsw + words): {ratio:.2f} (limit {LIMIT})")


if __name__ == "__main__":
    main()
