"""What one running site holds of its machine: its folder, its port, and the children it notes down."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import http.client
import ipaddress
import json
import socket
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from kbsite.start import CannotStart

BACKLOG = 2048


class Home:
    """The claim on ``KB_HOME``: one supervisor at a time, and an end to what a killed one left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "serve.json"

    def __enter__(self) -> Self:
        self._lock = (self.folder / "serve.lock").open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            where = self._read().get("address", "")
            raise CannotStart(
                f"Skill-Know is running already on {self.folder}"
                + (f", at {where}" if where else "")
                + ". Use that one, or stop it first (Ctrl-C where it runs)."
            ) from error
        _end(self._read().get("children", []))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.notes.unlink(missing_ok=True)
        self._lock.close()

    def note(self, address: str, children: Sequence[int]) -> None:
        """Write down where the site answers and which processes (by id) belong to it."""
        born = []
        for pid in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                born.append([pid, psutil.Process(pid).create_time()])
        draft = self.notes.with_suffix(".new")
        draft.write_text(json.dumps({"address": address, "children": born}), encoding="utf-8")
        draft.replace(self.notes)

    def _read(self) -> dict[str, Any]:
        try:
            return dict(json.loads(self.notes.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return {}


def _end(children: Sequence[Sequence[float]]) -> None:
    """End the processes noted by a supervisor that was killed, with all their children."""
    family = []
    for pid, born in children:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(pid))
            if abs(process.create_time() - born) < 1:
                family += [process, *process.children(recursive=True)]
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(family, timeout=10)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, to be inherited by the web processes.

    Raises :class:`CannotStart` when the port is taken or not allowed, or the address not ours.
    """
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    link = socket.socket(family, socket.SOCK_STREAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        link.bind((bare, port))
        link.listen(BACKLOG)
    except OSError as error:
        link.close()
        raise CannotStart(_why_not(error, host, port)) from error
    link.set_inheritable(True)
    return link


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is taken by another program. "
            f"Stop that one, or choose another port: KB_PORT={port + 1} make serve"
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs more rights than you have. Choose one above 1023: KB_PORT=8000 make serve"
    return f"{host} is not an address of this machine ({error.strerror}). Set KB_BIND to one that is."


def answers(host: str, port: int) -> bool:
    """Whether the site's health page says that all is well."""
    bare = host.strip("[]")
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(bare).is_unspecified:
            bare = "::1" if ":" in bare else "127.0.0.1"
    link = http.client.HTTPConnection(bare, port, timeout=30)
    try:
        link.request("GET", "/api/health", headers={"Host": "localhost"})
        return link.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        link.close()
