"""The embedded PostgreSQL: in ``KB_HOME/postgres``, reached by a unix socket only.

Every process that uses the server holds a shared lock on ``KB_HOME/postgres.users`` for as long
as it lives; the kernel drops it however the process ends. Whoever leaves last stops the server.
Starting, stopping and leaving happen under an exclusive lock on ``KB_HOME/postgres.lock``.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

from kbsite import postgres
from kbsite.start import can_write

log = logging.getLogger(__name__)


def home() -> Path:
    """The folder that holds all state (``KB_HOME``, default ``./var``), made if need be.

    Raises :class:`CannotStart` where it can't be made or written.
    """
    path = Path(os.environ.get("KB_HOME") or "var").resolve()
    can_write(path)
    can_write(path / "tmp")
    return path


class EmbeddedServer:
    """One data directory and the server on it, shared by all processes of one ``KB_HOME``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "postgres"
        self._presence: IO[str] | None = None
        self._process = 0

    @property
    def in_use(self) -> bool:
        """Whether this process holds its part of the server."""
        return self._presence is not None and self._process == os.getpid()

    def join(self) -> str:
        """Make sure the server runs, keep it running while this process lives; returns its URL.

        Raises :class:`CannotStart` with a sentence for people when it can't be started.
        """
        with self._exclusive():
            newcomer = not self.in_use
            if newcomer:
                self._presence = self._open("postgres.users")
                fcntl.flock(self._presence, fcntl.LOCK_SH)
                self._process = os.getpid()
            try:
                url = self._ensure_running()
            except BaseException:
                if newcomer:
                    self._drop()
                raise
            if newcomer:
                atexit.register(self.leave)
            return url

    def revive(self) -> None:
        """Start the server again if it died. Raises :class:`CannotStart` when it can't be started."""
        with self._exclusive():
            self._ensure_running()

    def is_running(self) -> bool:
        """Whether the server's process is there and says that it is ready."""
        found = postgres.running(self.data)
        return found is not None and found.ready

    def leave(self) -> None:
        """Give up this process's part; the last one out stops the server."""
        if not self.in_use:
            return
        atexit.unregister(self.leave)
        if not self.folder.exists():  # Removed under us; the server notices by itself.
            self._drop()
            return
        with self._exclusive():
            if self._presence is None:  # Another thread was quicker.
                return
            fcntl.flock(self._presence, fcntl.LOCK_UN)
            try:
                fcntl.flock(self._presence, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass  # Others still use it.
            else:
                postgres.stop(self.data)
            self._drop()

    def _drop(self) -> None:
        if self._presence is not None:
            self._presence.close()
            self._presence = None

    def _open(self, name: str) -> IO[str]:
        try:
            return (self.folder / name).open("a")
        except PermissionError as error:
            raise postgres.not_ours(self.data) from error

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._open("postgres.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _ensure_running(self) -> str:
        found = postgres.running(self.data)
        if found is None:
            if not (self.data / "PG_VERSION").exists():
                postgres.create(self.data)
            found = postgres.start(self.data)
        elif not found.ready:
            found = postgres.wait_until_ready(self.data)
        return f"postgresql://postgres@/postgres?host={quote(str(found.socket_folder))}"


_servers: dict[Path, EmbeddedServer] = {}


def server() -> EmbeddedServer:
    """The server of this process's ``KB_HOME``; made on first use, not yet started."""
    return _servers.setdefault(home(), EmbeddedServer(home()))


def ensure_database_url() -> str:
    """Set and return ``DATABASE_URL``, starting the embedded server when none is set."""
    if not os.environ.get("DATABASE_URL"):
        os.environ["DATABASE_URL"] = server().join()
    return os.environ["DATABASE_URL"]
