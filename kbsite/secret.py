"""The site's secret: made once, kept in ``KB_HOME`` and nowhere else."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def secret_key(home: Path, name: str = "secret_key") -> str:
    """The site's secret key; makes ``home/secret_key`` (mode 600) on first use; ``name`` for another one.

    Safe when several processes ask at once: the first to create the file decides.
    """
    path = home / name
    draft = home / f"{name}.{os.getpid()}"
    if not path.exists():
        draft.write_text(secrets.token_urlsafe(50), encoding="ascii")
        draft.chmod(0o600)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
