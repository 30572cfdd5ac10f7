"""The real site in a process of its own, as ``make serve`` starts it, for tests and benches."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import psutil

ROOT = Path(__file__).resolve().parent.parent
ADMIN = "alice@example.com"
PASSWORD = "correct horse battery"
READY_SECONDS = 90.0
STOP_SECONDS = 15.0


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, port: int, **more: str) -> dict[str, str]:
    """What a fresh shell would give ``make serve``, plus ``more``."""
    ours = ("KB_", "DJANGO_", "CELERY_", "DATABASE_URL")
    shared = "KB_MODELS"  # Built once on a machine, not once a site.
    clean = {name: value for name, value in os.environ.items() if name == shared or not name.startswith(ours)}
    return clean | {"KB_HOME": str(home), "KB_PORT": str(port)} | more


PREPARE = (
    "from kbsite import embedded; embedded.ensure_database_url(); import django; django.setup(); "
    "from kbsite.prepare import prepare; prepare()"
)
"""What a start does to a ``KB_HOME`` before it serves."""


@functools.cache
def _prepared_home() -> Path:
    """A ``KB_HOME`` as a first start leaves it, made once a run: new sites begin as copies of it."""
    home = Path(tempfile.mkdtemp(prefix="kb-prepared-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    settings = environment(home, 0, DJANGO_SETTINGS_MODULE="kbsite.settings")
    subprocess.run([sys.executable, "-c", PREPARE], cwd=ROOT, env=settings, check=True, capture_output=True)
    return home


def wait_for[T](what: Callable[[], T], seconds: float = 30.0, every: float = 0.1) -> T:
    """The first true value that ``what`` returns; raises TimeoutError after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (value := what()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(every)
    return value


def still_running(processes: Sequence[psutil.Process], seconds: float = 1.0) -> list[psutil.Process]:
    """Those of ``processes`` that have not ended after ``seconds``.

    One that has ended and waits for init to take note of it has ended.
    """
    _gone, left = psutil.wait_procs(processes, timeout=seconds)
    found = []
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


class Site:
    """``manage.py serve`` on a free port with a ``KB_HOME`` of its own; a context manager.

    ``admin=True`` makes Alice through the environment; otherwise the site waits for its first
    visit. Give ``home`` to start again on what an earlier one left; without it the folder is new and
    goes away at the end.
    """

    def __init__(self, home: Path | None = None, *, admin: bool = True, **settings: str) -> None:
        self._own_home = home is None
        self.home = home or Path(tempfile.mkdtemp(prefix="kb-site-"))
        if home is None:
            shutil.copytree(_prepared_home(), self.home, dirs_exist_ok=True)
        self.port = int(settings.pop("KB_PORT", 0)) or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        who = {"KB_ADMIN_EMAIL": ADMIN, "KB_ADMIN_PASSWORD": PASSWORD} if admin else {}
        self.environment = environment(self.home, self.port, **who, **settings)
        self.log = self.home / "serve.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.ready_seconds = 0.0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._own_home:
            shutil.rmtree(self.home, ignore_errors=True)

    def start(self) -> Self:
        """Start the site and wait until it says that it is ready."""
        began = time.monotonic()
        said_before = len(self.output()) if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_for(lambda: "is ready at" in self.output()[said_before:] or self._ended(), READY_SECONDS, 0.05)
        self.ready_seconds = time.monotonic() - began
        if self.process.poll() is not None:
            raise AssertionError(f"The site ended at once:\n{self.output()[-4000:]}")
        return self

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Stop the site as Ctrl-C does; returns its exit code."""
        if self.process is None:
            return 0
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"The site did not stop:\n{self.output()[-4000:]}") from None

    def output(self) -> str:
        """Everything that the site has printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def setup_link(self) -> str:
        """The address of the first run that the console printed last."""
        found = re.findall(r"(http://\S+/setup/\?token=\S+)", self.output())
        return str(found[-1])

    def command(self, *arguments: str) -> str:
        """Run a management command on this site; returns what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    def key(self, email: str = ADMIN) -> str:
        """A fresh API key of that person."""
        return re.findall(r"sk-kb-\S+", self.command("create_api_key", email, "--name", "tests"))[0]

    def client(self, key: str = "") -> httpx.Client:
        """An HTTP client of this site, with an API key where one is given."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=20, trust_env=False)

    def processes(self, part: str) -> list[psutil.Process]:
        """The processes of a part (web, worker, beat), without the worker's forks."""
        if self.process is None:
            return []
        found = []
        for child in psutil.Process(self.process.pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):  # Ended meanwhile.
                if child.cmdline()[-1:] == [part]:
                    found.append(child)
        return found

    def postmaster(self) -> psutil.Process:
        """The embedded database's process."""
        lines = (self.home / "postgres" / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        return psutil.Process(int(lines[0]))

    def _ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None
