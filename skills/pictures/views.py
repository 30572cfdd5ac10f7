"""Doors for pictures: ``/pictures/``."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from kbsite.accounts.auth import person, require
from kbsite.exceptions import InvalidInput
from skills.pictures.show import as_picture, find
from skills.pictures.take import take_picture


@login_required
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Take a picture in (``file``); its address as JSON, or a sentence that says why not."""
    user = person(request)
    require(user, "edit")
    file = request.FILES.get("file")
    if file is None:
        return JsonResponse({"detail": _("Choose a picture.")}, status=InvalidInput.status)
    try:
        picture = take_picture(file, user)
    except InvalidInput as error:
        return JsonResponse({"detail": str(error)}, status=error.status)
    return JsonResponse({"url": reverse("skills:picture", args=[picture.pk])}, status=201)


@login_required
@require_GET
def picture(request: HttpRequest, picture_id: uuid.UUID) -> HttpResponse:
    """The picture, for whoever may see a skill that shows it."""
    return as_picture(find(picture_id, person(request)))
