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

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "SYSTEMROOT")
GRACE_SECONDS = 5.0


def read_alone(parser: str, data: bytes, password: str | None, limits: Limits) -> ParsedDocument:
    """What the module ``parser`` makes of ``data``, in a child with a time and a memory limit.

    Raises UnreadableFile: the parser's own, or timeout, too_large (memory) and damaged (crash).
    """
    order = {"parser": parser, "password": password, "limits": asdict(limits)}
    child = subprocess.Popen(
        [sys.executable, "-m", "documents.parsers.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={name: os.environ[name] for name in KEPT if name in os.environ},
    )
    with child:
        try:
            # In two pieces, so that a large file is not copied to stand behind its order.
            _write(child, json.dumps(order).encode() + b"\n")
            answer, said = child.communicate(data, timeout=limits.seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise unreadable("timeout", seconds=round(limits.seconds)) from error
        finally:
            child.kill()
    return _answer(child.returncode, answer, said, limits)


def _write(child: subprocess.Popen[bytes], line: bytes) -> None:
    if child.stdin is not None:
        child.stdin.write(line)
        child.stdin.flush()


def _answer(exit_code: int, output: bytes, said: bytes, limits: Limits) -> ParsedDocument:
    if exit_code == -signal.SIGKILL:
        raise unreadable("too_much_memory", limit=limits.memory_mb)
    if exit_code == -signal.SIGXCPU:
        raise unreadable("timeout", seconds=round(limits.seconds))
    try:
        answer = json.loads(output)
    except ValueError as error:
        crash = unreadable("damaged")
        crash.add_note(f"exit {exit_code}: {said[-2000:].decode(errors='replace')}")
        raise crash from error
    if fault := answer.get("fault"):
        raise unreadable(fault, **answer["params"])
    return ParsedDocument(**answer["document"])
