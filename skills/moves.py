"""Moving skills between folders: touches no vector, relation, revision, address or score."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import folders
from documents.models import Document, Folder
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, NotAllowed, NotFound
from skills.models import Move, Skill
from skills.signals import skills_moved

NAMED = 20  # The audit trail names this many ids; all of them are in the move.

type Whereabouts = dict[uuid.UUID | None, list[uuid.UUID]]

PUT_BACK = """
UPDATE skills_skill s SET folder_id = lay.folder, placed_by_hand = NOT (s.id = ANY(%s::uuid[]))
FROM (
    SELECT nullif(f.key, '')::uuid AS folder, i.value::uuid AS id
    FROM jsonb_each(%s::jsonb) f, jsonb_array_elements_text(f.value) i
) lay
WHERE s.id = lay.id
"""
MOVED_SINCE = """
SELECT DISTINCT i.value::uuid FROM skills_move m, jsonb_each(m.before) f, jsonb_array_elements_text(f.value) i
WHERE m.at > %s AND m.undone_at IS NULL AND m.id <> %s
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """How many skills went to another folder, and what :func:`undo` takes; None where none did."""

    count: int
    move_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """How many things are where they were, and how many stay: moved since, or their folder is gone."""

    count: int
    stayed: int = 0


def move_skill(skill_id: uuid.UUID, user: User, folder_id: uuid.UUID | None) -> Moved:
    """Put one skill in a folder (None: unfiled). Raises as :func:`move_skills`."""
    return move_skills([skill_id], user, folder_id)


@transaction.atomic
def move_skills(skill_ids: Iterable[uuid.UUID], user: User, folder_id: uuid.UUID | None) -> Moved:
    """Put skills in a folder (None: unfiled) in one statement.

    Touches no vector, relation, revision or score. Raises NotAllowed (a system skill among them),
    NotFound (folder or skill).
    """
    require(user, "edit")
    ids = set(skill_ids)
    folder = folders.find(folder_id or user.narrowed_to, user)
    types = list(Skill.objects.visible_to(user).filter(pk__in=ids).values_list("type", flat=True))
    if len(types) < len(ids):
        raise NotFound(_("There is no such skill, or you may not see it."))
    if Skill.Type.SYSTEM in types:
        raise NotAllowed(_("System skills are never moved."), code="system_skill")
    return put(ids, folder, user)


@transaction.atomic
def put(ids: Iterable[uuid.UUID], folder: Folder | None, user: User) -> Moved:
    """Move skills that ``user`` may move, without asking again; those that lie there already stay."""
    target_id = folder.pk if folder else None
    held = Skill.objects.filter(pk__in=list(ids)).held()
    before: Whereabouts = defaultdict(list)
    followed, all_ids = [], []
    for skill_id, folder_id, by_hand in held.values_list("pk", "folder_id", "placed_by_hand"):
        all_ids.append(skill_id)
        if folder_id != target_id:
            before[folder_id].append(skill_id)
            followed += [] if by_hand else [skill_id]
    Skill.objects.filter(pk__in=all_ids).update(folder=folder, placed_by_hand=True)
    return keep(before, folder, user, followed=followed)


def keep(
    before: Whereabouts,
    target: Folder | None,
    user: User,
    *,
    followed: Iterable[uuid.UUID] = (),
    documents: Whereabouts | None = None,
) -> Moved:
    """Remember a move that was made, so that it can be undone, and tell whoever follows skills."""
    ids = [skill_id for lying in before.values() for skill_id in lying]
    if not ids and not documents:
        return Moved(0)
    move = Move.objects.create(
        user=user,
        target=target,
        before=_as_json(before),
        documents=_as_json(documents or {}),
        followed=list(followed),
    )
    _note("skill.moved", move, user, ids)
    skills_moved.send(Skill, before=dict(before), target=target, user=user)
    return Moved(len(ids), move.pk)


