"""Web, worker and beat as children of one process: started, watched, restarted, stopped together.

The supervisor opens the listening socket and hands it to the web processes, so a taken port is
found before anything starts and requests wait, rather than fail, while a web process restarts.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType

from django.conf import settings
from django.db import connection

from kbsite import embedded, parts
from kbsite.prepare import prepare
from kbsite.quick_setup import token
from kbsite.serving import Home, answers, listen
from kbsite.start import CannotStart, has_room

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
STOP_SECONDS = 4.0
BEAT_LATER_SECONDS = 3.0
STEADY_SECONDS = 30.0
LONGEST_PAUSE_SECONDS = 30.0
HOPELESS_AFTER = 3


class Part:
    """One child process and its history."""

    def __init__(self, name: str, kind: str, fd: int | None) -> None:
        self.name = name
        self.kind = kind
        self.fd = fd
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        self.failures = 0
        self.due = 0.0

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process in a session of its own: Ctrl-C in the terminal reaches the supervisor only."""
        environment = os.environ | {
            "KB_HOME": str(settings.KB_HOME),
            "KB_PART": self.kind,
            parts.PARENT: str(os.getpid()),
            "PYTHONUNBUFFERED": "1",
            # On SIGTERM a worker gives its tasks two seconds, not for ever.
            "REMAP_SIGTERM": "SIGQUIT",
            "CELERY_SKIP_CHECKS": "1",
        }
        if self.fd is not None:
            environment[parts.SOCKET] = str(self.fd)
        if embedded.server().in_use:
            del environment["DATABASE_URL"]  # Each part joins the embedded server itself.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kbsite.parts", self.kind],
            cwd=settings.BASE_DIR,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[] if self.fd is None else [self.fd],
            start_new_session=True,
        )
        self.started = time.monotonic()

    def send(self, number: signal.Signals) -> None:
        """Send a signal; SIGKILL goes to the children of the process too."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if number is signal.SIGKILL:
                os.killpg(self.process.pid, number)
            elif self.alive:
                os.kill(self.process.pid, number)

    def note_end(self, now: float) -> None:
        """Plan the restart: at once, and with growing pauses when it keeps failing."""
        steady = now - self.started > STEADY_SECONDS
        self.failures = 1 if steady else self.failures + 1
        self.due = now + min(0.1 * 4 ** (self.failures - 1), LONGEST_PAUSE_SECONDS)


class Supervisor:
    """Runs the named parts until it is told to stop."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = kinds
        self.parts: list[Part] = []
        self.selector = selectors.DefaultSelector()
        self.stopping = 0
        self.ready = threading.Event()
        self.width = 6

    def run(self) -> None:
        """Prepare, start, watch and stop. Raises :class:`CannotStart` with a sentence for people."""
        with Home(settings.KB_HOME) as home:
            sockets = [listen(settings.KB_BIND, settings.KB_PORT)] if "web" in self.kinds else []
            has_room(settings.KB_HOME, settings.KB_MIN_FREE_MB)
            self._catch_signals()
            prepare()
            home.note(self._address(), [])
            self._plan(sockets)
            try:
                self._serve(home)
            finally:
                self._stop()

    def _plan(self, sockets: Sequence[socket.socket]) -> None:
        for kind in self.kinds:
            count = settings.KB_WEB_PROCESSES if kind == "web" else 1
            for number in range(count):
                name = kind if count == 1 else f"{kind}{number + 1}"
                fd = sockets[0].fileno() if kind == "web" else None
                self.parts.append(Part(name, kind, fd))
                if kind == "beat":  # Nobody waits for it: the pages come first.
                    self.parts[-1].due = time.monotonic() + BEAT_LATER_SECONDS
        self.sockets = sockets
        self.width = max(len(part.name) for part in self.parts)

    def _serve(self, home: Home) -> None:
        threading.Thread(target=self._announce, name="kb-announce", daemon=True).start()
        while not self.stopping:
            now = time.monotonic()
            for part in self.parts:
                if part.process is None and part.due <= now:
                    part.start()
                    self._read(part)
                    home.note(self._address(), [p.process.pid for p in self.parts if p.process])
            self._forward(LOOK_SECONDS)
            self._look_after_database()
            for part in self.parts:
                if part.process is not None and not part.alive and not self.stopping:
                    self._ended(part)

    def _ended(self, part: Part) -> None:
        process = part.process
        if process is None:
            return
        part.send(signal.SIGKILL)  # What it left behind.
        part.process = None
        part.note_end(time.monotonic())
        self._say(f"{part.name} ended ({_how(process.returncode)}); starting it again.")
        if part.failures >= HOPELESS_AFTER and not self.ready.is_set():
            raise CannotStart(f"Skill-Know did not start: {part.name} keeps ending. The lines above say why.")

    def _look_after_database(self) -> None:
        server = embedded.server()
        if server.in_use and not self.stopping and not server.is_running():
            self._say("The database ended; starting it again.")
            server.revive()

    def _announce(self) -> None:
        """Say when pages can be opened, with the link for the first run."""
        if "web" not in self.kinds:
            self.ready.set()
            self._say("Running: " + ", ".join(self.kinds) + ". Ctrl-C stops it.")
            return
        while not self.stopping and not answers(settings.KB_BIND, settings.KB_PORT):
            time.sleep(0.2)
        if self.stopping:
            return
        self.ready.set()
        self._say(f"Skill-Know is ready at {self._address()}")
        first_run = token.announce(self._address())
        connection.close()
        if first_run:
            self._say(first_run)
        self._say("Ctrl-C stops it.")

    def _address(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.KB_BIND, settings.KB_BIND)  # noqa: S104
        return settings.KB_URL or f"http://{host}:{settings.KB_PORT}"

    # ── Output ───────────────────────────────────────────────────────────────────────────────

    def _read(self, part: Part) -> None:
        if part.process is not None and part.process.stdout is not None:
            os.set_blocking(part.process.stdout.fileno(), False)
            self.selector.register(part.process.stdout, selectors.EVENT_READ, [part.name, b""])

    def _forward(self, timeout: float) -> None:
        """Pass on what the parts print, a whole line at a time, each with the part's name."""
        for key, _mask in self.selector.select(timeout):
            name, rest = key.data
            try:
                chunk = os.read(key.fd, 65536)
            except BlockingIOError:
                continue
            *lines, key.data[1] = (rest + chunk).split(b"\n")
            if not chunk:
                self.selector.unregister(key.fileobj)
                lines = [rest] if rest else []
            for line in lines:
                if line.strip() and not line.startswith(b"worker: "):  # Celery talks of Ctrl-C as its own.
                    self._say(line.decode("utf-8", "replace").rstrip(), name)

    def _say(self, line: str, name: str = "") -> None:
        with contextlib.suppress(BrokenPipeError):  # The terminal is gone: go on without it.
            sys.stdout.write(f"{name:{self.width}} │ {line}\n" if name else f"{line}\n")
            sys.stdout.flush()

    # ── Stopping ─────────────────────────────────────────────────────────────────────────────

    def _catch_signals(self) -> None:
        signal.signal(signal.SIGINT, self._asked_to_stop)
        signal.signal(signal.SIGTERM, self._asked_to_stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup wants it ignored.
            signal.signal(signal.SIGHUP, self._asked_to_stop)

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping += 1

    def _stop(self) -> None:
        """Stop beat, then the worker, then the web: nothing new, nothing half, then nothing at all."""
        self.stopping = self.stopping or 1
        asked = self.stopping
        self._say("Stopping …")
        for part in sorted(self.parts, key=lambda part: ("beat", "worker", "web").index(part.kind)):
            part.send(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while any(part.alive for part in self.parts) and time.monotonic() < deadline:
            self._forward(0.05)
            if self.stopping > asked:  # Asked again: at once.
                break
        for part in self.parts:
            part.send(signal.SIGKILL)
            if part.process is not None:
                part.process.wait()
        self._forward(0)


def _how(code: int) -> str:
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
