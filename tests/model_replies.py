"""What a model double says: scripted answers, faults, and what it says when nothing is scripted."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reply:
    """One scripted answer, or one scripted fault.

    ``pieces`` are the streamed deltas (by default ``text`` word by word, or letter by letter in
    Chinese); ``rate`` is pieces per second; ``cut_after`` closes the line after that many pieces
    and ``stall_after`` falls silent but stays; ``first_delay`` is in seconds; ``raw`` is sent as it
    stands; ``reasoning`` goes into ``reasoning_content``.
    """

    text: str = ""
    pieces: Sequence[str] | None = None
    reasoning: str = ""
    tool_calls: Sequence[tuple[str, dict[str, Any] | str]] = ()
    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    first_delay: float = 0.0
    rate: float = 0.0
    cut_after: int | None = None
    stall_after: int | None = None
    hang: bool = False
    raw: bytes | None = None
    usage: bool = True
    finish: str | None = "stop"

    def deltas(self) -> list[dict[str, Any]]:
        """What is streamed, in order."""
        words = re.findall(r"[^\x00-\x7f]|[^\S\n]*[!-~]+|\s+|.", self.text, re.S)
        pieces = self.pieces if self.pieces is not None else words
        thoughts = re.findall(r".{1,8}", self.reasoning, re.S)
        deltas: list[dict[str, Any]] = [{"reasoning_content": thought} for thought in thoughts]
        deltas += [{"content": piece} for piece in pieces]
        for index, (name, arguments) in enumerate(self.tool_calls):
            deltas += _call_deltas(index, name, arguments)
        return deltas

    def message(self) -> dict[str, Any]:
        """The whole message of an answer that is not streamed."""
        text = "".join(self.pieces) if self.pieces is not None else self.text
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = [
                {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": _json(a)}}
                for n, (name, a) in enumerate(self.tool_calls)
            ]
        return message


def rate_limited(seconds: int = 1) -> Reply:
    """429 with a Retry-After of that many seconds."""
    return Reply(status=429, error="Rate limit reached", headers={"Retry-After": str(seconds)})


def _json(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _call_deltas(index: int, name: str, arguments: dict[str, Any] | str) -> list[dict[str, Any]]:
    head = {
        "index": index,
        "id": f"call_{index}",
        "type": "function",
        "function": {"name": name, "arguments": ""},
    }
    tail = [{"index": index, "function": {"arguments": a}} for a in re.findall(r".{1,6}", _json(arguments))]
    return [{"tool_calls": [part]} for part in [head, *tail]]


def act_like_a_model(body: dict[str, Any]) -> Reply:
    """What is answered when nothing is queued: call the first tool once, then quote what it said."""
    messages = body.get("messages", [])
    last = messages[-1] if messages else {}
    said = str(last.get("content") or "")
    tools = body.get("tools") or []
    if tools and last.get("role") == "user":
        return Reply(tool_calls=[(tools[0]["function"]["name"], {"query": said})], finish="tool_calls")
    if last.get("role") == "tool":
        quote = re.split(r"(?<=[.。！？!?])\s*", said.split("\n", 2)[-1].strip())[0]
        return Reply(text=f"{quote} [1]")
    return Reply(text=f"You said: {said[:200]}")


def embed(text: str, dimension: int) -> list[float]:
    """A unit vector in which texts that share letter pairs are near; the same text, the same vector."""
    vector = [0.0] * dimension
    for pair in (text[n : n + 2] for n in range(max(1, len(text) - 1))):
        digest = hashlib.md5(pair.encode("utf-8", "replace"), usedforsecurity=False).digest()
        vector[int.from_bytes(digest[:4]) % dimension] += 1.0 if digest[4] % 2 else -1.0
    length = math.sqrt(sum(v * v for v in vector)) or 1.0
    return [v / length for v in vector] if any(vector) else [1.0] + [0.0] * (dimension - 1)


def packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
