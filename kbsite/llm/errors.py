"""What went wrong with a model, in a sentence that says which fault it is and what to do.

Nothing a provider says reaches a person with a key in it: some of them echo the one they were sent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime

import openai
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import ValidationError

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.secrets import redacted

LONGEST_WAIT_SECONDS = 3600
_TOOLS = re.compile(
    r"(?:tool|function)s?\b.{0,60}(?:support|enable|allowed|available|require)"
    r"|(?:support|enable|allow|require).{0,40}\b(?:tool|function)",
    re.IGNORECASE | re.S,
)
_SYSTEM = re.compile(
    r"system\b.{0,40}(?:support|allowed|invalid|unknown|unexpected)"
    r"|(?:support|allowed|invalid|unknown|unexpected).{0,40}\bsystem\b|roles must alternate",
    re.IGNORECASE | re.S,
)


class ModelFault(ModelUnavailable):
    """A fault with what the provider said of it, for admins: one line, shortened, without keys."""

    provider_said = ""


def explain(error: BaseException, *, received: bool = False) -> ModelUnavailable:
    """The fault behind ``error`` as a :class:`ModelUnavailable`, which is itself returned as it is.

    ``received``: part of the answer had come when it happened. ``extra["retry_after"]`` is the
    seconds to wait, if the provider named any.
    """
    if isinstance(error, ModelUnavailable):
        return error
    if isinstance(error, openai.APIStatusError):
        return _refused(error)
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return _timed_out(received)
    if isinstance(error, openai.APIConnectionError):
        return cut_off() if received else _unreachable()
    if isinstance(error, openai.APIError):
        sentence = _("The model broke off with an error. Try again.")
        return _fault(sentence, "server_error", _detail(error))
    if isinstance(error, (json.JSONDecodeError, ValidationError, KeyError, TypeError, ValueError)):
        return bad_reply()
    return _fault(_("The model could not answer. Try again."), "server_error")


def _fault(
    message: str, code: str, said: str = "", *, retryable: bool = True, **extra: object
) -> ModelUnavailable:
    fault = ModelFault(message, code=code, retryable=retryable, **extra)
    fault.provider_said = said
    return fault


def cut_off() -> ModelUnavailable:
    """The line broke in the middle of an answer."""
    return _fault(
        _("The connection to the model broke in the middle of the answer. Ask again to get all of it."),
        "cut_off",
    )


def bad_reply() -> ModelUnavailable:
    """An answer that is not in the form that was agreed."""
    sentence = _("The address answered, but not the way a model does. Check the address and the model name.")
    return _fault(sentence, "bad_reply")


def no_model() -> ModelUnavailable:
    """There is no language model for this."""
    sentence = _("No language model is connected. An admin can connect one under Models.")
    return _fault(sentence, "no_model", retryable=False)


def no_tools() -> ModelUnavailable:
    """The model can't call tools; from now on it is asked without."""
    return _fault(_("This model can't call tools. Ask again: it will be asked without them."), "no_tools")


def _timed_out(received: bool) -> ModelUnavailable:
    if received:
        return _fault(_("The model fell silent in the middle of the answer. Try again."), "timeout")
    return _fault(
        _("The model did not answer in time. Try again, or ask an admin to choose a faster model."), "timeout"
    )


def _unreachable() -> ModelUnavailable:
    sentence = _("The model's address can't be reached. Check the address, and that the server is running.")
    return _fault(sentence, "unreachable")


def _refused(error: openai.APIStatusError) -> ModelUnavailable:
    status, detail = error.status_code, _detail(error)
    if status in (401, 403):
        sentence = _("The provider refuses the key. Enter a valid key under Models.")
        return _fault(sentence, "bad_key", detail, retryable=False)
    if status in (404, 405):
        sentence = _("There is no such model, or no model service at this address. Check both under Models.")
        return _fault(sentence, "not_found", detail, retryable=False)
    if status == 429:
        return _rate_limited(error, detail)
    if status == 408:
        return _timed_out(received=False)
    if status >= 500:
        sentence = _("The model's server has a fault (%(status)s). Try again in a moment.") % {
            "status": status
        }
        return _fault(sentence, "server_error", detail)
    if "context" in detail.lower() and re.search(r"length|window|exceed|too long", detail, re.IGNORECASE):
        sentence = _(
            "This is more text than the model can take at once. Ask about less, or choose a larger model."
        )
        return _fault(sentence, "too_long", detail, retryable=False)
    sentence = _("The provider refuses the request (%(status)s).") % {"status": status}
    return _fault(f"{sentence} {detail}".strip(), "bad_reply", detail, retryable=False)


def _rate_limited(error: openai.APIStatusError, detail: str) -> ModelUnavailable:
    if re.search(r"quota|billing|balance|credit|insufficient", detail, re.IGNORECASE):
        sentence = _("The provider's quota is used up. An admin can check the account.")
        return _fault(sentence, "rate_limited", detail, retryable=False)
    seconds = retry_after(error)
    if seconds is None:
        return _fault(
            _("The provider is busy: too many requests. Try again in a moment."), "rate_limited", detail
        )
    shown = math.ceil(seconds)
    sentence = ngettext(
        "The provider is busy: too many requests. Try again in %(seconds)s second.",
        "The provider is busy: too many requests. Try again in %(seconds)s seconds.",
        shown,
    ) % {"seconds": shown}
    return _fault(sentence, "rate_limited", detail, retry_after=seconds)


def retry_after(error: openai.APIStatusError, now: datetime | None = None) -> float | None:
    """Seconds to wait, from ``Retry-After`` (seconds or a date); None when it says nothing usable."""
    said = error.response.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - (now or timezone.now())).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT_SECONDS) if math.isfinite(seconds) else None


def _detail(error: openai.APIError) -> str:
    """What the provider said, in one line of at most 300 characters, without keys."""
    body = error.body if isinstance(error.body, dict) else {}
    said = body.get("message") or body.get("error") or body.get("detail") or error.message
    sent = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    return redacted(" ".join(str(said).split()), sent)[:300]


def refuses_tools(error: BaseException) -> bool:
    """Whether the provider said that this model can't call tools."""
    return isinstance(error, openai.BadRequestError) and bool(_TOOLS.search(_detail(error)))


def refuses_system(error: BaseException) -> bool:
    """Whether the provider said that this model takes no system message."""
    return isinstance(error, openai.BadRequestError) and bool(_SYSTEM.search(_detail(error)))


def refuses_usage(error: BaseException) -> bool:
    """Whether the provider doesn't know the option that asks for usage in streams."""
    known = isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError))
    return known and "stream_options" in str(error)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a model call inside raises into :class:`ModelUnavailable`, without its origin: a
    traceback of the provider's own error would carry what the provider said."""
    try:
        yield
    except (openai.OpenAIError, TimeoutError, ValueError, KeyError, TypeError) as error:
        raise explain(error) from None
