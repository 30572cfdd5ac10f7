"""One question to a model, one answer: text, or JSON that fits a schema."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence

from django.utils.translation import gettext as _
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ValidationError

from kbsite.exceptions import ModelUnavailable
from kbsite.llm import errors, reasoning, usage
from kbsite.llm.chat_models import ChatModel, chat_model
from kbsite.llm.models import Purpose
from kbsite.text import storable

LONGEST_WAIT_SECONDS = 30.0
USUAL_WAIT_SECONDS = 2.0

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.S | re.IGNORECASE)


def complete(purpose: Purpose, system: str, user: str) -> str:
    """The model's answer, without its thoughts. A busy provider is waited for once.

    Each attempt is a ModelCall row. Raises ModelUnavailable; "no_model" when only the offline
    model is there.
    """
    return _answer(_connected(purpose), [SystemMessage(system), HumanMessage(user)])


def complete_json[Shape: BaseModel](purpose: Purpose, system: str, user: str, schema: type[Shape]) -> Shape:
    """The model's answer as a ``schema``. A reply that doesn't fit is sent back once, with why.

    Raises ModelUnavailable, "bad_reply" when the second reply doesn't fit either.
    """
    model = _connected(purpose)
    shape = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    asked: list[BaseMessage] = [
        SystemMessage(
            f"{system}\n\nReply with one JSON object that fits this schema, and nothing else:\n{shape}"
        ),
        HumanMessage(user),
    ]
    said = _answer(model, asked)
    try:
        return parsed(said, schema)
    except ValueError as fault:
        why = f"This can't be used: {_why(fault)}\n\nReply again with only the corrected JSON object."
    try:
        return parsed(_answer(model, [*asked, AIMessage(said), HumanMessage(why)]), schema)
    except ValueError:
        sentence = _(
            "The model's reply is not in the form that was asked for. Try again, or use another model."
        )
        raise ModelUnavailable(sentence, code="bad_reply") from None


def parsed[Shape: BaseModel](text: str, schema: type[Shape]) -> Shape:
    """The first JSON object in ``text`` that fits ``schema``: bare, in a fence, or among words.

    Raises ValueError (pydantic's, when an object is there but doesn't fit).
    """
    candidates = [*_FENCED.findall(text), text, *_objects(text)]
    fault: ValueError = ValueError("there is no JSON object in it")
    for candidate in candidates:
        try:
            return schema.model_validate_json(storable(candidate.strip()))
        except ValidationError as error:
            if not any(e["type"] == "json_invalid" for e in error.errors()):
                fault = error
    raise fault


def _objects(text: str) -> list[str]:
    """The outermost ``{…}`` of ``text``, in order."""
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = text.find("{")
    while at >= 0 and len(found) < 20:
        try:
            _value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found


def _why(fault: ValueError) -> str:
    if isinstance(fault, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in fault.errors()[:5])
    return str(fault)


def _connected(purpose: Purpose) -> ChatModel:
    model = chat_model(purpose)
    if model.is_offline:
        raise errors.no_model()
    return model


def _answer(model: ChatModel, messages: Sequence[BaseMessage]) -> str:
    try:
        return _once(model, messages)
    except ModelUnavailable as fault:
        wait = float(str(fault.extra.get("retry_after", USUAL_WAIT_SECONDS)))
        if fault.code != "rate_limited" or not fault.retryable or wait > LONGEST_WAIT_SECONDS:
            raise
    time.sleep(wait)
    return _once(model, messages)


def _once(model: ChatModel, messages: Sequence[BaseMessage]) -> str:
    began = time.monotonic()
    try:
        said = model.model.invoke(list(messages))
    except ModelUnavailable as fault:
        usage.record(model, usage.Used(), time.monotonic() - began, fault.code)
        raise
    text = storable(reasoning.strip(str(said.text)))
    usage.record(model, usage.used(said), time.monotonic() - began, "" if text else "bad_reply")
    if not text:
        raise errors.bad_reply()
    return text
