"""Making and changing skills: the one way in for page, API, admin and agent."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from documents import folders
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, LostUpdate, NotAllowed, NotFound
from skills import heart, moves, revisions
from skills.fields import clean
from skills.models import Revision, Skill
from skills.signals import skill_written
from skills.slugs import free_slug

INDEXED = frozenset({"name", "description", "abstract", "overview", "content", "tags", "trigger_keywords"})
LAYERS = frozenset({"abstract", "overview"})


def locked(skill_id: uuid.UUID, user: User) -> Skill:
    """The skill, held until the transaction ends. Raises NotFound, NotAllowed for a system skill."""
    skill = Skill.objects.visible_to(user).held().filter(pk=skill_id).first()
    if skill is None:
        raise NotFound(_("There is no such skill, or you may not see it."))
    if not skill.is_editable:
        raise NotAllowed(_("System skills can be read, not changed."), code="system_skill")
    return skill


@transaction.atomic
def create_skill(
    user: User,
    *,
    name: str,
    content: str,
    folder_id: uuid.UUID | None = None,
    id: uuid.UUID | None = None,
    **more: Any,
) -> Skill:
    """A USER skill, queued for layers and index. ``more``: any other of ``fields.CLEANERS``.

    With an ``id`` that exists already, made by the same person, that skill is returned: a form
    sent twice makes one thing. Raises NotAllowed, NotFound (folder), InvalidInput, Conflict
    (somebody else's id).
    """
    require(user, "edit")
    if id and (made := _made_already(id, user)):
        return made
    values = clean({"name": name, "content": content, **more})
    folder = folders.find(folder_id or user.narrowed_to, user)
    skill = Skill(
        slug=free_slug(values["name"]),
        type=Skill.Type.USER,
        folder=folder,
        placed_by_hand=True,
        author=user,
        **values,
        **({"id": id} if id else {}),
    )
    skill.layers_by_hand = bool(skill.abstract and skill.overview)
    skill.layers_stale = not skill.layers_by_hand
    heart.make_due(skill)
    skill.save(force_insert=True)
    revisions.record(skill, user, gettext_noop("Written"))
    skill_written.send(Skill, skill=skill, user=user, what="written", was={})
    audit.record(user, "skill.created", skill.uri, name=skill.name)
    heart.send(skill.pk)
    return skill


def _made_already(skill_id: uuid.UUID, user: User) -> Skill | None:
    """The skill that ``user`` made with that id; nobody else makes one until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"skill {skill_id}"])
    made = Skill.objects.filter(pk=skill_id).first()
    if made is not None and made.author_id != user.pk:
        raise Conflict(_("Something else has this id. Leave it out and one is made."))
    return made


@transaction.atomic
def update_skill(
    skill_id: uuid.UUID, user: User, *, expected: int | None = None, reason: str = "", **changes: Any
) -> Skill:
    """Change the given fields (see ``fields.CLEANERS``; ``folder_id`` too) and index again.

    ``expected`` is the version the person started from. The status stays, and what is found stays
    the old text until the new index is ready. Nothing changed: nothing is recorded. Raises
    NotAllowed, NotFound, InvalidInput, LostUpdate (``current``: the version now).
    """
    require(user, "edit")
    moved = "folder_id" in changes
    target = folders.find(changes.pop("folder_id", None) or user.narrowed_to, user) if moved else None
    values = clean(changes)
    skill = locked(skill_id, user)
    _refuse_stale(skill, expected)
    was = _change(skill, values)
    if was:
        _note_layers(skill, set(was))
        _commit(skill, user, was, reason or _reason(set(was)))
    if moved and skill.folder_id != (target.pk if target else None):
        moves.put([skill.pk], target, user)
        skill.folder, skill.placed_by_hand = target, True
    return skill


def _refuse_stale(skill: Skill, expected: int | None) -> None:
    if expected is not None and expected != skill.version:
        raise LostUpdate(_("Somebody saved this skill while you were editing it."), current=skill.version)


def _change(skill: Skill, values: dict[str, Any]) -> dict[str, Any]:
    """Set what differs; returns the former values of those fields."""
    was = {name: getattr(skill, name) for name, value in values.items() if getattr(skill, name) != value}
    for name in was:
        setattr(skill, name, values[name])
    return was


def _note_layers(skill: Skill, changed: set[str]) -> None:
    if changed & LAYERS:
        skill.layers_by_hand, skill.layers_stale = True, not (skill.abstract and skill.overview)
    elif "content" in changed and not skill.layers_by_hand:
        skill.layers_stale = True


def put_back(skill: Skill, user: User | None, values: dict[str, Any], reason: str) -> None:
    """Set ``values`` of a skill that the caller holds: what follows from another change, so nobody's
    rights are asked. A revision, and a new index.
    """
    was = _change(skill, values)
    if was:
        _note_layers(skill, set(was))
        _commit(skill, user, was, reason)


def _commit(skill: Skill, user: User | None, was: dict[str, Any], reason: str, what: str = "changed") -> None:
    skill.version += 1
    skill.updated_at = timezone.now()
    if was.keys() & INDEXED:
        heart.make_due(skill)
        heart.send(skill.pk)
    skill.save()
    revisions.record(skill, user, reason)
    audit.record(user, "skill.changed", skill.uri, fields=sorted(was))
    skill_written.send(Skill, skill=skill, user=user, what=what, was=was)


def _reason(changed: set[str]) -> str:
    if "content" in changed:
        return gettext_noop("Content changed")
    if changed & LAYERS:
        return gettext_noop("Abstract or overview rewritten")
    if "name" in changed:
        return gettext_noop("Renamed")
    return gettext_noop("Details changed")


def append_content(
    skill_id: uuid.UUID, user: User, content: str, *, expected: int | None = None, reason: str = ""
) -> Skill:
    """Add ``content`` below what is there, a blank line between. Raises as :func:`update_skill`."""
    added = clean({"content": content})["content"].strip("\n")
    with transaction.atomic():
        require(user, "edit")
        skill = locked(skill_id, user)
        together = f"{skill.content.rstrip()}\n\n{added}\n"
        reason = reason or gettext_noop("Added to")
        return update_skill(skill_id, user, expected=expected, reason=reason, content=together)


@transaction.atomic
def rewrite_layers(skill_id: uuid.UUID, user: User) -> Skill:
    """Have the abstract and overview made again from the content, also those written by hand."""
    require(user, "edit")
    skill = locked(skill_id, user)
    skill.layers_stale, skill.layers_by_hand = True, False
    skill.version += 1
    heart.make_due(skill)
    skill.save(update_fields=["layers_stale", "layers_by_hand", "version", *heart.HEART_FIELDS])
    heart.send(skill.pk)
    return skill


@transaction.atomic
def restore_revision(skill_id: uuid.UUID, user: User, number: int, *, expected: int | None = None) -> Skill:
    """Make the skill what it was at revision ``number``, as a new one. Raises as :func:`update_skill`."""
    require(user, "edit")
    skill = locked(skill_id, user)
    _refuse_stale(skill, expected)
    revision = Revision.objects.filter(skill=skill, number=number).first()
    if revision is None:
        raise NotFound(_("There is no such revision."))
    kept = {name: value for name, value in revisions.whole(revision).items() if name in revisions.KEPT}
    was = _change(skill, kept)
    if was:
        skill.layers_stale = bool(revision.snapshot.get("layers_due"))
        _commit(skill, user, was, Revision.RESTORED % {"n": number}, "restored")
    return skill
