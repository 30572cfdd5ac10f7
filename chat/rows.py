"""Rows from inside the answers' event loop, without keeping a connection of the pool between calls."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connections

THREADS = 8
_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="chat-rows")


async def in_rows[**P, T](function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args)`` in a thread that may use the ORM; its connection goes back to the pool."""
    call = partial(contextvars.copy_context().run, _and_hang_up, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_threads, call)


def _and_hang_up[T](call: Callable[[], T]) -> T:
    try:
        return call()
    finally:
        connections.close_all()
