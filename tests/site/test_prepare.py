"""Every start brings tables, queue and static files up to date, and two at once take turns."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from kbsite.embedded import EmbeddedServer
from tests.running import ADMIN, PASSWORD, PREPARE, ROOT, environment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """The server of a new ``KB_HOME``, running."""
    with tempfile.TemporaryDirectory(prefix="kb-prepare-") as path:
        server = EmbeddedServer(Path(path))
        server.join()
        yield server
        server.leave()


def begin(server: EmbeddedServer) -> subprocess.Popen[str]:
    """A process that prepares that ``KB_HOME`` as a start does."""
    return subprocess.Popen(
        [sys.executable, "-c", PREPARE],
        cwd=ROOT,
        env=environment(
            server.folder,
            0,
            DJANGO_SETTINGS_MODULE="kbsite.settings",
            KB_ADMIN_EMAIL=ADMIN,
            KB_ADMIN_PASSWORD=PASSWORD,
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def done(process: subprocess.Popen[str]) -> None:
    """Wait for it to succeed."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output


def rows(server: EmbeddedServer, sql: str) -> list[tuple[object, ...]]:
    """The rows of a query on the database of ``server``."""
    with psycopg.connect(server.join(), autocommit=True) as link:
        answer = link.execute(sql.encode())
        return answer.fetchall() if answer.description else []


def test_two_starts_at_once_make_one_of_everything(server: EmbeddedServer) -> None:
    """On a new folder: one set of tables, one queue, one admin, and static files."""
    both = [begin(server), begin(server)]
    for process in both:
        done(process)
    assert rows(server, "SELECT count(*) FROM accounts_user") == [(1,)]
    assert rows(server, "SELECT queue_name FROM pgmq.meta") == [("kb",)]
    assert (server.folder / "static" / "staticfiles.json").exists()


def test_another_version_of_the_queue_is_laid_anew(server: EmbeddedServer) -> None:
    """PGMQ can't upgrade itself: its schema is replaced, what is ours stays."""
    rows(server, "COMMENT ON SCHEMA pgmq IS 'skill-know 0.1'")
    rows(server, "SELECT pgmq.send('kb', '{}')")
    done(begin(server))
    assert rows(server, "SELECT count(*) FROM pgmq.q_kb") == [(0,)]
    assert rows(server, "SELECT count(*) FROM accounts_user") == [(1,)]


def test_a_start_that_finds_nothing_to_do_does_nothing(server: EmbeddedServer) -> None:
    """The queue keeps its messages and static files are not written again."""
    rows(server, "SELECT pgmq.send('kb', '{}')")
    before = (server.folder / "static" / "staticfiles.json").stat().st_mtime_ns
    done(begin(server))
    assert rows(server, "SELECT count(*) FROM pgmq.q_kb") == [(1,)]
    assert (server.folder / "static" / "staticfiles.json").stat().st_mtime_ns == before
