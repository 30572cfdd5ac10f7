"""The people and the queue of the skills' tests."""

from __future__ import annotations

from tests.skills.conftest import _own_files, alice, bob, carol, dave, queue, write

__all__ = ["_own_files", "alice", "bob", "carol", "dave", "queue", "write"]
