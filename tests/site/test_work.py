"""Work in hand survives whatever is killed, and goes through other brokers too."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil
import pytest

from tests.running import Site, free_port, wait_for

pytestmark = pytest.mark.slow

LONG = "\n\n".join(
    f"## Valve {n}\n\nValve {n} opens at {n} bar and is checked every {n} weeks by the night shift, "
    "who note the pressure, the temperature and the colour of the seal in the red book."
    for n in range(1, 120)
)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """One running site."""
    with Site() as running:
        yield running


@pytest.fixture(scope="module")
def alice(site: Site) -> Iterator[httpx.Client]:
    """A client with Alice's key."""
    with site.client(site.key()) as client:
        yield client


def send(client: httpx.Client, name: str, text: str) -> str:
    """Upload a file; returns the document's id."""
    answer = client.post("/api/documents/upload", files={"file": (name, text.encode(), "text/markdown")})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["files"][0]["document_id"])


def status(client: httpx.Client, document: str) -> str:
    """How far the reading of a document has come; empty while nobody answers."""
    try:
        return str(client.get(f"/api/documents/{document}").json()["status"])
    except (httpx.TransportError, KeyError, ValueError):
        return ""


def skills_of(client: httpx.Client, document: str) -> list[str]:
    """Ids of the skills that a document became."""
    return list(client.get(f"/api/documents/{document}").json()["skill_ids"])


def test_a_worker_killed_at_work(site: Site, alice: httpx.Client) -> None:
    """kill -9 of worker and forks amid a document: its successor reads it again, once, at once."""
    document = send(alice, "valves.md", LONG)
    wait_for(lambda: status(alice, document) == "running")
    (worker,) = site.processes("worker")
    for process in [worker, *worker.children()]:
        process.kill()
    wait_for(lambda: status(alice, document) == "done", 90)
    assert len(skills_of(alice, document)) == 1


def test_everything_killed_at_work(site: Site, alice: httpx.Client) -> None:
    """kill -9 of every process of the site amid two documents: after a new start both are read."""
    documents = [
        send(alice, f"valves{n}.md", LONG.replace("red", colour))
        for n, colour in enumerate(["blue", "green"])
    ]
    wait_for(lambda: "running" in [status(alice, document) for document in documents])
    assert site.process is not None
    family = psutil.Process(site.process.pid).children(recursive=True)
    for process in [psutil.Process(site.process.pid), *family, site.postmaster()]:
        process.kill()
    site.process.wait()
    site.start()
    wait_for(lambda: [status(alice, document) for document in documents] == ["done", "done"], 120)
    assert [len(skills_of(alice, document)) for document in documents] == [1, 1]


@contextmanager
def redis() -> Iterator[str]:
    """A Redis server; its URL."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="Redis is not installed")
def test_tasks_go_through_redis() -> None:
    """With CELERY_BROKER_URL tasks take that way, and its queue is seen in the details."""
    with redis() as url, Site(CELERY_BROKER_URL=url) as site, site.client(site.key()) as alice:
        document = send(alice, "short.md", "# Short\n\nThe gate closes at nine.")
        wait_for(lambda: status(alice, document) == "done", 60)
        told = alice.get("/api/health/detail").json()
        assert told["queue"] == {"reachable": True, "waiting": 0, "oldest_seconds": None}
