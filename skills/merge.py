"""Merging two skills into one, and taking a merge back.

The skill that is merged stays, rejected, with its text, its history and its sources; the other
one gets its text, tags, sources and relations, and what linked to it leads to that one. What was
carried over is written on the target's revision, so that exactly that can be taken out again.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents.models import Document
from kbsite.accounts import audit
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, LostUpdate, NotAllowed, NotFound
from skills import edit, note, revisions
from skills.links.follow import remember_name
from skills.models import Link, Relation, Revision, Skill, Source
from skills.signals import skills_hidden

CARRIED = "merged"  # the key in a revision's snapshot


@dataclass(frozen=True)
class Pair:
    """Two skills, held until the transaction ends: ``source`` is merged into ``target``."""

    source: Skill
    target: Skill


def together(target: Skill, source: Skill) -> str:
    """The target's text with the other's below it, under a heading that names it."""
    return f"{target.content.rstrip()}\n\n{part_of(source)}"


def part_of(source: Skill) -> str:
    """What a merge adds: the skill's text under a heading with its name, which it doesn't say twice."""
    body = note.understood(source.content, title=source.name).content if source.content.strip() else ""
    return f"## {source.name}\n\n{body}".rstrip() + "\n"


@transaction.atomic
def merge(
    source_id: uuid.UUID,
    target_id: uuid.UUID,
    user: User,
    *,
    content: str | None = None,
    source_version: int | None = None,
    target_version: int | None = None,
) -> Skill:
    """Merge one skill into another; ``content`` is the text they have together (by default one below
    the other). The versions are those the person saw. Returns the target.

    Raises NotAllowed, NotFound, InvalidInput (into itself), Conflict (one was merged or rejected
    already), LostUpdate (one was saved meanwhile).
    """
    require(user, "curate")
    pair = _held(source_id, target_id, user)
    _refuse_stale(pair, source_version, target_version)
    target, source = pair.target, pair.source
    part = part_of(source)
    tags = [tag for tag in source.tags if tag not in target.tags]
    words = [word for word in source.trigger_keywords if word not in target.trigger_keywords]
    carried: dict[str, Any] = {"skill": str(source.pk), "status": source.status, "part": part}
    carried |= {"sources": _share_sources(pair), "relations": _share_relations(pair)}
    carried |= {"tags": tags, "trigger_keywords": words}
    _write(
        target,
        user,
        Revision.MERGED % {"name": source.name},
        content=content if content is not None else together(target, source),
        tags=[*target.tags, *tags][:50],
        trigger_keywords=[*target.trigger_keywords, *words][:50],
    )
    kept = target.revisions.order_by("-number")[0]
    # Links last: whoever saves a text holds the names in it before its links.
    kept.snapshot[CARRIED] = carried | {"links": _lead_links(source, target)}
    kept.save(update_fields=["snapshot"])
    remember_name(target, source.name)
    merged = {"status": Skill.Status.REJECTED, "merged_into": target, "updated_at": timezone.now()}
    Skill.objects.filter(pk=source.pk).update(**merged)
    skills_hidden.send(Skill, ids=[source.pk], user=user)
    audit.record(user, "skill.merged", source.uri, into=target.uri, name=source.name)
    return Skill.objects.get(pk=target.pk)


def _held(source_id: uuid.UUID, target_id: uuid.UUID, user: User) -> Pair:
    """Both skills, locked in one order whoever merges which way."""
    if source_id == target_id:
        raise InvalidInput(_("A skill can’t be merged into itself. Choose two."))
    seen = Skill.objects.visible_to(user).held()
    held = {skill.pk: skill for skill in seen.filter(pk__in=[source_id, target_id])}
    if len(held) < 2:
        raise NotFound(_("One of the two skills is gone, or you may not see it."))
    pair = Pair(held[source_id], held[target_id])
    if not (pair.source.is_editable and pair.target.is_editable):
        raise NotAllowed(_("System skills can be read, not changed."), code="system_skill")
    if pair.source.merged_into_id:
        raise Conflict(_("“%(name)s” was merged already.") % {"name": pair.source.name}, code="merged")
    if pair.target.status == Skill.Status.REJECTED:
        raise Conflict(
            _("“%(name)s” is rejected, so nothing can be merged into it.") % {"name": pair.target.name},
            code="rejected",
        )
    return pair


def _refuse_stale(pair: Pair, source_version: int | None, target_version: int | None) -> None:
    for skill, expected in ((pair.source, source_version), (pair.target, target_version)):
        if expected is not None and skill.version != expected:
            raise LostUpdate(
                _("Somebody saved “%(name)s” meanwhile. Look at both texts again.") % {"name": skill.name},
                current=skill.version,
            )


def _write(skill: Skill, user: User, reason: str, **changes: Any) -> None:
    """Save by the one path; a merge is a revision also where no field changed."""
    if edit.update_skill(skill.pk, user, reason=reason, **changes).version == skill.version:
        revisions.record(skill, user, reason)


def _share_sources(pair: Pair) -> list[int]:
    own = set(pair.target.sources.values_list("version_id", "start"))
    fresh = [
        Source(skill=pair.target, version_id=row.version_id, start=row.start, end=row.end)
        for row in pair.source.sources.all()
        if (row.version_id, row.start) not in own
    ]
    return [row.pk for row in Source.objects.bulk_create(fresh)]


def _share_relations(pair: Pair) -> list[int]:
    """Relations of the source hold of the target too, both ways; returns those that are new."""
    both = (pair.source.pk, pair.target.pk)
    fresh = []
    for row in pair.source.relations.exclude(target__in=both):
        fresh.append(Relation(source=pair.target, target_id=row.target_id, type=row.type, reason=row.reason))
    for row in pair.source.related_from.exclude(source__in=both):
        fresh.append(Relation(source_id=row.source_id, target=pair.target, type=row.type, reason=row.reason))
    ids = []
    # In one order, as whoever relates two skills writes them.
    for relation in sorted(fresh, key=lambda row: (row.source_id, row.target_id, row.type)):
        kept, is_new = Relation.objects.get_or_create(
            source_id=relation.source_id,
            target_id=relation.target_id,
            type=relation.type,
            defaults={"reason": relation.reason},
        )
        if is_new:
            ids.append(kept.pk)
    return ids


def _lead_links(source: Skill, target: Skill) -> list[int]:
    """What links to the source leads to the target; returns which links those were."""
    links = Link.objects.filter(target=source).exclude(source=target)
    ids = list(links.values_list("pk", flat=True))
    Link.objects.filter(pk__in=ids).update(target=target)
    return ids


@transaction.atomic
def take_back(source_id: uuid.UUID, user: User, *, text_too: bool = True) -> Skill:
    """Undo a merge: the part leaves the target, and the skill is what it was. Returns that skill.

    Without ``text_too`` the target stays as it is, and only the skill comes back.

    Raises NotAllowed, NotFound, and Conflict where the part was rewritten since, so that nobody can
    tell it from the rest.
    """
    require(user, "curate")
    _hold([source_id])
    source = edit.locked(source_id, user)
    if source.merged_into_id is None:
        raise Conflict(_("“%(name)s” was not merged.") % {"name": source.name}, code="not_merged")
    if not Skill.objects.visible_to(user).filter(pk=source.merged_into_id).exists():
        raise NotFound(_("One of the two skills is gone, or you may not see it."))
    if text_too:
        _separate(source, user, strict=True)
    else:
        _release(source, {})
    audit.record(user, "skill.unmerged", source.uri, name=source.name)
    return source


def lose_document(document: Document, user: User) -> int:
    """Take the parts that rest on ``document`` alone out of what they were merged into.

    Where a part was rewritten since, the target becomes what it was before the merge; what was
    written later is in its history. Returns how many merges were undone. Call it before what rests
    on the document goes to the trash.
    """
    merged = Skill.objects.filter(sources__version__document=document, deleted_at=None)
    alone = merged.exclude(merged_into=None).exclude(
        pk__in=Source.objects.exclude(version__document=document)
        .filter(version__document__deleted_at=None, skill__merged_into__isnull=False)
        .values("skill")
    )
    ids = list(alone.distinct().values_list("pk", flat=True))
    _hold(merged.values_list("pk", flat=True))  # all at once: those that go to the trash are among them
    return _separate_all(ids, user)


def new_version(source: Skill, user: User | None) -> int:
    """A merged skill was read anew from its document: it stands by itself again, its old part goes."""
    return _separate_all([source.pk] if source.merged_into_id else [], user)


def _separate_all(ids: Iterable[uuid.UUID], user: User | None) -> int:
    count = 0
    wanted = set(ids)
    for source in _hold(wanted) if wanted else []:
        if source.pk in wanted:
            _separate(source, user, strict=False)
            count += 1
    return count


def _hold(ids: Iterable[uuid.UUID]) -> list[Skill]:
    """The skills and what they were merged into, locked in the order in which a merge locks them."""
    targets = Skill.objects.filter(pk__in=list(ids)).values_list("merged_into", flat=True)
    both = {*ids, *(target for target in targets if target)}
    return list(Skill.objects.filter(pk__in=both).held())


def _separate(source: Skill, user: User | None, *, strict: bool) -> None:
    held = Skill.objects.held()
    target = held.filter(pk=source.merged_into_id).first() if source.merged_into_id else None
    kept = _record_of(source, target) if target else None
    carried = kept.snapshot[CARRIED] if kept else {}
    if target and kept:
        before = target.revisions.filter(number__lt=kept.number).first()
        content = _without(target, kept, before)
        if content is None and strict:
            raise Conflict(
                _(
                    "“%(name)s” was rewritten since, so the part can’t be told from the rest. Bring back "
                    "only the merged skill, and mend the other by hand."
                )
                % {"name": target.name},
                code="rewritten",
            )
        if content is None:
            content = revisions.whole(before)["content"] if before else target.content
        _give_back(source, target, carried, content, user)
    _release(source, carried)


def _release(source: Skill, carried: dict[str, Any]) -> None:
    """The skill is what it was before it was merged; one that was never indexed waits for that again."""
    status = carried.get("status") or Skill.Status.APPROVED
    Skill.objects.filter(pk=source.pk).update(status=status, merged_into=None, updated_at=timezone.now())
    source.status, source.merged_into = status, None


def _record_of(source: Skill, target: Skill) -> Revision | None:
    """The revision that carries what the merge brought, the newest where it was done twice."""
    return target.revisions.filter(**{f"snapshot__{CARRIED}__skill": str(source.pk)}).first()


def _without(target: Skill, kept: Revision, before: Revision | None) -> str | None:
    """The target's text without the part; None where it can't be told from the rest."""
    if before is not None and revisions.whole(kept)["content"] == target.content:
        return str(revisions.whole(before)["content"])
    part = kept.snapshot[CARRIED]["part"].strip("\n")
    start = target.content.find(part)
    if start < 0:
        return None
    head, tail = target.content[:start].rstrip("\n"), target.content[start + len(part) :].strip("\n")
    return "\n\n".join(filter(None, (head, tail))) + "\n"


def _give_back(
    source: Skill, target: Skill, carried: dict[str, Any], content: str, user: User | None
) -> None:
    Source.objects.filter(pk__in=carried["sources"], skill=target).delete()
    Relation.objects.filter(pk__in=carried["relations"]).delete()
    target.former_names.filter(key=source.name_key).delete()
    values: dict[str, Any] = {"content": content}
    for name in ("tags", "trigger_keywords"):
        gone = set(carried[name])
        values[name] = [word for word in getattr(target, name) if word not in gone]
    edit.put_back(target, user, values, Revision.UNMERGED % {"name": source.name})
    Link.objects.filter(pk__in=carried["links"], target=target).update(target=source)
