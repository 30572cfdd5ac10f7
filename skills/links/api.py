"""``/api/skills/{id}/links``."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from kbsite.accounts.auth import person
from skills.links.back import broken_links, linked_from, links_out, mentions
from skills.relations.relate import seen

MOST = 200

router = Router(tags=["skills"])


class LinkOut(Schema):
    """A link in the skill's full text to a skill or a document."""

    label: str = Field(description="As it is written, without heading and other words.")
    uri: str
    name: str


class LinkIn(Schema):
    """A skill that links here."""

    id: uuid.UUID
    uri: str
    name: str
    line: str = Field(description="The sentence in which it does.")


class LinksOut(Schema):
    """The first 200 of each; ``broken``: what is written of those that lead nowhere."""

    out: list[LinkOut]
    in_: list[LinkIn] = Field(alias="in")
    broken: list[str]


@router.get("/{uuid:skill_id}/links", response=LinksOut, by_alias=True, summary="Links from and to a skill")
def links(request: HttpRequest, skill_id: uuid.UUID) -> dict[str, Any]:
    """Only what you may see; what you may not see is as if it did not exist."""
    user = person(request)
    skill = seen(skill_id, user)
    out = [
        {"label": link.label, "uri": link.target.uri, "name": link.target.name}
        if link.target
        else {
            "label": link.label,
            "uri": f"sk://documents/{link.document_id}",
            "name": link.document.title if link.document else "",
        }
        for link in links_out(skill, user)[:MOST]
    ]
    found = mentions(linked_from(skill, user)[:MOST])
    return {
        "out": out,
        "in": [
            {"id": m.source.pk, "uri": m.source.uri, "name": m.source.name, "line": m.line} for m in found
        ],
        "broken": list(broken_links(user).filter(source=skill).values_list("label", flat=True)[:MOST]),
    }
