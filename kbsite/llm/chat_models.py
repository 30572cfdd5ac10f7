"""Which chat model serves a purpose: ``chat_model(Purpose.CHAT).model`` is a LangChain model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from django.conf import settings
from django.utils.translation import gettext as _
from langchain_core.language_models.chat_models import BaseChatModel

from kbsite.llm import offline
from kbsite.llm.adapters import ADAPTERS
from kbsite.llm.capabilities import remember
from kbsite.llm.line import Line
from kbsite.llm.models import Purpose, PurposeModel
from kbsite.llm.secrets import decrypt


@dataclass(frozen=True)
class ChatModel:
    """A model ready to be asked, and what is known about it."""

    model: BaseChatModel = field(repr=False)
    name: str
    provider_name: str
    is_offline: bool
    calls_tools: bool
    takes_system: bool
    purpose: str


def chat_model(purpose: Purpose) -> ChatModel:
    """The model for ``purpose``: its own, else the chat one, else the offline model. One query."""
    rows = PurposeModel.objects.select_related("provider").filter(purpose__in={purpose, Purpose.CHAT})
    by_purpose = {row.purpose: row for row in rows}
    row = by_purpose.get(purpose) or by_purpose.get(Purpose.CHAT)
    return _connected(row, purpose) if row else _offline(purpose)


def _offline(purpose: Purpose) -> ChatModel:
    return ChatModel(
        model=ADAPTERS["offline"](Line()),
        name=offline.NAME,
        provider_name=_("Built in"),
        is_offline=True,
        calls_tools=True,
        takes_system=True,
        purpose=purpose,
    )


def _connected(row: PurposeModel, purpose: Purpose) -> ChatModel:
    line = Line(
        base_url=row.provider.base_url,
        model=row.model,
        key=partial(decrypt, row.provider.key_encrypted),
        takes_system=row.takes_system,
        learned=partial(remember, row.provider_id, row.model),
        seconds=settings.KB_MODEL_TIMEOUT_SECONDS,
    )
    return ChatModel(
        model=ADAPTERS["openai"](line),
        name=row.model,
        provider_name=row.provider.name,
        is_offline=False,
        calls_tools=row.calls_tools,
        takes_system=row.takes_system,
        purpose=purpose,
    )
