"""The graph of a whole base, against the SQL that it needs, measured in the same run.

    python -m bench.graph [--skills 2000] [--links 5000] [--times 9]

The bare SQL: the skills' names and places, the relations and the links, as tuples. It and the page's parts
take turns, so that a noisy machine disturbs all alike. Printed: medians, and the size of the page.
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable

from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client

from bench import environment  # noqa: F401
from documents.models import Folder
from kbsite.accounts.models import Role, User
from skills.graph.fetch import graph_of
from skills.graph.picture import picture_of
from skills.graph.scope import Scope
from skills.models import Link, Relation, Skill

BARE = (
    "SELECT id, slug, name, folder_id, active_count, priority, status FROM skills_skill "
    "WHERE deleted_at IS NULL AND type <> 'system' LIMIT 2001",
    "SELECT source_id, target_id, type FROM skills_relation",
    "SELECT DISTINCT source_id, target_id FROM skills_link WHERE source_id <> target_id",
    "SELECT id, parent_id, name FROM documents_folder ORDER BY place",
)


def fill(skills: int, links: int) -> None:
    """Skills in a hundred folders, a quarter of the edges relations (written both ways)."""
    chance = random.Random(7)
    folders: list[Folder] = []
    for n in range(100):
        parent = chance.choice(folders) if folders and chance.random() < 0.7 else None
        folders.append(Folder.objects.create(name=f"Folder {n}", parent=parent))
    made = Skill.objects.bulk_create(
        (
            Skill(
                name=f"办法 Policy {n}",
                slug=f"办法-policy-{n}",
                folder=chance.choice(folders),
                status="approved",
            )
            for n in range(skills)
        ),
        batch_size=2_000,
    )
    pairs = {tuple(chance.sample(range(skills), 2)) for _ in range(links)}
    split = len(pairs) // 4
    ordered = sorted(pairs)
    chance.shuffle(ordered)
    both = {pair for a, b in ordered[:split] for pair in ((a, b), (b, a))}
    Relation.objects.bulk_create(
        (Relation(source=made[a], target=made[b], type="complement") for a, b in both), batch_size=2_000
    )
    Link.objects.bulk_create(
        (Link(source=made[a], target=made[b], label=f"L{b}", key=f"l{b}") for a, b in ordered[split:]),
        batch_size=2_000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def bare() -> None:
    """What the graph needs of the database, and nothing else."""
    with connection.cursor() as cursor:
        for statement in BARE:
            cursor.execute(statement)
            cursor.fetchall()


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--skills", type=int, default=2_000)
    options.add_argument("--links", type=int, default=5_000)
    options.add_argument("--times", type=int, default=9)
    given = options.parse_args()
    call_command("migrate", verbosity=0)
    fill(given.skills, given.links)
    user = User.objects.create_user(
        "alice@example.com", "correct horse battery", name="Alice", role=Role.ADMIN
    )
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    page = client.get("/graph/").content
    parts: dict[str, Callable[[], object]] = {
        "bare SQL": bare,
        "nodes and edges": lambda: graph_of(Scope(), user),
        "and the picture": lambda: picture_of(Scope(), user),
        "the page": lambda: client.get("/graph/"),
        "list, one page": lambda: client.get("/graph/?view=list"),
    }
    took: dict[str, list[float]] = defaultdict(list)
    for _ in range(given.times):
        for name, part in parts.items():
            cache.clear()
            started = time.perf_counter()
            part()
            took[name].append((time.perf_counter() - started) * 1000)
    base = statistics.median(took["bare SQL"])
    print(f"{given.skills} skills, about {given.links} edges")
    for name, times in took.items():
        print(f"{name:18} {statistics.median(times):8.1f} ms   {statistics.median(times) / base:5.1f} ×")
    print(f"{'page':18} {len(page) / 1000:8.0f} kB   {len(gzip.compress(page, 6)) / 1000:.0f} kB on the wire")


if __name__ == "__main__":
    main()
