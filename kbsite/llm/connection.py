"""Trying an address before it is kept: what answers there, and what it can do. For admins only:
whoever may set the address makes this server call it."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

import openai
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_variables
from langchain_core.messages import HumanMessage, SystemMessage

from kbsite.exceptions import InvalidInput, ModelUnavailable
from kbsite.llm import reasoning
from kbsite.llm.adapters import ADAPTERS
from kbsite.llm.embedding_choice import dimension
from kbsite.llm.errors import ModelFault, explained
from kbsite.llm.line import NO_KEY, Line
from kbsite.text import in_a_row

LONGEST_SECONDS = 30.0
MOST_MODELS = 500

_ENDPOINT = re.compile(r"(?:/(?:chat/completions|completions|embeddings|models|responses))+$", re.IGNORECASE)
_VERSION = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?(?=/|$)", re.IGNORECASE)
_LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
}


@dataclass(frozen=True)
class ConnectionReport:
    """What a test found. ``message`` is a sentence for people; ``base_url`` the address that works.

    ``calls_tools``, ``takes_system`` and ``streams`` are None where they were not tried;
    ``embedding_dimension`` likewise. ``code`` names the fault, "" for none.
    """

    success: bool
    message: str
    base_url: str = ""
    latency_ms: int | None = None
    models: list[str] = field(default_factory=list)
    answer: str = ""
    streams: bool | None = None
    calls_tools: bool | None = None
    takes_system: bool | None = None
    embedding_dimension: int | None = None
    code: str = ""
    provider_said: str = ""


def normalise_base_url(typed: str) -> str:
    """The base address that ``typed`` most likely means: "h:1 " → "http://h:1/v1".

    Raises InvalidInput when it is no http address at all, or has a password in it.
    """
    return candidates(typed)[0]


def candidates(typed: str) -> list[str]:
    """The base addresses that ``typed`` may mean, likeliest first; one or two."""
    text = re.sub(r"\s+", "", typed).strip("\"'<>")
    if "://" not in text:
        text = f"{'http' if _is_near(text) else 'https'}://{text}"
    parts = urlsplit(text)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise InvalidInput(_("Enter an address such as https://api.example.com/v1."), code="bad_address")
    if parts.username or parts.password:
        raise InvalidInput(
            _("Leave the password out of the address; the key has its own field."), code="bad_address"
        )
    shown = f"[{host}]" if ":" in host else host
    site = f"{parts.scheme.lower()}://{shown}{f':{port}' if port else ''}"
    path = _ENDPOINT.sub("", re.sub(r"/{2,}", "/", parts.path).rstrip("/"))
    if _VERSION.search(path):
        return [site + path]
    return [f"{site}{path}/v1", site + path]


def _is_near(text: str) -> bool:
    host = urlsplit(f"//{text}").hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith((".local", ".lan", ".internal"))


@sensitive_variables("api_key")
def test_connection(
    base_url: str, api_key: str, chat_model: str = "", embedding_model: str = ""
) -> ConnectionReport:
    """Ask the address for its models, and then the models named for an answer and a vector.

    Never raises: what went wrong is in the report.
    """
    try:
        places = candidates(base_url)
    except InvalidInput as fault:
        return ConnectionReport(success=False, message=str(fault), code=fault.code)
    report = ConnectionReport(success=False, message="", base_url=places[0])
    try:
        report = _reach(places, api_key, chat_model)
        if chat_model:
            report = _chat(report, api_key, chat_model)
        if embedding_model:
            report = replace(report, embedding_dimension=dimension(report.base_url, api_key, embedding_model))
    except ModelUnavailable as fault:
        return _failed(report, fault, chat_model or embedding_model)
    return replace(report, success=True, message=_sentence(report, base_url, chat_model))


# pytest would take the name for a test.
test_connection.__test__ = False  # type: ignore[attr-defined]


def _client(base_url: str, api_key: str) -> openai.OpenAI:
    timeout = openai.Timeout(_seconds(), connect=5.0)
    return openai.OpenAI(base_url=base_url, api_key=api_key or NO_KEY, max_retries=0, timeout=timeout)


def _seconds() -> float:
    return min(LONGEST_SECONDS, settings.KB_MODEL_TIMEOUT_SECONDS)


@sensitive_variables("api_key")
def _reach(places: list[str], api_key: str, chat_model: str) -> ConnectionReport:
    """The first place that lists its models; the first of all when none does but a model is named."""
    faults: list[ModelUnavailable] = []
    for place in places:
        began = time.monotonic()
        try:
            models = _models(place, api_key)
        except ModelUnavailable as fault:
            faults.append(fault)
            if fault.code in ("bad_key", "unreachable", "timeout"):
                break
        else:
            return ConnectionReport(False, "", place, _ms(began), models)
    if chat_model and faults[-1].code in ("not_found", "bad_reply"):
        return ConnectionReport(False, "", places[0])
    raise faults[-1]


def _models(base_url: str, api_key: str) -> list[str]:
    with explained():
        listed = _client(base_url, api_key).models.list()
        return sorted(str(model.id) for model in list(listed.data)[:MOST_MODELS])


def _ms(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


@sensitive_variables("api_key")
def _chat(report: ConnectionReport, api_key: str, name: str) -> ConnectionReport:
    """The report with a real answer, and with what the model turned out to be able to do."""
    lacking: set[str] = set()

    def key() -> str:
        return api_key

    line = Line(report.base_url, name, key, learned=lacking.add, seconds=_seconds())
    model = ADAPTERS["openai"](line)
    began = time.monotonic()
    asked = [SystemMessage("You are being tested."), HumanMessage("Say hello in one short sentence.")]
    pieces = [str(chunk.text) for chunk in model.stream(asked)]
    took = _ms(began)
    try:
        called = model.invoke("Call the tool look_up with the query: hello", tools=[_LOOK_UP])
        calls_tools = bool(called.tool_calls)
    except ModelUnavailable:
        calls_tools = False
    return replace(
        report,
        latency_ms=took,
        answer=reasoning.strip("".join(pieces))[:500],
        streams=sum(bool(piece) for piece in pieces) > 1,
        calls_tools=calls_tools,
        takes_system="system" not in lacking,
    )


def _failed(report: ConnectionReport, fault: ModelUnavailable, name: str) -> ConnectionReport:
    message = str(fault)
    if fault.code == "not_found" and report.models and name:
        shown = ", ".join(report.models[:8]) + ("…" if len(report.models) > 8 else "")
        message = _("There is no model “%(name)s” at this address. It has: %(models)s") % {
            "name": name,
            "models": shown,
        }
    said = fault.provider_said if isinstance(fault, ModelFault) else ""
    return replace(report, success=False, message=message, code=fault.code, provider_said=said)


def _sentence(report: ConnectionReport, typed: str, chat_model: str) -> str:
    parts = [_("Connected: the model answered.") if chat_model else _listed(len(report.models))]
    if report.base_url != typed.strip():
        parts.append(_("The address that works is %(url)s.") % {"url": report.base_url})
    if report.calls_tools is False:
        parts.append(_("It can't call tools: the chat will search first and then ask it."))
    if report.takes_system is False:
        parts.append(_("It takes no system message: instructions go into the question."))
    if report.embedding_dimension:
        parts.append(_("Vectors have %(n)s numbers.") % {"n": report.embedding_dimension})
    return in_a_row(parts)


def _listed(count: int) -> str:
    return ngettext("Connected: %(n)s model is there.", "Connected: %(n)s models are there.", count) % {
        "n": count
    }
