"""Prompts over the API, for curators."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.prompts import store

router = Router(tags=["prompts"])


class VariableOut(Schema):
    name: str
    description: str


class PromptOut(Schema):
    """A prompt in use; ``version`` counts the saves, 0 for the shipped text."""

    key: str
    name: str
    description: str
    category: str
    content: str
    default_content: str
    variables: list[VariableOut]
    source: Literal["default", "custom"]
    version: int
    updated_at: datetime | None


class PromptIn(Schema):
    """A new text; with ``version`` the save is refused when somebody else saved in between."""

    content: str = Field(max_length=store.LONGEST)
    version: int | None = Field(None, ge=0)


class PreviewIn(Schema):
    """Values to fill in; ``content`` to try a text that is not saved."""

    variables: dict[str, str] = Field(default_factory=dict)
    content: str | None = Field(None, max_length=store.LONGEST)


class PreviewOut(Schema):
    content: str


def _curator(request: HttpRequest) -> User:
    user = person(request)
    require(user, "curate")
    return user


def _out(found: store.Prompt) -> PromptOut:
    return PromptOut(
        key=found.key,
        name=str(found.name),
        description=str(found.description),
        category=found.category,
        content=found.content,
        default_content=found.default_content,
        variables=[VariableOut(name=n, description=str(d)) for n, d in found.variables.items()],
        source=found.source,
        version=found.version,
        updated_at=found.updated_at,
    )


@router.get("", response=list[PromptOut])
def list_prompts(request: HttpRequest, category: str = "") -> list[PromptOut]:
    """All prompts, or those of one category."""
    _curator(request)
    return [_out(found) for found in store.prompts(category)]


@router.get("/{key}", response=PromptOut)
def get_prompt(request: HttpRequest, key: str) -> PromptOut:
    """One prompt."""
    _curator(request)
    return _out(store.prompt(key))


@router.put("/{key}", response=PromptOut)
def put_prompt(request: HttpRequest, key: str, body: PromptIn) -> PromptOut:
    """Put another text in the place of the shipped one."""
    user = _curator(request)
    return _out(store.save_override(key, body.content, user, version=body.version))


@router.post("/{key}/reset", response=PromptOut)
def reset_prompt(request: HttpRequest, key: str) -> PromptOut:
    """Bring the shipped text back."""
    return _out(store.reset(key, _curator(request)))


@router.post("/{key}/preview", response=PreviewOut)
def preview_prompt(request: HttpRequest, key: str, body: PreviewIn) -> PreviewOut:
    """What a model would be sent."""
    _curator(request)
    return PreviewOut(content=store.preview(key, body.variables, body.content))
