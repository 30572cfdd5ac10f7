"""At every start: the rows of system skills become what ships with this version."""

from __future__ import annotations

import logging
import tomllib
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from kbsite.accounts import audit
from skills import heart, revisions
from skills.edit import INDEXED
from skills.models import Revision, Skill
from skills.slugs import free_slug
from skills.system.shipped import Shipped, of_the_site

log = logging.getLogger(__name__)

KEY, DIGEST = "shipped", "digest"


@transaction.atomic
def load() -> int:
    """Write what ships into the rows; returns how many were written or removed.

    What did not change is left alone, so that running it again does nothing. What changed gets a
    revision and is indexed by the one path; what ships no more goes. ``skill_written`` is not sent:
    no folder's log tells of it.
    """
    rows = {
        skill.config[KEY]: skill
        for skill in Skill.objects.select_for_update(of=("self",)).filter(
            type=Skill.Type.SYSTEM, config__has_key=KEY
        )
    }
    wanted = of_the_site()
    written = sum(_write(rows.get(one.key), one) for one in wanted)
    gone = [row for key, row in rows.items() if key not in {one.key for one in wanted}]
    for row in gone:
        audit.record(None, "skill.purged", row.uri, name=row.name)
        row.delete()
    if written or gone:
        log.info("System skills: %d written, %d removed.", written, len(gone))
    return written + len(gone)


def _write(row: Skill | None, one: Shipped) -> bool:
    was_there = row is not None
    skill = row or Skill(type=Skill.Type.SYSTEM, slug=free_slug(one.key), layers_by_hand=True)
    if was_there and skill.config.get(DIGEST) == one.digest and skill.deleted_at is None:
        return False
    was = _take(skill, one)
    if not was_there or was.keys() & INDEXED:
        heart.make_due(skill)
        heart.send(skill.pk)
    if was_there:
        skill.version += 1
        skill.updated_at = timezone.now()
    skill.save(force_insert=not was_there)
    revisions.record(skill, None, Revision.SHIPPED % {"version": _version()})
    return True


def _take(skill: Skill, one: Shipped) -> dict[str, Any]:
    """Put the file's values into ``skill``; returns the former ones of those that differ."""
    was = {name: getattr(skill, name) for name, value in one.values.items() if getattr(skill, name) != value}
    for name, value in one.values.items():
        setattr(skill, name, value)
    skill.language = one.language.partition("-")[0]
    skill.status, skill.is_active = Skill.Status.APPROVED, True
    skill.folder_id = skill.deleted_at = skill.deleted_by = None
    skill.config = {KEY: one.key, DIGEST: one.digest}
    return was


def _version() -> str:
    about = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    return str(about["project"]["version"])
