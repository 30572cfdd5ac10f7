"""Slugs: a skill's name in its URI, Unicode kept, unique, frozen afterwards."""

from __future__ import annotations

import re

from django.db import connection
from django.db.models import Q
from django.utils.text import slugify

from skills.models import Skill

LONGEST = 120
RESERVED = frozenset({"new"})


def base_slug(name: str) -> str:
    """The slug ``name`` asks for, before clashes: “差旅（2026 版）” gives ``差旅2026-版``."""
    return slugify(name, allow_unicode=True)[:LONGEST].strip("-") or "skill"


def free_slug(name: str) -> str:
    """A slug nobody has: ``-1``, ``-2``… on clash, counting the trash.

    Call it in the transaction that saves the skill: a lock on the base keeps others out until
    that commits, so two of one name at once get two slugs.
    """
    base = base_slug(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"slug {base}"])
    alike = Skill.objects.filter(Q(slug=base) | Q(slug__startswith=f"{base}-"))
    taken = set(alike.values_list("slug", flat=True))
    if base not in taken and base not in RESERVED:
        return base
    numbered = re.compile(re.escape(base) + r"-(\d+)")
    numbers = [int(m[1]) for slug in taken if (m := numbered.fullmatch(slug)) and len(m[1]) < 9]
    return f"{base}-{max(numbers, default=0) + 1}"
