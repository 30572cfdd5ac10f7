"""History: every change of a skill is a revision that can be restored.

A long full text is kept as what changed since the revision before (``{"base": number, "patch": …}``),
with a whole one every :data:`CHAIN` revisions; everything else is kept whole.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kbsite.accounts.models import User
from kbsite.difference import changed
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
WHOLE = 16_000  # characters of a full text that is always kept whole
CHAIN = 25  # revisions until a long one is kept whole again

type Patch = list[tuple[int, int, list[str]]]  # lines[from:to] of the text before become these


def snapshot(skill: Skill) -> dict[str, Any]:
    """What a revision keeps of ``skill``. ``layers_due``: its layers were not written yet."""
    return {name: getattr(skill, name) for name in KEPT} | {"layers_due": skill.layers_stale}


def record(skill: Skill, author: User | None, reason: str) -> Revision:
    """Keep ``skill`` as it is now. Call it in the transaction that holds the row."""
    revision = _next(skill, skill.revisions.order_by("-number").first(), author, reason)
    revision.save(force_insert=True)
    return revision


def record_each(skills: Collection[Skill], author: User, reason: str) -> None:
    """Keep each of ``skills`` as :func:`record` does, in two statements (and one for each long text)."""
    newest = Revision.objects.filter(skill__in=skills).order_by("skill_id", "-number").distinct("skill_id")
    last = {revision.skill_id: revision for revision in newest}
    Revision.objects.bulk_create(_next(skill, last.get(skill.pk), author, reason) for skill in skills)


def _next(skill: Skill, last: Revision | None, author: User | None, reason: str) -> Revision:
    """The revision after ``last``, not yet saved."""
    kept = snapshot(skill)
    if last is not None and len(skill.content) > WHOLE:
        kept["content"] = _packed(skill.content, last)
    number = last.number + 1 if last else 1
    return Revision(skill=skill, number=number, author=author, reason=reason[:200], snapshot=kept)


def record_layers(skill: Skill, reason: str) -> None:
    """Keep newly written layers: in the revision that was waiting for them, or in a new one."""
    last = skill.revisions.order_by("-number").first()
    if last is not None and last.snapshot.get("layers_due"):
        last.snapshot |= snapshot(skill) | {"content": last.snapshot["content"]}
        last.save(update_fields=["snapshot"])
    else:
        record(skill, None, reason)


def whole(revision: Revision) -> dict[str, Any]:
    """What ``revision`` keeps, its full text whole: :data:`KEPT` and ``layers_due``.

    At most one query more, for the revisions that a long text is put together from.
    """
    kept = dict(revision.snapshot)
    if isinstance(kept.get("content"), dict):
        kept["content"] = _unpacked(revision)
    return kept


def _packed(content: str, last: Revision) -> dict[str, Any] | str:
    """``content`` as it differs from the revision before; whole when that saves little."""
    before = last.snapshot.get("content", "")
    chain = before["chain"] + 1 if isinstance(before, dict) else 1
    if chain > CHAIN:
        return content
    patch = _patch(whole(last)["content"], content)
    if sum(len(line) + 1 for _start, _end, lines in patch for line in lines) > len(content) // 2:
        return content
    return {"base": last.number, "chain": chain, "patch": patch}


def _patch(before: str, after: str) -> Patch:
    old, new = before.split("\n"), after.split("\n")
    return [(a1, a2, new[b1:b2]) for a1, a2, b1, b2 in changed(old, new)[0]]


def _unpacked(revision: Revision) -> str:
    kept = revision.snapshot["content"]
    first = kept["base"] - kept["chain"] + 1
    before = Revision.objects.filter(skill_id=revision.skill_id, number__gte=first, number__lte=kept["base"])
    by_number = dict(before.values_list("number", "snapshot__content"))
    patches: list[Patch] = []
    while isinstance(kept, dict):
        patches.append(kept["patch"])
        kept = by_number[kept["base"]]
    lines = str(kept).split("\n")
    for patch in reversed(patches):
        for start, end, new in reversed(patch):
            lines[start:end] = new
    return "\n".join(lines)
