"""News reaches every listener of a channel, on one connection, and the line mends itself."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from kbsite.notify import LOOK_AGAIN, notify, subscribe
from kbsite.sse import AWAKE, frame, kept_awake

pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def tell(channel: str, payload: str) -> None:
    notify(channel, payload)


@sync_to_async
def lines() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'kb-notify' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


@sync_to_async
def cut_the_line() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'kb-notify' AND datname = current_database()"
        )


async def heard(queue: asyncio.Queue[str]) -> str:
    return await asyncio.wait_for(queue.get(), timeout=10)


@pytest.mark.asyncio
async def test_every_listener_of_the_channel_hears_it_on_one_connection() -> None:
    async with subscribe("one") as first, subscribe("one") as second, subscribe("two") as other:
        await tell("one", "a b")
        assert await heard(first) == await heard(second) == "a b"
        assert other.empty()
        assert await lines() == 1
    await asyncio.sleep(0.1)
    assert await lines() == 0


@pytest.mark.asyncio
async def test_a_lost_line_is_made_again_and_says_to_look_again() -> None:
    async with subscribe("one") as queue:
        await cut_the_line()
        assert await heard(queue) == LOOK_AGAIN
        await tell("one", "after")
        assert await heard(queue) == "after"


def test_no_text_can_end_an_event() -> None:
    assert (
        frame("x", "a\n\nevent: y\rb", id=3)
        == b"id: 3\nevent: x\ndata: a\ndata: \ndata: event: y\ndata: b\n\n"
    )
    assert frame("x", {"n": "测"}) == 'event: x\ndata: {"n": "测"}\n\n'.encode()


@pytest.mark.asyncio
async def test_a_quiet_stream_is_kept_awake_and_closed() -> None:
    closed = False

    async def slow() -> object:
        nonlocal closed
        try:
            yield b"1"
            await asyncio.sleep(0.2)
            yield b"2"
            await asyncio.sleep(60)
        finally:
            closed = True

    got = []
    stream = kept_awake(slow(), seconds=0.05)
    async for piece in stream:
        got.append(piece)
        if piece == b"2":
            break
    await stream.aclose()
    assert got[0] == b"1" and AWAKE in got and got[-1] == b"2" and closed
