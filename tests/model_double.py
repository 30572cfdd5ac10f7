"""A language model for tests: a real HTTP server that speaks the OpenAI wire format and can misbehave.

In a test, take the ``model_double`` fixture, queue replies, and point a provider at ``double.url``.
By hand or from ``bench/``: ``python -m tests.model_double --port 9000 --rate 20 --first-delay 0.5``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self

import pytest

from tests.model_replies import Reply, act_like_a_model, embed, packed, rate_limited

__all__ = ["KEY", "ModelDouble", "Reply", "rate_limited", "running"]

KEY = "sk-double-7f3a9c51e2"
PHRASES = {401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed", 429: "Too Many Requests"}


@dataclass
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelDouble:
    """The server. ``url`` is its base address, with ``/v1``; everything may be set while it runs.

    ``sent`` counts the pieces written for each completion so far, in the order in which they were
    asked for; ``left_early`` how many were closed by the client before their end.
    """

    def __init__(self, *, key: str | None = KEY, port: int = 0) -> None:
        self.key = key
        self.port = port
        self.root = "/v1"
        self.models = ["double-chat", "double-embed"]
        self.dimension = 8
        self.refuses_tools = False
        self.refuses_system = False
        self.default: Callable[[dict[str, Any]], Reply] = act_like_a_model
        self.requests: list[Request] = []
        self.sent: list[int] = []
        self.left_early = 0
        self._queue: deque[Reply] = deque()
        self._embedding_queue: deque[Reply | None] = deque()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-double", daemon=True)

    # ── What a test says ─────────────────────────────────────────────────────────────────────

    @property
    def url(self) -> str:
        """The base address a provider is given."""
        return f"http://127.0.0.1:{self.port}{self.root}"

    def queue(self, *replies: Reply | str) -> Self:
        """Answer the next completions with these, in order."""
        self._queue.extend(Reply(text=r) if isinstance(r, str) else r for r in replies)
        return self

    def queue_embeddings(self, *replies: Reply | None) -> Self:
        """Faults for the next embedding requests, in order; None answers that one properly."""
        self._embedding_queue.extend(replies)
        return self

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the completions asked for so far."""
        return [r.body for r in self.requests if r.path.endswith("/chat/completions")]

    def wait_until_left(self, timeout: float = 3.0) -> bool:
        """Whether a client closed a completion before its end within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        while self.left_early == 0 and time.monotonic() < end:
            time.sleep(0.01)
        return self.left_early > 0

    # ── Running ──────────────────────────────────────────────────────────────────────────────

    def start(self) -> Self:
        """Listen on loopback; ``port`` 0 takes a free one."""
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024)
        server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(5)
        self.port = server.sockets[0].getsockname()[1]
        return self

    def stop(self) -> None:
        """Close every line and end the thread."""
        asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _cancel(self) -> None:
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(method, path.partition("?")[0], headers, json.loads(data) if data else {})
        self.requests.append(request)
        line = _Line(reader, writer)
        refusal = self._refusal(request)
        if refusal is not None:
            return await line.whole(refusal.status, {"error": {"message": refusal.error}}, refusal.headers)
        if request.path == f"{self.root}/models":
            return await line.whole(200, {"data": [{"id": m, "object": "model"} for m in self.models]})
        if request.path == f"{self.root}/embeddings":
            return await self._embed(line, request.body)
        return await self._complete(line, request.body)

    def _refusal(self, request: Request) -> Reply | None:
        wanted = {f"{self.root}/models": "GET"}
        wanted |= {f"{self.root}/{p}": "POST" for p in ("chat/completions", "embeddings")}
        if request.path not in wanted:
            return Reply(status=404, error=f"no such path: {request.path}")
        if request.method != wanted[request.path]:
            return Reply(status=405, error="method not allowed")
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            # Some providers echo the key they were given: what a person is shown must not.
            return Reply(
                status=401, error=f"Incorrect API key provided: {request.headers.get('authorization')}"
            )
        if "model" in request.body and request.body["model"] not in self.models:
            return Reply(status=404, error=f"The model {request.body['model']} does not exist")
        return None

    # ── Answers ──────────────────────────────────────────────────────────────────────────────

    def _next(self, body: dict[str, Any]) -> Reply:
        if self.refuses_tools and body.get("tools"):
            return Reply(status=400, error=f"{body['model']} does not support tools")
        if self.refuses_system and any(m["role"] == "system" for m in body["messages"]):
            return Reply(status=400, error="System role not supported")
        return self._queue.popleft() if self._queue else self.default(body)

    async def _complete(self, line: _Line, body: dict[str, Any]) -> bool:
        reply = self._next(body)
        call = len(self.sent)
        self.sent.append(0)
        async with line.watched():
            await line.sleep(math.inf if reply.hang else reply.first_delay)
            if reply.raw is not None:
                return await line.raw(reply.status, reply.raw)
            if reply.status != 200:
                return await line.whole(reply.status, {"error": {"message": reply.error}}, reply.headers)
            if not body.get("stream"):
                self.sent[call] = 1
                return await line.whole(200, _completion(body, reply))
            try:
                return await self._stream(line, body, reply, call)
            finally:
                self.left_early += line.gone.is_set()

    async def _stream(self, line: _Line, body: dict[str, Any], reply: Reply, call: int) -> bool:
        await line.start_chunks("text/event-stream")
        started = time.monotonic()
        deltas = [{"role": "assistant", "content": ""}, *reply.deltas()]
        for n, delta in enumerate(deltas):
            if n - 1 == reply.stall_after:
                await line.sleep(math.inf)
            if line.gone.is_set() or n - 1 == reply.cut_after:
                return False
            await line.event(_frame(body, delta))
            self.sent[call] = n
            if reply.rate and n:
                await line.sleep(started + n / reply.rate - time.monotonic())
        finish = "tool_calls" if reply.tool_calls else reply.finish
        await line.event(_frame(body, {}, finish))
        if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
            await line.event({**_frame(body, {}), "choices": [], "usage": _usage(body, len(deltas))})
        await line.end_chunks()
        return True

    async def _embed(self, line: _Line, body: dict[str, Any]) -> bool:
        fault = self._embedding_queue.popleft() if self._embedding_queue else None
        if fault is not None and fault.raw is not None:
            return await line.raw(fault.status, fault.raw)
        if fault is not None:
            return await line.whole(fault.status, {"error": {"message": fault.error}}, fault.headers)
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        vectors = [embed(text, self.dimension) for text in texts]
        as_base64 = body.get("encoding_format") == "base64"
        rows = [
            {"object": "embedding", "index": n, "embedding": packed(v) if as_base64 else v}
            for n, v in enumerate(vectors)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return await line.whole(200, {"object": "list", "data": rows, "model": body["model"], "usage": usage})


class _Line:
    """One HTTP/1.1 connection, written by hand so that it can be broken on purpose."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.gone = asyncio.Event()

    def watched(self) -> Any:
        """While inside, ``gone`` is set as soon as the client closes."""
        return _Watch(self)

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.gone.wait(), None if seconds == math.inf else seconds)

    async def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {PHRASES.get(status, 'OK')}"]
        lines += [f"{k}: {v}" for k, v in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        await self.writer.drain()

    async def raw(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> bool:
        kind = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        await self._head(status, {**kind, **(headers or {})})
        self.writer.write(data)
        await self.writer.drain()
        return True

    async def whole(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> bool:
        return await self.raw(status, json.dumps(body, ensure_ascii=True).encode(), headers)

    async def start_chunks(self, content_type: str) -> None:
        await self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})

    async def _chunk(self, data: bytes) -> None:
        self.writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await self.writer.drain()

    async def event(self, body: dict[str, Any]) -> None:
        await self._chunk(b"data: " + json.dumps(body).encode() + b"\n\n")

    async def end_chunks(self) -> None:
        await self._chunk(b"data: [DONE]\n\n")
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()


class _Watch:
    def __init__(self, line: _Line) -> None:
        self.line = line

    async def _look(self) -> None:
        if not await self.line.reader.read(1):
            self.line.gone.set()

    async def __aenter__(self) -> None:
        self.task = asyncio.ensure_future(self._look())

    async def __aexit__(self, *args: object) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError, ConnectionError):
            await self.task


