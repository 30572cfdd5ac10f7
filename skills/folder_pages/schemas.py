"""A folder's page as JSON."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ninja import Field, Schema

from kbsite.paging import Page
from skills.folder_pages.lines import Line
from skills.folder_pages.page import SubFolder, View
from skills.models import Skill


class FolderFactOut(Schema):
    """A key fact, and the skill or sub-folder that says so."""

    text: str
    skill_uri: str | None
    skill_name: str | None
    folder_id: uuid.UUID | None


class FolderSkillRow(Schema):
    """A skill in a folder's index."""

    id: uuid.UUID
    uri: str
    name: str
    abstract: str
    type: str
    status: str
    updated_at: datetime


class SubFolderOut(Schema):
    """A sub-folder in a folder's index. ``skills`` counts those in it and below."""

    id: uuid.UUID
    name: str
    abstract: str
    skills: int


class FolderConflictOut(Schema):
    """Two skills that contradict each other."""

    one_uri: str
    one_name: str
    other_uri: str
    other_name: str
    reason: str


class FolderLogLine(Schema):
    """A line of a folder's update log: ``count`` things, the first few named."""

    at: datetime
    what: str
    count: int
    names: list[str]
    by: str


class FolderSource(Schema):
    """A document that skills in the folder were read from."""

    id: uuid.UUID
    title: str


class FolderPageOut(Schema):
    """A folder's page. ``abstract``, ``key_facts`` and ``overview`` are made; the rest is as it is now."""

    folder_id: uuid.UUID
    name: str
    path: list[str] = Field(description="Names of the folders on the way down, the folder's own last.")
    description: str
    abstract: str
    key_facts: list[FolderFactOut]
    overview: str
    language: str
    state: str = Field(description="stale, queued, running, ready or failed")
    reason: str
    made_at: datetime | None
    made_by: str = Field(description="The model; empty when the text was quoted without one.")
    made_from: int
    out_of: int
    skills: int = Field(description="Directly in it.")
    all_skills: int = Field(description="In it and below.")
    folders: list[SubFolderOut]
    index: Page[FolderSkillRow]
    conflicts: list[FolderConflictOut]
    documents: list[FolderSource]
    document_count: int
    log: list[FolderLogLine]


class FolderPageState(Schema):
    """How far the making of a page is."""

    folder_id: uuid.UUID
    state: str
    reason: str
    made_at: datetime | None


def page_out(view: View, index: dict[str, Any], log: Iterable[Line]) -> dict[str, Any]:
    """What :class:`FolderPageOut` holds; ``index`` is a page of skill rows."""
    page = view.page
    steps = [step.name for step in view.path]
    return {
        "folder_id": view.folder.pk,
        "name": view.name,
        "path": steps if view.folder.is_system else [*steps, view.name],
        "description": view.folder.description,
        "abstract": view.text.abstract,
        "key_facts": [
            {
                "text": fact.text,
                "skill_uri": fact.skill.uri if fact.skill else None,
                "skill_name": fact.skill.name if fact.skill else None,
                "folder_id": fact.folder.pk if fact.folder else None,
            }
            for fact in view.text.facts
        ],
        "overview": view.text.overview,
        "language": page.language,
        **{name: getattr(page, name) for name in ("state", "made_at", "made_by", "made_from", "out_of")},
        "reason": page.why,
        "skills": view.skills,
        "all_skills": view.all_skills,
        "folders": [_sub_folder(row) for row in view.folders],
        "index": index | {"items": [_row(skill) for skill in index["items"]]},
        "conflicts": [
            {
                "one_uri": c.one.uri,
                "one_name": c.one.name,
                "other_uri": c.other.uri,
                "other_name": c.other.name,
                "reason": c.reason,
            }
            for c in view.conflicts
        ],
        "documents": [{"id": d.pk, "title": d.title} for d in view.documents],
        "document_count": view.document_count,
        "log": [_line(line) for line in log],
    }


def _sub_folder(row: SubFolder) -> dict[str, Any]:
    return {"id": row.folder.pk, "name": row.folder.name, "abstract": row.abstract, "skills": row.skills}


def _row(skill: Skill) -> dict[str, Any]:
    plain = {
        name: getattr(skill, name) for name in ("uri", "name", "abstract", "type", "status", "updated_at")
    }
    return {"id": skill.pk, **plain}


def _line(line: Line) -> dict[str, Any]:
    names = [name.name for name in line.names]
    return {"at": line.at, "what": line.what, "count": line.count, "names": names, "by": line.actor}
