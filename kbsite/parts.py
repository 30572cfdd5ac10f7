"""One part of the running site: ``python -m kbsite.parts web|worker|beat``, as the supervisor starts it."""

from __future__ import annotations

import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable

import uvicorn
from celery.platforms import SecurityWarning
from django.conf import settings

from kbsite import embedded, lifeline
from kbsite.celery import app as queue

PARENT = "KB_PARENT"
SOCKET = "KB_SOCKET"


def web() -> None:
    """Serve pages and API on the socket inherited from the supervisor."""
    config = uvicorn.Config(
        "kbsite.asgi:application",
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        forwarded_allow_ips=settings.KB_TRUSTED_PROXIES,
        timeout_keep_alive=30,
        # Open event streams never end by themselves; a browser resumes them after the restart.
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(os.environ[SOCKET]))])


def worker() -> None:
    """Run tasks from the queue in forked processes."""
    # Celery warns of root because of pickle; our messages are JSON.
    warnings.simplefilter("ignore", SecurityWarning)
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    queue.worker_main(["--quiet", "worker", "--pool", "prefork", "--hostname", f"kb{os.getpid()}@%h", *alone])


def beat() -> None:
    """Send the scheduled tasks; what ran when is kept in ``KB_HOME/beat``."""
    state = settings.KB_HOME / "beat"
    state.mkdir(exist_ok=True)
    queue.start(["--quiet", "beat", "--schedule", str(state / "schedule"), "--pidfile="])


PARTS: dict[str, Callable[[], None]] = {"web": web, "worker": worker, "beat": beat}


def main() -> None:
    """Run the part that the command line names until it is told to stop."""
    # Until uvicorn or Celery listens for it: leave in order rather than drop dead.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    if parent := os.environ.get(PARENT):
        lifeline.end_with(int(parent), farewell=embedded.server().leave)
    PARTS[sys.argv[1]]()


if __name__ == "__main__":
    main()