def _usage(body: dict[str, Any], completion: int) -> dict[str, int]:
    prompt = sum(len(str(m.get("content") or "")) // 4 + 1 for m in body["messages"])
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _frame(body: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": body["model"], "choices": [choice]}


def _completion(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    finish = "tool_calls" if reply.tool_calls else reply.finish
    choice = {"index": 0, "message": reply.message(), "finish_reason": finish}
    usage = {"usage": _usage(body, len(reply.deltas()))} if reply.usage else {}
    return {"id": "c", "object": "chat.completion", "model": body["model"], "choices": [choice], **usage}


@contextmanager
def running(**options: Any) -> Iterator[ModelDouble]:
    """A double that listens while the block runs."""
    double = ModelDouble(**options).start()
    try:
        yield double
    finally:
        double.stop()


@pytest.fixture
def model_double() -> Iterator[ModelDouble]:
    """A model double of this test's own."""
    with running() as double:
        yield double


def main() -> None:
    """Serve until interrupted; any key is taken unless ``--key`` says which."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--key", default=None)
    parser.add_argument("--rate", type=float, default=0.0, help="pieces per second")
    parser.add_argument("--first-delay", type=float, default=0.0, help="seconds before the first piece")
    parser.add_argument("--dimension", type=int, default=384)
    options = parser.parse_args()

    def paced(body: dict[str, Any]) -> Reply:
        reply = act_like_a_model(body)
        reply.rate, reply.first_delay = options.rate, options.first_delay
        return reply

    with running(key=options.key, port=options.port) as double:
        double.dimension, double.default = options.dimension, paced
        print(double.url, flush=True)  # noqa: T201
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
