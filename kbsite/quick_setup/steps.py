"""What is done and what comes next."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.models import Message
from documents.models import Document
from kbsite.llm.models import EmbeddingSpace, Purpose, PurposeModel
from kbsite.quick_setup.models import Setup
from kbsite.quick_setup.token import admin_exists

STEPS = ("account", "model", "samples")


@dataclass(frozen=True)
class State:
    """Where the first run stands. ``current`` is a step's key, or "done"."""

    current: str
    done: frozenset[str]
    setup: Setup

    @property
    def essential_completed(self) -> bool:
        """Whether the product can be used: there is an admin and a model, if only the offline one."""
        return {"account", "model"} <= self.done


def state() -> State:
    """The state of the first run, from what is there."""
    setup = Setup.load()
    done = set()
    if admin_exists():
        done.add("account")
    if setup.model_choice or PurposeModel.objects.exists():
        done.add("model")
    if setup.samples_at or setup.finished_at:
        done.add("samples")
    current = next((step for step in STEPS if step not in done), "done")
    return State(current, frozenset(done), setup)


def config() -> dict[str, object]:
    """Which models are connected; never a key."""
    row = PurposeModel.objects.select_related("provider").filter(purpose=Purpose.CHAT).first()
    space = EmbeddingSpace.objects.filter(state=EmbeddingSpace.State.ACTIVE).first()
    return {
        "provider": row.provider.name if row else "offline",
        "base_url": row.provider.base_url if row else "",
        "chat_model": row.model if row else "",
        "embedding_model": space.model if space else "",
        "has_key": bool(row and row.provider.key_encrypted),
    }


def checklist() -> list[dict[str, object]]:
    """First things to do with a new base, each with whether it is done."""
    now = state()
    return [
        {"key": "account", "title": _("Make the admin"), "done": "account" in now.done, "url": "/setup/"},
        {"key": "model", "title": _("Choose a model"), "done": "model" in now.done, "url": "/setup/model/"},
        {
            "key": "documents",
            "title": _("Add the first documents"),
            "done": Document.objects.filter(deleted_at=None).exists(),
            "url": "/documents/",
        },
        {
            "key": "question",
            "title": _("Ask the first question"),
            "done": Message.objects.exists(),
            "url": "/",
        },
    ]
