"""A parser in a process of its own: whatever it does, the worker lives on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from documents.faults import unreadable
from documents.parsers.document import Limits, ParsedDocument
from kbsite.exceptions import UnreadableFile

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "SYSTEMROOT")
GRACE_SECONDS = 5.0


def read_alone(parser: str, data: bytes, password: str | None, limits: Limits) -> ParsedDocument:
    """What the module ``parser`` makes of ``data``, in a child with a time and a memory limit.

    Raises UnreadableFile: the parser's own, or timeout, too_large (memory) and damaged (crash).
    """
    order = {"parser": parser, "password": password, "limits": asdict(limits)}
    message = json.dumps(order).encode() + b"\n" + data
    try:
        child = subprocess.run(
            [sys.executable, "-m", "documents.parsers.child"],
            input=message,
            capture_output=True,
            cwd=ROOT,
            env={name: os.environ[name] for name in KEPT if name in os.environ},
            timeout=limits.seconds + GRACE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise unreadable("timeout", seconds=round(limits.seconds)) from error
    return _answer(child, limits)


def _answer(child: subprocess.CompletedProcess[bytes], limits: Limits) -> ParsedDocument:
    if child.returncode == -signal.SIGKILL:
        raise unreadable("too_much_memory", limit=limits.memory_mb)
    if child.returncode == -signal.SIGXCPU:
        raise unreadable("timeout", seconds=round(limits.seconds))
    try:
        answer = json.loads(child.stdout)
    except ValueError as error:
        raise _crash(child) from error
    if fault := answer.get("fault"):
        raise unreadable(fault, **answer["params"])
    return ParsedDocument(**answer["document"])


def _crash(child: subprocess.CompletedProcess[bytes]) -> UnreadableFile:
    crash = unreadable("damaged")
    crash.add_note(f"exit {child.returncode}: {child.stderr[-2000:].decode(errors='replace')}")
    return crash