@transaction.atomic
def undo(move_id: uuid.UUID, user: User) -> Undone:
    """Put back what that move moved, but for what was moved again since, or whose folder is gone.

    Raises NotAllowed, NotFound (not one of ``user``'s own), Conflict (undone already).
    """
    require(user, "edit")
    folders.keep_the_tree()
    move = Move.objects.select_for_update().select_related(None).filter(pk=move_id, user=user).first()
    if move is None:
        raise NotFound(_("There is no such move of yours."))
    if move.undone_at is not None:
        raise Conflict(_("This move was undone already."), code="undone")
    folders.hold_documents(i for lying in move.documents.values() for i in lying)  # before the skills
    skills = _still_there(move, user)
    with connection.cursor() as cursor:
        cursor.execute(PUT_BACK, [move.followed, _json(skills)])
    documents = _put_documents_back(move, user)
    move.undone_at = timezone.now()
    move.save(update_fields=["undone_at"])
    ids = [skill_id for lying in skills.values() for skill_id in lying]
    _note("skill.move_undone", move, user, ids)
    _tell(skills, move, user)
    asked = sum(len(lying) for kind in (move.before, move.documents) for lying in kind.values())
    return Undone(len(ids) + documents, asked - len(ids) - documents)


def whereabouts(ids: Iterable[uuid.UUID]) -> Whereabouts:
    """The folders these skills are in, None for unfiled, each with those that lie there."""
    found: Whereabouts = defaultdict(list)
    for skill_id, folder_id in Skill.objects.filter(pk__in=list(ids)).values_list("pk", "folder_id"):
        found[folder_id].append(skill_id)
    return dict(found)


def _still_there(move: Move, user: User) -> Whereabouts:
    """What ``move`` moved and nobody has moved since, by the folder it goes back to."""
    before = _open_folders(move.before, user)
    ids = [skill_id for lying in before.values() for skill_id in lying]
    there = Skill.objects.visible_to(user).filter(pk__in=ids, folder=move.target)
    held = set(there.held().values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(MOVED_SINCE, [move.at, move.pk])
        held -= {row[0] for row in cursor.fetchall()}
    return {folder: kept for folder, lying in before.items() if (kept := [i for i in lying if i in held])}


def _put_documents_back(move: Move, user: User) -> int:
    back = 0
    for folder, ids in _open_folders(move.documents, user).items():
        there = Document.objects.visible_to(user).filter(pk__in=ids, folder=move.target)
        back += there.update(folder_id=folder, updated_at=timezone.now())
    return back


def _open_folders(before: dict[str, list[str]], user: User) -> Whereabouts:
    """``before`` without the folders that are gone or closed to ``user``."""
    wanted = {uuid.UUID(folder) for folder in before if folder}
    there = set(Folder.objects.visible_to(user).filter(pk__in=wanted).values_list("pk", flat=True))
    found: Whereabouts = {}
    for folder, ids in before.items():
        folder_id = uuid.UUID(folder) if folder else None
        if folder_id in there or (folder_id is None and user.narrowed_to is None):
            found[folder_id] = [uuid.UUID(skill_id) for skill_id in ids]
    return found


def _tell(skills: Whereabouts, move: Move, user: User) -> None:
    into = Folder.objects.in_bulk([folder for folder in skills if folder])
    for folder_id, ids in skills.items():
        target = into.get(folder_id) if folder_id else None
        skills_moved.send(Skill, before={move.target_id: ids}, target=target, user=user)


def _note(action: str, move: Move, user: User, ids: list[uuid.UUID]) -> None:
    name = move.target.name if move.target else ""
    folder = str(move.target_id) if move.target_id else None
    some = [str(skill_id) for skill_id in ids[:NAMED]]
    audit.record(user, action, name, count=len(ids), move=str(move.pk), folder=folder, ids=some)


def _as_json(before: Whereabouts) -> dict[str, list[str]]:
    return {str(folder or ""): [str(skill_id) for skill_id in ids] for folder, ids in before.items()}


def _json(before: Whereabouts) -> str:
    return json.dumps(_as_json(before))
