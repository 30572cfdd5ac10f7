"""The other end of :mod:`documents.parsers.alone`: reads an order and bytes, answers in JSON.

Run as ``python -m documents.parsers.child``. It has no settings, no database and no network use.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import traceback
from dataclasses import asdict
from importlib import import_module
from typing import Any

from documents.parsers.document import Limits
from kbsite.exceptions import UnreadableFile

MEGABYTE = 1_000_000


def main() -> None:
    """Answer one order. What native code prints goes to stderr, away from the answer."""
    faulthandler.enable()
    answer_to = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    order = json.loads(sys.stdin.buffer.readline())
    limits = Limits(**order["limits"])
    _limit(limits)
    answer = _answer(order["parser"], sys.stdin.buffer.read(), order["password"], limits)
    with answer_to:
        answer_to.write(json.dumps(answer, ensure_ascii=True).encode())
    # Native libraries may crash while they clean up; there is nothing to clean.
    os._exit(0)


def _limit(limits: Limits) -> None:
    memory = limits.memory_mb * MEGABYTE
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(limits.seconds))):
        hard = resource.getrlimit(kind)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(parser: str, data: bytes, password: str | None, limits: Limits) -> dict[str, Any]:
    try:
        document = import_module(parser).parse(data, password=password, limits=limits)
    except UnreadableFile as error:
        return {"fault": error.extra["fault"], "params": error.extra["params"]}
    except MemoryError:
        return {"fault": "too_much_memory", "params": {"limit": limits.memory_mb}}
    except Exception:  # noqa: BLE001 - the outer edge: whatever a parser trips over is a damaged file
        traceback.print_exc()
        return {"fault": "damaged", "params": {}}
    return {"document": asdict(document)}


if __name__ == "__main__":
    main()
