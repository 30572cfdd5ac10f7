"""Parsers that misbehave the way native code can."""

from __future__ import annotations

import os
import time

from documents.parsers.document import Limits, ParsedDocument


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """Does what ``data`` says."""
    if data == b"crash":
        os.abort()
    if data == b"exit":
        os._exit(3)
    if data == b"hang":
        time.sleep(60)
    if data == b"spin":
        while True:
            pass
    if data == b"eat":
        return ParsedDocument("x" * (limits.memory_mb * 2_000_000))
    if data == b"trip":
        raise ZeroDivisionError
    if data == b"chatter":
        os.write(1, b"printed by native code\n")
    return ParsedDocument(f"said {data.decode()} {password}", warnings=[{"code": "x", "n": 1}])
