"""Knowledge, the quick door: short notes with tags. They are USER skills, written by the one path."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, F, Func, IntegerField, Q, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat, Left, Length, Lower, Replace
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, NotFound
from kbsite.sent import as_id
from skills import edit, heart, note, trash
from skills.fields import clean
from skills.models import Relation, Skill
from skills.querysets import SkillQuerySet

Mode = Literal["append", "replace"]
FIRST_LINES = 600  # characters of the text that a list shows some of
MOST_WORDS = 10
MOST_TAGS = 40
AT_ONCE = 50  # notes that one call hands to the workers
UNFINISHED = (Skill.Index.QUEUED, Skill.Index.RUNNING, Skill.Index.FAILED)
DECISIONS = {"approved": "CREATE", "checked": "CREATE", "rejected": "SKIP"}
_SCHEME = re.compile(r"^sk:/{1,2}(?:knowledge|skills)/")  # proxies make one slash of two
_NAMES = uuid.UUID("6f1c1f0e-5f4b-4d38-9d3e-9a5b3c0f7a11")


def notes(user: User) -> SkillQuerySet:
    """The notes ``user`` may see."""
    return Skill.objects.visible_to(user).filter(type=Skill.Type.USER)


def lean(found: SkillQuerySet) -> SkillQuerySet:
    """``found`` as lists need it: with ``first_lines`` in place of the texts, and the author."""
    first = found.annotate(first_lines=Left("content", FIRST_LINES)).select_related("author")
    return first.defer("content", "overview", "config")


def find(reference: str, user: User) -> Skill:
    """The note with that id, slug, ``sk://knowledge/…`` or ``sk://skills/…``. Raises NotFound."""
    name = _SCHEME.sub("", reference.strip())
    skill_id = as_id(name)
    wanted = Q(pk=skill_id) if skill_id else Q(slug=name)
    skill = notes(user).select_related("author").filter(wanted).first()
    if skill is None:
        raise NotFound(_("There is no such note, or you may not see it."))
    return skill


def id_for(user: User, key: str | None) -> uuid.UUID | None:
    """The id of the note that ``user`` makes under an idempotency key; None without a key."""
    return uuid.uuid5(_NAMES, f"{user.pk} {key}") if key else None


def add(
    user: User,
    text: str,
    *,
    title: str = "",
    tags: Iterable[str] = (),
    id: uuid.UUID | None = None,
    folder_id: uuid.UUID | None = None,
) -> Skill:
    """A new note from ``text`` as :func:`skills.note.understood` reads it, queued for its index.

    With an ``id`` that the same person has used already that note is returned. Raises NotAllowed,
    NotFound (the folder), InvalidInput, Conflict (somebody else's id).
    """
    require(user, "edit")
    if id and Skill.objects.filter(pk=id).exclude(author=user).exists():
        raise Conflict(_("Something else has this id. Leave it out and one is made."))
    made = note.understood(text, title=title, tags=tags)
    clean({"content": made.content})
    # A title that was typed is refused where it is too long; one that was guessed is cut.
    name = " ".join(title.split()) or made.title
    return edit.create_skill(
        user, name=name, content=made.content, tags=made.tags, id=id, folder_id=folder_id
    )


@transaction.atomic
def change(
    skill_id: uuid.UUID,
    user: User,
    text: str | None,
    *,
    mode: Mode = "append",
    title: str | None = None,
    tags: list[str] | None = None,
    expected: int | None = None,
) -> Skill:
    """Add ``text`` below a note, or put it in the place of what is there; one revision.

    Title and tags stay unless they are given or the text brings its own. Raises NotAllowed,
    NotFound, InvalidInput, LostUpdate.
    """
    require(user, "edit")
    skill = edit.locked(skill_id, user)
    changes: dict[str, Any] = {"name": title, "tags": tags}
    reason = ""
    if text is not None:
        own = note.understood(text, title=title or skill.name)
        changes["content"] = own.content
        if mode == "append":
            changes["content"], reason = _below(skill, own), gettext_noop("Added to")
            changes["tags"] = _together(skill.tags if tags is None else tags, own.tags)
        elif own.tags:
            changes["tags"] = _together(tags or [], own.tags)
    return edit.update_skill(skill.pk, user, expected=expected, reason=reason, **changes)


def _below(skill: Skill, own: note.Note) -> str:
    """The note's text with the new one below it; only tags were added: the text as it is."""
    if own.content:
        return f"{skill.content.rstrip()}\n\n{own.content}"
    return skill.content if own.tags else ""


