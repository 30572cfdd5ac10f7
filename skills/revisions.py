"""History: every change of a skill is a revision that can be restored."""

from __future__ import annotations

from typing import Any

from kbsite.accounts.models import User
from skills.models import Revision, Skill

KEPT = (
    "name",
    "description",
    "category",
    "abstract",
    "overview",
    "content",
    "tags",
    "trigger_keywords",
    "trigger_intents",
    "always_apply",
    "priority",
    "config",
    "is_active",
    "layers_by_hand",
)


def snapshot(skill: Skill) -> dict[str, Any]:
    """What a revision keeps of ``skill``. ``layers_due``: its layers were not written yet."""
    return {name: getattr(skill, name) for name in KEPT} | {"layers_due": skill.layers_stale}


def record(skill: Skill, author: User | None, reason: str) -> Revision:
    """Keep ``skill`` as it is now. Call it in the transaction that holds the row."""
    last = skill.revisions.order_by("-number").values_list("number", flat=True).first() or 0
    return Revision.objects.create(
        skill=skill, number=last + 1, author=author, reason=reason[:200], snapshot=snapshot(skill)
    )


def record_layers(skill: Skill, reason: str) -> None:
    """Keep newly written layers: in the revision that was waiting for them, or in a new one."""
    last = skill.revisions.order_by("-number").first()
    if last is not None and last.snapshot.get("layers_due"):
        last.snapshot = snapshot(skill)
        last.save(update_fields=["snapshot"])
    else:
        record(skill, None, reason)
