"""Parts that are killed come back, what was written stays, and nothing is left running."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.running import ROOT, Site, environment, free_port, still_running, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """One running site, killed part by part; its own tests leave it running."""
    with Site() as running:
        yield running


@pytest.fixture(scope="module")
def alice(site: Site) -> Iterator[httpx.Client]:
    """A client with Alice's key: that the key works later is how a test sees that nothing was lost."""
    with site.client(site.key()) as client:
        yield client


def detail(alice: httpx.Client) -> dict[str, Any]:
    """What ``/api/health/detail`` says."""
    answer = alice.get("/api/health/detail")
    assert answer.status_code == 200
    return dict(answer.json())


def is_well(alice: httpx.Client) -> bool:
    """Whether pages, database and worker are there, and Alice's key still works."""
    try:
        return detail(alice)["workers"]["alive"] == 1
    except (httpx.TransportError, AssertionError):
        return False


def test_detail_tells_about_every_engine(alice: httpx.Client) -> None:
    """Database, vectors, queue, worker, model, embeddings and disk are reported."""
    wait_for(lambda: is_well(alice))
    told = detail(alice)
    assert told["status"] == "ok"
    assert told["database"]["version"].startswith("18.")
    assert told["vectors"]["version"] >= "0.8"
    assert told["queue"]["reachable"]
    assert told["model"]["offline"]
    assert not told["disk"]["low"]


def test_detail_needs_signing_in(site: Site) -> None:
    """Strangers learn that the site is up, and no more."""
    with site.client() as stranger:
        assert stranger.get("/api/health").json() == {"status": "ok"}
        assert stranger.get("/api/health/detail").status_code == 401


@pytest.mark.parametrize("part", ["web", "worker", "beat"])
def test_a_killed_part_comes_back(site: Site, alice: httpx.Client, part: str) -> None:
    """kill -9 of web, worker or beat: another takes its place, and nothing of the old one stays."""
    wait_for(lambda: is_well(alice))
    (victim,) = site.processes(part)
    forks = victim.children()
    victim.kill()
    wait_for(lambda: [one for one in site.processes(part) if one.pid != victim.pid])
    assert still_running(forks, 5) == []
    wait_for(lambda: is_well(alice))


def test_a_killed_task_process_comes_back(site: Site, alice: httpx.Client) -> None:
    """kill -9 of one of the worker's forks, as the kernel does when memory runs out: it is replaced."""
    wait_for(lambda: is_well(alice))
    (worker,) = site.processes("worker")
    victim = wait_for(worker.children)[0]
    victim.kill()
    wait_for(lambda: len([fork for fork in worker.children() if fork.pid != victim.pid]) == 2)
    assert site.processes("worker") == [worker]


def test_a_killed_database_comes_back(site: Site, alice: httpx.Client) -> None:
    """kill -9 of the database: it recovers what was committed, and the parts find it again."""
    wait_for(lambda: is_well(alice))
    site.postmaster().kill()
    wait_for(lambda: is_well(alice))
    assert "The database ended; starting it again." in site.output()


def test_a_second_site_on_the_same_folder_is_refused(site: Site) -> None:
    """The sentence names the folder and where the first one answers."""
    sentence = refused(site.home, free_port())
    assert "running already" in sentence
    assert site.address in sentence


@pytest.fixture(scope="module")
def other_home() -> Iterator[Path]:
    """A folder for starts that are refused."""
    with tempfile.TemporaryDirectory(prefix="kb-refused-") as path:
        yield Path(path)


def test_a_taken_port_is_named(site: Site, other_home: Path) -> None:
    """The sentence names the port and how to choose another."""
    assert f"Port {site.port} on 127.0.0.1 is taken" in refused(other_home, site.port)


def test_a_foreign_address_is_named(other_home: Path) -> None:
    """An address that this machine does not have is refused in a sentence."""
    assert "192.0.2.1 is not an address of this machine" in refused(
        other_home, free_port(), KB_BIND="192.0.2.1"
    )


def test_an_absent_database_is_named(other_home: Path) -> None:
    """A DATABASE_URL where nobody answers is refused in a sentence."""
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    assert "The database does not answer" in refused(other_home, free_port(), DATABASE_URL=url)


def test_a_full_disk_is_named(other_home: Path) -> None:
    """Too little free space is refused in a sentence."""
    assert "MB are free on the disk" in refused(other_home, free_port(), KB_MIN_FREE_MB="999999999")


def refused(home: Path, port: int, **settings: str) -> str:
    """What ``serve`` prints when it does not start: no traceback, exit code 1."""
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment(home, port, **settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "Traceback" not in said
    return said


def test_a_killed_supervisor_takes_its_parts_along(site: Site, alice: httpx.Client) -> None:
    """kill -9 of the supervisor: the parts end, and starting again on the folder finds everything."""
    assert site.process is not None
    family = psutil.Process(site.process.pid).children(recursive=True)
    site.process.kill()
    site.process.wait()
    site.start()
    wait_for(lambda: is_well(alice))
    assert [process for process in still_running(family) if process.name() != "postgres"] == []


def test_ctrl_c_leaves_nothing_running(site: Site) -> None:
    """Ctrl-C stops web, worker, beat and database within five seconds, and frees the port."""
    assert site.process is not None
    family = [*psutil.Process(site.process.pid).children(recursive=True), site.postmaster()]
    began = time.monotonic()
    assert site.stop(signal.SIGINT) == 0
    assert time.monotonic() - began < 8  # Five, on a machine with nothing else to do.
    assert still_running(family) == []
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", site.port)) != 0
    assert not (site.home / "serve.json").exists()
    assert list((site.home / "tmp").iterdir()) == []


def test_orphans_end_by_themselves(site: Site) -> None:
    """Without a new start too, the parts of a killed supervisor end, the database last."""
    site.start()
    assert site.process is not None
    family = [*psutil.Process(site.process.pid).children(recursive=True), site.postmaster()]
    site.process.kill()
    site.process.wait()
    alive = still_running(family, 15)
    assert alive == []
