"""Translations: compiles ``locale/*/LC_MESSAGES/*.po`` where the compiled file is missing or older."""

from __future__ import annotations

import os
from pathlib import Path

import polib

LOCALES = Path(__file__).resolve().parent.parent / "locale"


def compile_all(folder: Path = LOCALES) -> list[Path]:
    """Compile what needs it; returns the files written, none when all are fresh.

    Needs no GNU gettext. Safe when several processes do it at once.
    """
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        draft = target.with_suffix(f".{os.getpid()}")
        polib.pofile(str(source)).save_as_mofile(str(draft))
        draft.replace(target)
        written.append(target)
    return written


if __name__ == "__main__":
    compile_all()
