"""What happened to documents, for apps further along the flow.

Each is sent inside the transaction that makes the change, with ``document`` and ``user``:
``document_deleted`` when it went to the trash, ``document_restored`` when it came back,
``document_moved`` when its folder changed. ``folder_emptying`` is sent with ``folder_ids``
before those folders go; receivers return how many of their things become unfiled.
``contents_moved`` is sent with ``folder`` and ``target`` (a folder or None) when all that lies in
one folder goes to another; receivers move their things and return how many that were.
"""

from __future__ import annotations

from django.dispatch import Signal

document_deleted = Signal()
document_restored = Signal()
document_moved = Signal()
folder_emptying = Signal()
contents_moved = Signal()
