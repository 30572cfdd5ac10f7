"""Rows from inside the answers' event loop, without keeping a connection of the pool between calls."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connections

_threads = ThreadPoolExecutor(8, thread_name_prefix="chat-rows")
_later = ThreadPoolExecutor(2, thread_name_prefix="chat-later")


async def in_rows[**P, T](function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args)`` in a thread that may use the ORM; its connection goes back to the pool."""
    return await _in(_threads, partial(function, *args, **kwargs))


async def in_background[**P, T](function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for what may take long: it never keeps :func:`in_rows` waiting."""
    return await _in(_later, partial(function, *args, **kwargs))


async def _in[T](threads: ThreadPoolExecutor, call: Callable[[], T]) -> T:
    within = partial(contextvars.copy_context().run, _and_hang_up, call)
    return await asyncio.get_running_loop().run_in_executor(threads, within)


def hang_up() -> None:
    """Give this thread's connections back to the pool, before it waits for something else."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _and_hang_up[T](call: Callable[[], T]) -> T:
    try:
        return call()
    finally:
        hang_up()
