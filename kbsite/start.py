"""Refusing to start, in one sentence that says what to do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEGABYTE = 1024 * 1024


class CannotStart(SystemExit):
    """Printed to the person who started the program in place of a traceback; the exit code is 1."""


def can_write(folder: Path) -> None:
    """Make ``folder`` if need be. Raises :class:`CannotStart` when it can't be made or written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(
            f"Skill-Know can't make its folder {folder} ({error.strerror}). "
            "Set KB_HOME to a folder that you may write."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotStart(
            f"Skill-Know may not write in {folder}. "
            "Give yourself the right to, or set KB_HOME to another folder."
        )


def has_room(folder: Path, needed_mb: int) -> None:
    """Raises :class:`CannotStart` when less than ``needed_mb`` megabytes are free under ``folder``."""
    free_mb = shutil.disk_usage(folder).free // MEGABYTE
    if free_mb < needed_mb:
        raise CannotStart(
            f"Only {free_mb} MB are free on the disk of {folder}; Skill-Know needs {needed_mb} MB. "
            "Free some space, or set KB_HOME to a folder on another disk."
        )
