"""The embedded PostgreSQL: shared by processes, stopped by the last, started again after anything."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from kbsite import postgres
from kbsite.embedded import EmbeddedServer
from kbsite.start import CannotStart
from tests.running import ROOT, environment, wait_for

pytestmark = pytest.mark.slow

HOLD = "import sys; from kbsite import embedded; print(embedded.ensure_database_url(), flush=True); "
UNTIL_TOLD = HOLD + "sys.stdin.read()"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user can reach; pytest's own are for root alone."""
    with tempfile.TemporaryDirectory(prefix="kb-embedded-") as path:
        yield Path(path)


@pytest.fixture
def server(folder: Path) -> EmbeddedServer:
    """A server on a folder of its own, not yet started; the test leaves it."""
    return EmbeddedServer(folder)


def holder(home: Path, code: str = UNTIL_TOLD) -> subprocess.Popen[str]:
    """Another process that uses the server of ``home`` until its input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(home, 0),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("postgresql://")
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    """End a holder as a command ends."""
    process.communicate(timeout=30)


def test_the_last_one_out_stops_it(server: EmbeddedServer) -> None:
    """A command that runs beside another starts nothing and stops nothing."""
    first = holder(server.folder)
    found = postgres.running(server.data)
    second = holder(server.folder)
    assert postgres.running(server.data) == found
    let_go(first)
    assert postgres.running(server.data) == found
    let_go(second)
    assert postgres.running(server.data) is None


def test_a_killed_user_does_not_keep_it(server: EmbeddedServer) -> None:
    """kill -9 of one process that used it: the next one to leave still stops it."""
    killed, living = holder(server.folder), holder(server.folder)
    killed.kill()
    killed.communicate()
    assert postgres.running(server.data)
    let_go(living)
    assert postgres.running(server.data) is None


def test_what_was_committed_survives_a_kill(server: EmbeddedServer) -> None:
    """kill -9 of the server between two commits: both rows are there after the next start."""
    url = server.join()
    with psycopg.connect(url, autocommit=True) as link:
        link.execute("CREATE TABLE kept (n int)")
        link.execute("INSERT INTO kept VALUES (1)")
        found = postgres.running(server.data)
        assert found is not None
        psutil.Process(found.pid).kill()
    wait_for(lambda: not server.is_running())
    server.revive()
    with psycopg.connect(url, autocommit=True) as link:
        assert link.execute("SELECT n FROM kept").fetchall() == [(1,)]
    server.leave()


@pytest.mark.parametrize("owner", ["this process", "nobody"])
def test_a_stale_process_id_is_no_obstacle(server: EmbeddedServer, owner: str) -> None:
    """A ``postmaster.pid`` whose number is another program's by now, or nobody's, is ignored."""
    server.join()
    found = postgres.running(server.data)
    assert found is not None
    lines = (server.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    psutil.Process(found.pid).kill()
    wait_for(lambda: postgres.running(server.data) is None)
    number = os.getpid() if owner == "this process" else 4_000_000
    stale = server.data / "postmaster.pid"
    stale.write_text("\n".join([str(number), *lines[1:]]) + "\n", encoding="utf-8")
    assert postgres.running(server.data) is None
    server.revive()
    assert server.is_running()
    server.leave()
    assert postgres.running(server.data) is None


def test_a_half_made_folder_is_made_again(server: EmbeddedServer) -> None:
    """A first start that was killed half-way is no obstacle to the second."""
    (server.folder / "postgres.new").mkdir()
    (server.folder / "postgres.new" / "PG_VERSION").write_text("18\n", encoding="ascii")
    server.data.mkdir()
    server.join()
    assert server.is_running()
    server.leave()


@pytest.mark.parametrize("name", ["x" * 120, 'it\'s a "home" % 知识 库'])
def test_any_folder_will_do(folder: Path, name: str) -> None:
    """A path too long for a socket, with blanks, quotes and Chinese: the server answers."""
    home = folder / name
    home.mkdir()
    server = EmbeddedServer(home)
    with psycopg.connect(server.join()) as link:
        assert link.execute("SELECT 1").fetchone() == (1,)
    server.leave()


def test_trigrams_cover_chinese(server: EmbeddedServer) -> None:
    """Whatever the environment's locale, Chinese characters count as letters."""
    with psycopg.connect(server.join()) as link:
        link.execute("CREATE EXTENSION pg_trgm")
        row = link.execute("SELECT cardinality(show_trgm('教务'))").fetchone()
    server.leave()
    assert row == (3,)


def test_it_listens_on_no_network(server: EmbeddedServer) -> None:
    """A unix socket that only its user may open is all there is."""
    with psycopg.connect(server.join()) as link:
        row = link.execute("SELECT current_setting('listen_addresses')").fetchone()
        assert row == ("",)
    found = postgres.running(server.data)
    assert found is not None
    assert psutil.Process(found.pid).net_connections("inet") == []
    assert (found.socket_folder / ".s.PGSQL.5432").stat().st_mode & 0o077 == 0
    server.leave()


def test_a_database_that_can_not_start_says_why(server: EmbeddedServer) -> None:
    """The sentence carries the end of the server's own log."""
    server.join()
    server.leave()
    (server.data / "local.conf").write_text("shared_buffers = 'lots'\n", encoding="utf-8")
    with pytest.raises(CannotStart, match="invalid value for parameter"):
        server.join()
    (server.data / "local.conf").unlink()
    server.join()
    server.leave()


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """No traceback: the folder, and what to do."""
    closed = tmp_path / "closed"
    closed.write_text("a file, not a folder", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", HOLD],
        cwd=ROOT,
        env=environment(closed, 0),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"can't make its folder {closed}" in done.stderr
    assert "Traceback" not in done.stderr
