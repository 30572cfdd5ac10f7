"""A workspace of 5,000 folders and 100,000 skills: pages against the bare SQL that they run.

    python -m bench.workspace [--folders 5000] [--skills 100000] [--rounds 30]

Pages go through the whole of Django (middleware, view, template) in this process; the bare SQL is what the
same page ran, sent again over one connection and read to the end. Page and SQL take turns, round by
round, so that a noisy machine disturbs both alike. Printed: medians in milliseconds, and ratios.
"""

from __future__ import annotations

import argparse
import html
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench import environment  # noqa: F401
from bench.many_folders import load
from documents import folders
from documents.models import Folder
from kbsite.accounts.models import Role, User
from skills import edit, moves
from skills.models import Skill

LIMIT = 3.0
DEEP = 100

NEXT = re.compile(r'rel="next" href="([^"]+)"')
VECTORS = """
SELECT count(*) || md5(string_agg(id::text || xmin::text || ctid::text, ',' ORDER BY id))
FROM skills_layervector
"""


@dataclass(frozen=True)
class Page:
    """A page, what it ran, and how long both take (medians, milliseconds)."""

    queries: int
    page: float
    sql: float

    @property
    def ratio(self) -> float:
        """The page against its bare SQL."""
        return self.page / self.sql


def milliseconds(what: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    what()
    return (time.perf_counter() - started) * 1000


def bare(statements: Sequence[str]) -> None:
    """Run ``statements`` and read what they answer."""
    with connection.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            if cursor.description:
                cursor.fetchall()


def measured(client: Client, addresses: Sequence[str], rounds: int) -> list[Page]:
    """Each page and its SQL, all in turns."""
    ran = [_statements(client, address) for address in addresses]
    times: list[tuple[list[float], list[float]]] = [([], []) for _ in addresses]
    for _ in range(rounds):
        for address, statements, (page, sql) in zip(addresses, ran, times, strict=True):
            page.append(milliseconds(partial(client.get, address)))
            sql.append(milliseconds(partial(bare, statements)))
    return [
        Page(len(statements), statistics.median(page), statistics.median(sql))
        for statements, (page, sql) in zip(ran, times, strict=True)
    ]


def _statements(client: Client, address: str) -> list[str]:
    """What the page runs, once everything is warm."""
    for _ in range(3):
        assert client.get(address).status_code == 200, address
    with CaptureQueriesContext(connection) as ran:
        client.get(address)
        reads = ("SELECT", "WITH", "EXPLAIN")
        return [q["sql"] for q in ran.captured_queries if q["sql"].lstrip().startswith(reads)]


def hundredth(client: Client, address: str) -> str:
    """The address of the hundredth page, reached by following "next"."""
    at = address
    for _ in range(DEEP - 1):
        found = NEXT.search(client.get(at).content.decode())
        assert found, "there is no next page"
        at = address + html.unescape(found[1])
    return at


def vectors() -> str:
    """A digest of every vector row with its place and transaction: changes when any row is written."""
    with connection.cursor() as cursor:
        cursor.execute(VECTORS)
        return str(cursor.fetchone()[0])


def statements_on(table: str, what: Callable[[], object]) -> tuple[int, float]:
    """How many statements write to ``table`` during ``what``, and how many seconds it takes."""
    started = time.perf_counter()
    with CaptureQueriesContext(connection) as ran:
        what()
    seconds = time.perf_counter() - started
    return sum(f'UPDATE "{table}"' in query["sql"] for query in ran.captured_queries), seconds


def changes(full: Folder, user: User) -> list[tuple[str, str, str]]:
    """Moving a folder's skills, renaming: what each writes, as lines of the table."""
    ids = list(Skill.objects.filter(folder=full).values_list("pk", flat=True))
    target = Folder.objects.filter(is_system=False).order_by("-place")[0]
    before = vectors()
    writes, seconds = statements_on("skills_skill", lambda: moves.move_skills(ids, user, target.pk))
    lines = [(f"moving {len(ids):,} skills", f"{writes} statement, {seconds:.2f} s", "1 statement")]
    renamed = milliseconds(lambda: folders.rename(target, user, "Renamed"))
    placed = milliseconds(lambda: folders.move(target, user, None, before=_first().pk))
    edit.update_skill(ids[0], user, name="Renamed")
    lines += [
        ("renaming a folder", f"{renamed:.0f} ms", ""),
        ("putting a folder before another", f"{placed:.0f} ms", ""),
        ("vector rows written by all that", "0" if vectors() == before else "SOME", "0"),
    ]
    return lines


def _first() -> Folder:
    found: Folder = Folder.objects.filter(parent=None, is_system=False).order_by("place")[0]
    return found


def main() -> None:
    """Load, measure, print; ends with 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folders", type=int, default=5_000)
    parser.add_argument("--skills", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    given = parser.parse_args()
    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.com", "x" * 20, name="Bench", role=Role.ADMIN)
    full = load(given.folders, given.skills)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    names = {
        "list of skills, first page": "/skills/",
        "list of skills, hundredth page by cursor": hundredth(client, "/skills/"),
        "list of a folder": f"/skills/?folder={full.pk}",
        "opening a branch of the tree": f"/tree/{full.parent_id or full.pk}/?of=skills",
    }
    pages = measured(client, list(names.values()), given.rounds)
    first, deep, *_others = pages
    lines = [
        (
            name,
            f"{page.page:.1f} ms, {page.queries} queries; SQL {page.sql:.1f} ms; {page.ratio:.2f} ×",
            "3 ×",
        )
        for name, page in zip(names, pages, strict=True)
    ]
    lines.append(("hundredth page against the first", f"{deep.page / first.page:.2f}", "1"))
    for name, found, limit in lines + changes(full, user):
        print(f"{name:45} {found:50} {limit}")
    raise SystemExit(1 if any(page.ratio > LIMIT for page in pages) else 0)


if __name__ == "__main__":
    main()
