"""The typed, numbered events of an answer, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

DELTA = "assistant.delta"
REASONING = "assistant.reasoning.delta"
REMARK = "assistant.remark"  # the text so far was a remark on the way, not the answer
FINAL = "assistant.final"
ERROR = "error"
LAST = (FINAL, ERROR)


@dataclass(frozen=True)
class Frame:
    """One event: ``seq`` counts from 1 within its message; ``at`` is when it came about."""

    seq: int
    type: str
    payload: dict[str, Any]
    at: datetime

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after it."""
        return self.type in LAST

    def envelope(self, conversation_id: UUID, message_id: UUID) -> dict[str, Any]:
        """What a program is sent as ``data:``."""
        return {
            "v": 1,
            "id": f"{message_id}:{self.seq}",
            "seq": self.seq,
            "ts": self.at.isoformat(),
            "conversation_id": str(conversation_id),
            "message_id": str(message_id),
            "type": self.type,
            "payload": self.payload,
        }


@dataclass
class Draft:
    """An answer as far as its frames tell it.

    Text that turned out to be a remark on the way (before a tool was called) joins the reasoning.
    ``cited`` maps n to the payload of its citation frame.
    """

    content: str = ""
    reasoning: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    cited: dict[int, dict[str, Any]] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    final: dict[str, Any] | None = None
    last_seq: int = 0

    def add(self, frame: Frame) -> None:
        """Take one more frame into account; one already seen changes nothing."""
        if frame.seq <= self.last_seq:
            return
        self.last_seq = frame.seq
        payload = frame.payload
        match frame.type:
            case "assistant.delta":
                self.content += payload["text"]
            case "assistant.reasoning.delta":
                self.reasoning += payload["text"]
            case "assistant.remark":
                self.reasoning = f"{self.reasoning}\n{self.content}".strip()
                self.content = ""
            case "tool.start":
                self._begin(payload)
            case "search.results.found" | "tool.end":
                self._tell(payload)
            case "citation":
                self.cited[payload["n"]] = payload
            case "assistant.final":
                self.final = payload
                self.content = payload["content"]
            case "error":
                self.error = payload

    def _begin(self, payload: dict[str, Any]) -> None:
        kind = {"search": "search", "read": "read"}.get(payload["name"], "other")
        self.steps.append({"id": payload["tool_call_id"], "kind": kind, **payload["input"]})

    def _tell(self, payload: dict[str, Any]) -> None:
        for step in self.steps:
            if step["id"] == payload["tool_call_id"]:
                step.update({k: payload[k] for k in ("count", "status", "skills", "ms") if k in payload})

    @property
    def is_finished(self) -> bool:
        """Whether the last frame is in."""
        return self.final is not None or self.error is not None
