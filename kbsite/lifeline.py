"""A process that ends when the one that started it is gone, however that ended.

``PR_SET_PDEATHSIG`` is Linux only and dies with the starting thread; asking for the parent's
id once a second works everywhere.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from functools import partial

LOOK_SECONDS = 1.0
GRACE_SECONDS = 4.0


def end_with(parent: int, farewell: Callable[[], None]) -> None:
    """End this process, and all of its process group, when process ``parent`` no longer is its parent.

    It is asked first (SIGTERM); four seconds later ``farewell`` is called and it is killed.
    """
    _watch(parent, partial(_leave_in_order, farewell))


def die_with(parent: int) -> None:
    """End this process at once when process ``parent`` no longer is its parent."""
    _watch(parent, _leave_at_once)


def _watch(parent: int, leave: Callable[[], None]) -> None:
    threading.Thread(target=_look, args=(parent, leave), name="kb-lifeline", daemon=True).start()


def _look(parent: int, leave: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    leave()


def _leave_in_order(farewell: Callable[[], None]) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    farewell()
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    _leave_at_once()


def _leave_at_once() -> None:
    os._exit(1)
