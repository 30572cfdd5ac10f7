"""What happened to skills, for what follows from it inside this app.

Each is sent inside the transaction that makes the change, with ``user`` (None: the machine).
``skill_written``: ``skill`` was saved; ``what`` is "written", "changed", "restored", "read" (from a
file) or "version"; ``was`` holds the former values of the fields that changed, empty for a new one.
``skills_moved``: ``before`` maps a folder's id, None for unfiled, to the ids of the skills that lay
there; ``target`` is the folder they are in now, or None.
``skills_trashed`` and ``skills_restored``: ``ids`` of skills that went to the trash or came back.
``skills_hidden``: ``ids`` of skills that search may not return any more: rejected, or merged away.
"""

from __future__ import annotations

from django.dispatch import Signal

skill_written = Signal()
skills_moved = Signal()
skills_trashed = Signal()
skills_restored = Signal()
skills_hidden = Signal()
