"""Skills and what joins them, as rows: made quickly, by no door."""

from __future__ import annotations

from typing import Any

from documents.models import Folder
from skills.models import Link, Relation, Skill


def make(name: str, folder: Folder | None = None, **more: Any) -> Skill:
    return Skill.objects.create(
        **{"name": name, "slug": more.pop("slug", name.lower().replace(" ", "-")), "folder": folder}
        | {"status": "approved", "index_state": "ready"}
        | more
    )


def relate(source: Skill, target: Skill, type_: str = "complement") -> None:
    """Both ways, as the product writes it."""
    back = {"subset": "superset", "superset": "subset"}.get(type_, type_)
    Relation.objects.create(source=source, target=target, type=type_)
    Relation.objects.create(source=target, target=source, type=back)


def link(source: Skill, target: Skill, label: str = "") -> None:
    label = label or target.name
    Link.objects.create(source=source, target=target, label=label, key=label.casefold())


def system() -> Skill:
    """One that nobody may change."""
    return Skill.objects.create(slug="sys", name="Sys", type="system", status="approved", index_state="ready")
