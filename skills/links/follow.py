"""Keeps links as texts, names and the trash change. It listens to ``skills/signals.py``."""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Collection, Iterable
from typing import Any

from django.db import connection
from django.dispatch import receiver

from kbsite.markdown.links import LONGEST_LABEL
from kbsite.text import folded
from skills.links.extract import found_in
from skills.links.resolve import resolve
from skills.models import FormerName, Link, Skill
from skills.signals import skill_written, skills_restored

LOCKS = 64
_CLASS = 3_907  # ours among the advisory locks

# A broken link takes the skill that has its name or address now.
MEND = """
UPDATE skills_link link SET target_id = s.id
FROM skills_skill s
WHERE s.id = ANY(%(ids)s) AND s.deleted_at IS NULL AND link.target_id IS NULL AND link.document_id IS NULL
  AND link.key IN (s.name_key, s.slug, 'sk://skills/' || s.slug, 'sk://skills/' || s.id::text,
                   'sk://knowledge/' || s.id::text, s.id::text)
"""
# So does one whose target is in the trash, when another skill has the name.
TAKE_OVER = """
UPDATE skills_link link SET target_id = s.id
FROM skills_skill s JOIN skills_skill gone ON gone.name_key = s.name_key AND gone.deleted_at IS NOT NULL
WHERE s.id = ANY(%(ids)s) AND s.deleted_at IS NULL AND s.name_key <> ''
  AND link.target_id = gone.id AND link.key = s.name_key
"""


@receiver(skill_written)
def follow(skill: Skill, was: dict[str, Any], **kwargs: Any) -> None:
    """The links of a skill's new text; its new name mends links, its old one still leads to it."""
    is_new = not was
    links = found_in(skill.content) if is_new or "content" in was else None
    is_named = is_new or "name" in was
    own = [skill.name_key or folded(skill.name)] if is_named else []
    _hold([*own, *(link.key for link in links or ())])
    if links is not None:
        _write(skill, {link.key: link.label[:LONGEST_LABEL] for link in links})
    if is_named:
        remember_name(skill, was.get("name", ""))
        mend([skill.pk])


@receiver(skills_restored)
def mend_to_those_restored(ids: Collection[uuid.UUID], **kwargs: Any) -> None:
    """What was broken while they were in the trash leads to them."""
    mend(ids)


def mend(ids: Iterable[uuid.UUID]) -> int:
    """Lead broken links to those of the skills that they name; returns how many were mended."""
    with connection.cursor() as cursor:
        given = {"ids": list(ids)}
        cursor.execute(MEND, given)
        mended = int(cursor.rowcount)
        cursor.execute(TAKE_OVER, given)
        return mended + int(cursor.rowcount)


def remember_name(skill: Skill, former: str) -> None:
    """``former`` (may be empty) still finds the skill; its present name is no former one."""
    key = folded(skill.name)
    FormerName.objects.filter(skill=skill, key=key).delete()
    if former and folded(former) != key:
        FormerName.objects.update_or_create(skill=skill, key=folded(former), defaults={"name": former})


def _hold(keys: Iterable[str]) -> None:
    """Keep others from writing or naming the same until this transaction ends.

    Without it a link written while its target is being written would stay broken.
    """
    numbers = sorted({zlib.crc32(key.encode()) % LOCKS for key in keys})
    if numbers:
        with connection.cursor() as cursor:
            locks = "SELECT pg_advisory_xact_lock(%s, n) FROM unnest(%s::int[]) n"
            cursor.execute(locks, [_CLASS, numbers])


def _write(skill: Skill, labels: dict[str, str]) -> None:
    """Rows for these links: what one was found to mean stays, what is broken is looked for again."""
    rows = {link.key: link for link in Link.objects.filter(source=skill)}
    if gone := [link.pk for key, link in rows.items() if key not in labels]:
        Link.objects.filter(pk__in=gone).delete()
    wanted = [key for key in labels if key not in rows or not (rows[key].target_id or rows[key].document_id)]
    if not wanted:
        return
    found = resolve(wanted, skill.folder_id)
    links = [rows.get(key) or Link(source=skill, key=key, label=labels[key]) for key in wanted]
    for link in links:
        link.target, link.document = found.skills.get(link.key), found.documents.get(link.key)
    made = [link for link in links if link.pk is None]
    mended = [link for link in links if link.pk and (link.target_id or link.document_id)]
    Link.objects.bulk_create(made, batch_size=500, ignore_conflicts=True)
    Link.objects.bulk_update(mended, ["target", "document"], batch_size=500)
