"""Who is asking, and whether they may: for the API and for pages alike."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security import HttpBearer, SessionAuth

from kbsite.accounts.keys import person_for
from kbsite.accounts.models import User
from kbsite.exceptions import NotAllowed

Ability = Literal["edit", "curate", "administer"]


class BearerKey(HttpBearer):
    """``Authorization: Bearer sk-kb-…``."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The key's person, also set as ``request.user``; None makes the answer 401."""
        person = person_for(token)
        if person is not None:
            request.user = person
        return person


# Bearer first: with a key there is no cookie to forge, so CSRF is asked of sessions only.
api_auth = [BearerKey(), SessionAuth()]


def person(request: HttpRequest) -> User:
    """The signed-in person. Doors are closed to everyone else before this is called."""
    if not isinstance(request.user, User):
        raise NotAllowed(_("Sign in first."), code="signed_out")
    return request.user


def require(user: User, ability: Ability) -> None:
    """Raise :class:`NotAllowed` with a sentence unless ``user`` has the ability."""
    if getattr(user, f"can_{ability}"):
        return
    if user.read_only:
        raise NotAllowed(_("This key can only read."), code="read_only_key")
    sentences = {
        "edit": _("Only editors can add or change things. Ask an admin for the editor role."),
        "curate": _("Only curators can do this. Ask an admin for the curator role."),
        "administer": _("Only admins can do this."),
    }
    raise NotAllowed(sentences[ability])
