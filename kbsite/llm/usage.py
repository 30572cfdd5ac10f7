"""What the models were asked, counted: a row a call, and sums for the page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Avg, Count, Q, Sum
from django.utils import timezone
from langchain_core.messages import BaseMessage

from kbsite.llm.chat_models import ChatModel
from kbsite.llm.models import ModelCall, Purpose


@dataclass(frozen=True)
class Used:
    """Tokens of one call, as the provider counted them; 0 where it didn't."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


def used(message: BaseMessage) -> Used:
    """The tokens that ``message`` took to make."""
    counted = getattr(message, "usage_metadata", None) or {}
    return Used(int(counted.get("input_tokens") or 0), int(counted.get("output_tokens") or 0))


def record(model: ChatModel, tokens: Used, seconds: float, error: str = "") -> ModelCall:
    """Keep one call of ``model``: how long it took, and the code of the fault if it failed."""
    return ModelCall.objects.create(
        purpose=model.purpose,
        provider_name=model.provider_name[:100],
        model=model.name[:200],
        prompt_tokens=tokens.prompt_tokens,
        completion_tokens=tokens.completion_tokens,
        latency_ms=max(0, round(seconds * 1000)),
        error=error[:40],
    )


@dataclass(frozen=True)
class Sum30:
    """The calls of one model for one purpose; ``latency_ms`` is the mean of those that succeeded."""

    purpose: str
    provider_name: str
    model: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    latency_ms: int

    @property
    def purpose_label(self) -> str:
        """The purpose in words."""
        return str(Purpose(self.purpose).label) if self.purpose in Purpose.values else self.purpose


def last_days(days: int = 30) -> list[Sum30]:
    """Calls of the last ``days`` days by purpose and model, most used first. One query."""
    rows = (
        ModelCall.objects.filter(at__gte=timezone.now() - timedelta(days=days))
        .values("purpose", "provider_name", "model")
        .annotate(
            calls=Count("id"),
            failed=Count("id", filter=~Q(error="")),
            prompt=Sum("prompt_tokens"),
            completion=Sum("completion_tokens"),
            latency=Avg("latency_ms", filter=Q(error="")),
        )
        .order_by("-calls", "purpose", "model")
    )
    return [
        Sum30(
            purpose=row["purpose"],
            provider_name=row["provider_name"],
            model=row["model"],
            calls=row["calls"],
            failed=row["failed"],
            prompt_tokens=row["prompt"] or 0,
            completion_tokens=row["completion"] or 0,
            latency_ms=round(row["latency"] or 0),
        )
        for row in rows
    ]
