"""Quick set-up over the API: open with the console's token until there is an admin, then admins only."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Field, Router, Schema

from kbsite.accounts.auth import api_auth, person, require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, NotAllowed
from kbsite.llm.connection import ConnectionReport, test_connection
from kbsite.quick_setup import steps
from kbsite.quick_setup.choice import connect, go_offline
from kbsite.quick_setup.first_admin import make_first_admin
from kbsite.quick_setup.models import Setup
from kbsite.quick_setup.token import admin_exists, check


def before_setup(request: HttpRequest) -> bool:
    """Lets a request without key or session through while nobody could have one."""
    return not admin_exists()


router = Router(tags=["set-up"], auth=[*api_auth, before_setup])


class StepOut(Schema):
    key: str
    done: bool


class ConfigOut(Schema):
    """Which models are connected; never a key."""

    provider: str
    base_url: str
    chat_model: str
    embedding_model: str
    has_key: bool


class StateOut(Schema):
    current_step: str
    steps: list[StepOut]
    essential_completed: bool
    setup_level: str
    config: ConfigOut


class CheckOut(Schema):
    key: str
    title: str
    done: bool
    url: str


class Connection(Schema):
    """An address to try. ``token`` is the console's, needed until there is an admin."""

    base_url: str = Field(max_length=500)
    api_key: str = Field("", max_length=500)
    chat_model: str = Field("", max_length=200)
    embedding_model: str = Field("", max_length=200)
    token: str = Field("", max_length=100)


class Essential(Schema):
    """What the product can't do without: an admin (first run), and a model or none."""

    token: str = Field("", max_length=100)
    email: str = Field("", max_length=254)
    password: str = Field("", max_length=1000)
    name: str = Field("", max_length=100)
    base_url: str = Field("", max_length=500)
    api_key: str = Field("", max_length=500)
    chat_model: str = Field("", max_length=200)
    embedding_model: str = Field("", max_length=200)


class TestOut(Schema):
    success: bool
    message: str
    latency_ms: int | None
    models: list[str]


def _admin(request: HttpRequest) -> User | None:
    """The admin who asks; None while there is none. Raises NotAllowed for everyone else."""
    if not admin_exists():
        return None
    user = person(request)
    require(user, "administer")
    return user


@router.get("/state", response=StateOut)
def state(request: HttpRequest) -> dict[str, Any]:
    """Where the first run stands."""
    _admin(request)
    now = steps.state()
    return {
        "current_step": now.current,
        "steps": [{"key": key, "done": key in now.done} for key in steps.STEPS],
        "essential_completed": now.essential_completed,
        "setup_level": now.setup.model_choice or "none",
        "config": steps.config(),
    }


@router.get("/checklist", response=list[CheckOut])
def checklist(request: HttpRequest) -> list[dict[str, object]]:
    """First things to do with a new base."""
    _admin(request)
    return steps.checklist()


@router.post("/test-connection", response=TestOut)
def try_connection(request: HttpRequest, body: Connection) -> dict[str, Any]:
    """Ask the address a real question; the key is not kept."""
    if _admin(request) is None:
        check(body.token)
    report = test_connection(body.base_url, body.api_key, body.chat_model, body.embedding_model)
    return {
        "success": report.success,
        "message": report.message,
        "latency_ms": report.latency_ms,
        "models": report.models,
    }


def _working(body: Essential) -> ConnectionReport:
    """The report of a model that answered; InvalidInput for one that didn't."""
    if not body.chat_model:
        raise InvalidInput(_("Name the chat model as well."), code="no_model")
    report = test_connection(body.base_url, body.api_key, body.chat_model, body.embedding_model)
    if not report.success:
        raise InvalidInput(report.message, code="model_unreachable")
    return report


@router.post("/essential", response=StateOut)
def essential(request: HttpRequest, body: Essential) -> dict[str, Any]:
    """Make the first admin if there is none, and choose a model (none: the offline one)."""
    admin = _admin(request)
    if admin is None:
        check(body.token)
    report = _working(body) if body.base_url else None
    user = admin or make_first_admin(body.token, body.email, body.password, body.name)
    request.user = user
    if report is None:
        go_offline(user)
    else:
        connect(user, body.model_dump(), report)
    Setup.load().finish()
    return state(request)


@router.post("/reset", response=StateOut)
def reset(request: HttpRequest) -> dict[str, Any]:
    """Open the first run again; people, models and knowledge stay."""
    if _admin(request) is None:
        raise NotAllowed(_("There is nothing to reset yet."), code="not_set_up")
    Setup.objects.filter(pk=1).update(model_choice="", samples_at=None, finished_at=None)
    return state(request)
