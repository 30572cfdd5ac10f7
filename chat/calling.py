"""Running the tools a model asks for; whatever goes wrong is told to the model, never raised."""

from __future__ import annotations

import logging
import time
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.runtime import Runtime
from pydantic import ValidationError

from chat.rows import in_rows
from chat.tools import Desk, Outcome, Read, Search
from chat.turn import Turn
from kbsite.exceptions import KnowledgeError, NotFound

log = logging.getLogger(__name__)

PREVIEW = 300


def _run(desk: Desk, name: str, arguments: dict[str, Any]) -> Outcome:
    if desk.shelf.is_full:
        return Outcome("Enough has been read. Answer from what there is.", status="error")
    if name == "search":
        return desk.look_up(Search.model_validate(arguments).query)
    if name == "read":
        wanted = Read.model_validate(arguments)
        return desk.read(wanted.uri, wanted.part)
    return Outcome(f"There is no tool {name!r}; there are search and read.", status="error")


def _tried(desk: Desk, name: str, arguments: dict[str, Any]) -> Outcome:
    try:
        return _run(desk, name, arguments)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        return Outcome(f"These arguments don't fit: {wrong}.", status="error")
    except NotFound as error:
        return Outcome(str(error), status="not_found")
    except KnowledgeError as error:
        return Outcome(f"This did not work: {error}", status="error")
    except Exception:
        log.exception("The tool %s failed", name)
        return Outcome(
            "This failed here. Do without it, and say that something could not be looked up.", status="error"
        )


async def call(runtime: Runtime[Turn], wanted: ToolCall) -> ToolMessage:
    """What one tool call found, for the model, with the frames that tell of it."""
    call_id, name, arguments = wanted["id"] or "", wanted["name"], wanted["args"]
    outcome = await _told(runtime, call_id, name, arguments)
    return ToolMessage(
        outcome.text,
        tool_call_id=call_id,
        name=name,
        artifact=[source.as_dict() for source in outcome.sources],
        status="error" if outcome.status == "error" else "success",
    )


async def look_up_for(runtime: Runtime[Turn], query: str) -> Outcome:
    """One search on behalf of a model that can't call tools."""
    return await _told(runtime, "search-0", "search", {"query": query})


def refused(wanted: ToolCall) -> ToolMessage:
    """What is said of a call beyond those that may run at once."""
    return ToolMessage("Too many calls at once. Make do with the others.", tool_call_id=wanted["id"] or "")


async def _told(runtime: Runtime[Turn], call_id: str, name: str, arguments: dict[str, Any]) -> Outcome:
    def tell(type: str, payload: dict[str, Any]) -> None:
        runtime.stream_writer({"type": type, "payload": {"tool_call_id": call_id, **payload}})

    tell("tool.start", {"name": name, "input": arguments})
    began = time.monotonic()
    outcome = await in_rows(_tried, runtime.context.desk, name, arguments)
    skills = list(outcome.skills)
    if name == "search":
        tell("search.results.found", {"count": len(outcome.sources), "skills": skills})
    elif outcome.status == "success":
        runtime.stream_writer({"type": "skill.activated", "payload": skills[0]})
    failed = {"error": outcome.text} if outcome.status == "error" else {}
    tell(
        "tool.end",
        {
            "name": name,
            "status": outcome.status,
            "count": len(outcome.sources),
            "output_preview": outcome.text[:PREVIEW],
            "skills": skills,
            "ms": round((time.monotonic() - began) * 1000),
            **failed,
        },
    )
    return outcome
