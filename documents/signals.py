"""What happened to documents, for apps further along the flow.

Each is sent inside the transaction that makes the change, with ``document`` and ``user``:
``document_deleted`` when it went to the trash, ``document_restored`` when it came back,
``document_moved`` when its folder changed. ``document_purging`` comes with ``document`` alone, right
before it is deleted for good. ``folder_emptying`` is sent with ``folder_ids``
before those folders go, or to say what would; receivers return how many of their things become
unfiled. ``folders_going`` is sent with ``folder_ids`` and ``user`` right before they are deleted;
receivers return what of theirs shall come back with them, as JSON under a name of their own
(``{"skills": {folder id: [skill ids]}}``); ``folders_restored`` is sent with all of that as
``contents``, and ``user``, once the folders are there again.
``contents_moved`` is sent with ``folder``, ``target`` (a folder or None) and the ids of its ``documents``
when all that lies in one folder goes to another; receivers move their things and return how many that
were and the id of the move, if it can be undone.
"""

from __future__ import annotations

from django.dispatch import Signal

document_deleted = Signal()
document_restored = Signal()
document_moved = Signal()
folder_emptying = Signal()
document_purging = Signal()
folders_going = Signal()
folders_restored = Signal()
contents_moved = Signal()
