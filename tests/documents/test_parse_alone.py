"""Whatever a parser does in its process, the worker gets an answer in time."""

from __future__ import annotations

import time

import pytest

from documents.parsers import alone
from documents.parsers.alone import read_alone
from documents.parsers.document import Limits
from kbsite.exceptions import UnreadableFile

LIMITS = Limits(seconds=2, memory_mb=400)
NAUGHTY = "tests.documents.naughty"


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (b"crash", "damaged"),
        (b"exit", "damaged"),
        (b"trip", "damaged"),
        (b"eat", "too_large"),
        (b"hang", "timeout"),
        (b"spin", "timeout"),
    ],
)
def test_it_becomes_a_reason(what: bytes, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "GRACE_SECONDS", 1)
    began = time.monotonic()
    with pytest.raises(UnreadableFile) as refused:
        read_alone(NAUGHTY, what, None, LIMITS)
    assert refused.value.code == code
    assert time.monotonic() - began < 10


def test_what_native_code_prints_does_not_spoil_the_answer() -> None:
    document = read_alone(NAUGHTY, b"chatter", "pass 密", LIMITS)
    assert document.markdown == "said chatter pass 密"
    assert document.warnings == [{"code": "x", "n": 1}]
