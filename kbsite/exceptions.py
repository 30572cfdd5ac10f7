"""The errors people and programs are shown: what happened, and what to do about it."""

from __future__ import annotations

from django.utils.functional import Promise


class KnowledgeError(Exception):
    """Base of every error a person may be shown.

    ``message`` is a sentence for people, translated where it is raised; ``code`` is stable
    for programs; ``status`` is the HTTP status a door answers with; ``extra`` is added to
    the problem document.
    """

    code = "error"
    status = 400

    def __init__(self, message: str | Promise, *, code: str | None = None, **extra: object) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.extra = extra

    def __str__(self) -> str:
        return str(self.message)


class InvalidInput(KnowledgeError):
    """What was sent can't be used as it is (422)."""

    code = "invalid"
    status = 422


class NotAllowed(KnowledgeError):
    """The person may see this but not do that with it (403)."""

    code = "not_allowed"
    status = 403


class NotFound(KnowledgeError):
    """There is no such thing, or this person may not see it (404)."""

    code = "not_found"
    status = 404


class Conflict(KnowledgeError):
    """The thing has changed, or stands in the way (409)."""

    code = "conflict"
    status = 409


class LostUpdate(KnowledgeError):
    """Somebody saved in between (412)."""

    code = "lost_update"
    status = 412


class UnreadableFile(KnowledgeError):
    """A file that can't become text. ``code`` is the kind of fault.

    Codes: empty, password, damaged, unknown_type, too_large, no_text, unreadable_text,
    too_many_pages, timeout. Permanent: the same bytes will fail again.
    """

    code = "damaged"
    status = 422


class ModelUnavailable(KnowledgeError):
    """A model could not answer; ``code`` says which way, ``retryable`` whether to try again.

    Codes: bad_key, unreachable, not_found, rate_limited, server_error, timeout, cut_off,
    bad_reply, no_model.
    """

    code = "unreachable"
    status = 503

    def __init__(
        self, message: str | Promise, *, code: str | None = None, retryable: bool = True, **extra: object
    ) -> None:
        super().__init__(message, code=code, **extra)
        self.retryable = retryable