def _together(tags: list[str], more: list[str]) -> list[str]:
    known = {tag.casefold() for tag in tags}
    return [*tags, *(tag for tag in more if tag.casefold() not in known)]


def delete(skill_id: uuid.UUID, user: User) -> None:
    """Put a note in the trash. Raises NotAllowed, NotFound."""
    trash.delete_skill(skill_id, user)


def as_markdown(skill: Skill) -> str:
    """The note as one text: title, tags, body."""
    return note.as_markdown(skill.name, skill.tags, skill.content)


def matching(found: SkillQuerySet, query: str) -> SkillQuerySet:
    """Those of ``found`` that hold a word of ``query``, counted literally in title, tags and text.

    Each has ``words``, how many of the words it holds, and ``times``, how often; it is in no order.
    """
    words = list(dict.fromkeys(query.lower().split()))[:MOST_WORDS]
    if not words:
        return found.none()
    text, line = TextField(), Value("\n")
    tags = Func(F("tags"), line, function="array_to_string", output_field=text)
    whole = Lower(Concat(Cast("name", text), line, tags, line, "content", output_field=text))
    found = found.alias(whole=whole)
    held: Combinable = Value(0)
    times: Combinable = Value(0)
    for word in words:
        held += Case(When(whole__contains=word, then=1), default=0)
        without = Length(Replace(F("whole"), Value(word), Value("")))
        times += (Length(F("whole")) - without) / Value(len(word))
    counted = found.annotate(words=Cast(held, IntegerField()), times=Cast(times, IntegerField()))
    return counted.filter(words__gt=0)


def tag_counts(user: User) -> list[tuple[str, int]]:
    """The tags of the notes ``user`` may see with how many have each, the most used first; at most 40."""
    tags = notes(user).order_by().annotate(tag=Func(F("tags"), function="unnest", output_field=TextField()))
    counted = tags.values("tag").annotate(n=Count("pk")).order_by("-n", "tag")
    return list(counted.values_list("tag", "n")[:MOST_TAGS])


def pending(user: User) -> SkillQuerySet:
    """The notes that are not yet what is found: waiting, being indexed, or failed."""
    return notes(user).filter(index_state__in=UNFINISHED)


@transaction.atomic
def process(user: User, *, force: bool = False) -> int:
    """Hand up to 50 waiting notes to the workers again, the longest waiting first; returns how many.

    With ``force`` those whose worker stopped, or failed for good, are returned to pending too.
    Raises NotAllowed.
    """
    require(user, "edit")
    waiting = Q(index_state=Skill.Index.QUEUED)
    if force:
        silent = timezone.now() - timedelta(seconds=settings.KB_STUCK_AFTER_SECONDS)
        stopped = Q(heartbeat_at__lt=silent) | Q(heartbeat_at=None)
        waiting |= Q(index_state=Skill.Index.FAILED) | Q(stopped, index_state=Skill.Index.RUNNING)
    rows = (
        pending(user)
        .filter(waiting)
        .order_by("heartbeat_at", "id")
        .select_for_update(skip_locked=True, of=("self",))
    )
    ids = list(rows.values_list("pk", flat=True)[:AT_ONCE])
    again = {"index_state": Skill.Index.QUEUED, "index_reason": "", "heartbeat_at": timezone.now()}
    chosen = Skill.objects.filter(pk__in=ids)
    chosen.filter(index_state=Skill.Index.FAILED).update(attempts=0)
    chosen.filter(status=Skill.Status.PROCESSING).update(status=Skill.Status.PENDING)
    chosen.update(**again)
    for skill_id in ids:
        heart.send(skill_id)
    return len(ids)


def decision(skill: Skill) -> str | None:
    """What became of a note: CREATE, SKIP or MERGE; None while that is open."""
    return "MERGE" if skill.merged_into_id else DECISIONS.get(skill.status)


def reason(skill: Skill) -> str:
    """Why a note is not found, in the reader's language; empty when it is."""
    if skill.index_state == Skill.Index.FAILED:
        return skill.index_why
    if skill.merged_into_id:
        return _("It was merged into another skill.")
    if skill.status == Skill.Status.REJECTED:
        return _("A curator rejected it.")
    return ""


def relations(skill: Skill, user: User) -> list[Relation]:
    """The relations of a note to skills that ``user`` may see."""
    seen = Skill.objects.visible_to(user)
    return list(skill.relations.filter(target__in=seen).select_related("target").order_by("type", "id"))
