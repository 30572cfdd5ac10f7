"""Who may see a picture, and how it is answered."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _

from kbsite.accounts.models import User
from kbsite.exceptions import NotFound
from skills.models import Picture, Skill

A_YEAR = 31_536_000  # seconds
ADDRESS = re.compile(r"/pictures/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")


def seen_by(user: User) -> QuerySet[Picture]:
    """The pictures that ``user`` added, and those in a skill that they may see."""
    showing = Picture.skills.through.objects.filter(skill_id__in=Skill.objects.visible_to(user).values("pk"))
    return Picture.objects.filter(Q(added_by=user) | Q(pk__in=showing.values("picture_id")))


def find(picture_id: uuid.UUID, user: User) -> Picture:
    """That picture. Raises NotFound when ``user`` may not see it."""
    picture = seen_by(user).filter(pk=picture_id).first()
    if picture is None:
        raise NotFound(_("There is no such picture, or you may not see it."))
    return picture


def shown_in(texts: Iterable[str]) -> set[uuid.UUID]:
    """The ids of the pictures of ours whose addresses stand in ``texts``."""
    return {uuid.UUID(found) for text in texts for found in ADDRESS.findall(text)}


def as_picture(picture: Picture) -> HttpResponse:
    """The bytes: never sniffed, never run, kept by this browser only. Raises NotFound when they are gone."""
    try:
        with picture.file.open("rb") as file:
            response = HttpResponse(file.read(), content_type=picture.mime)
    except FileNotFoundError as error:
        raise NotFound(_("There is no such picture, or you may not see it.")) from error
    response["Content-Disposition"] = "inline"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = f"private, max-age={A_YEAR}, immutable"
    return response
