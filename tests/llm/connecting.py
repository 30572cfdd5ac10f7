"""A model double as a provider row."""

from __future__ import annotations

from typing import Any

from kbsite.llm.models import Provider, Purpose, PurposeModel
from kbsite.llm.secrets import encrypt
from tests.model_double import KEY, ModelDouble


def connect(double: ModelDouble, purpose: Purpose = Purpose.CHAT, **fields: Any) -> PurposeModel:
    """Let the double's chat model serve ``purpose``."""
    provider, _made = Provider.objects.get_or_create(
        name="Double", base_url=double.url, defaults={"key_encrypted": encrypt(KEY)}
    )
    return PurposeModel.objects.create(purpose=purpose, provider=provider, model="double-chat", **fields)
