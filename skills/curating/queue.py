"""The review queue: skills that are not found yet, those that were rejected, and pairs that conflict."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from kbsite.accounts.models import AuditEntry, User
from skills.models import Relation, Skill
from skills.querysets import SkillQuerySet

UNREADY = (Skill.Status.PENDING, Skill.Status.PROCESSING)
REMEMBERED = 500  # decisions of curators that are looked through for who rejected what
WHOLE_TEXTS = ("content", "overview", "config")


@dataclass(frozen=True)
class Counts:
    """How many things wait, by kind."""

    pending: int
    rejected: int
    conflicts: int

    @property
    def total(self) -> int:
        """All that waits for a decision; what was rejected has had its own."""
        return self.pending + self.conflicts


def pending(user: User) -> SkillQuerySet:
    """Skills that were never indexed, or whose indexing failed: nobody finds what they say now."""
    waiting = Q(status__in=UNREADY) | Q(index_state=Skill.Index.FAILED)
    return _editable(user).filter(waiting).exclude(status=Skill.Status.REJECTED)


def rejected(user: User) -> SkillQuerySet:
    """Skills that were rejected or merged into another."""
    return _editable(user).filter(status=Skill.Status.REJECTED)


def _editable(user: User) -> SkillQuerySet:
    return Skill.objects.visible_to(user).exclude(type=Skill.Type.SYSTEM)


def conflicts(user: User) -> QuerySet[Relation]:
    """Pairs of skills that contradict each other, each pair once, while neither is rejected."""
    seen = Skill.objects.visible_to(user).exclude(status=Skill.Status.REJECTED)
    rows = Relation.objects.filter(type="conflict", source__in=seen, target__in=seen)
    other_way = Relation.objects.filter(type="conflict", source=OuterRef("target"), target=OuterRef("source"))
    return rows.filter(Q(source__lt=F("target")) | ~Exists(other_way))


def counts(user: User) -> Counts:
    """How many of each ``user`` may see. Three queries."""
    return Counts(pending(user).count(), rejected(user).count(), conflicts(user).count())


def rejected_by(skills: list[Skill]) -> dict[str, AuditEntry]:
    """Who rejected each of ``skills``, by id, as far as the last 500 rejections say. One query."""
    wanted = {str(skill.pk) for skill in skills}
    found: dict[str, AuditEntry] = {}
    entries = (
        AuditEntry.objects.filter(action="skill.rejected").select_related("actor").order_by("-at", "-pk")
    )
    for entry in entries[:REMEMBERED]:
        for skill_id in wanted.intersection(entry.detail.get("ids", [])):
            found.setdefault(skill_id, entry)
    return found
