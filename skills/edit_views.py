"""Deleting and restoring skills on pages; they are written in :mod:`skills.writing.views`."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from kbsite.accounts.auth import person, require
from kbsite.toasts import say
from skills import edit, heart, trash
from skills.models import Skill
from skills.views import found

UNPROCESSABLE = 422


def _to(skill: Skill) -> HttpResponse:
    return redirect("skills:skill", skill.slug)


@login_required
@require_POST
def rewrite_layers(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the abstract and overview written again."""
    user = person(request)
    skill = edit.rewrite_layers(found(slug, user).pk, user)
    say(request, _("The abstract and overview are being written again."))
    return _to(skill)


@login_required
@require_POST
def retry(request: HttpRequest, slug: str) -> HttpResponse:
    """Try a failed indexing again."""
    user = person(request)
    require(user, "edit")
    skill = found(slug, user)
    heart.retry(skill.pk)
    return _to(skill)


@login_required
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a skill in the trash; the toast brings it back."""
    user = person(request)
    skill = found(slug, user)
    trash.delete_skill(skill.pk, user)
    undo = reverse("skills:undelete", args=[skill.pk])
    say(request, _("“%(name)s” is in the trash.") % {"name": skill.name}, undo=undo)
    return redirect("skills:list")


@login_required
@require_POST
def undelete(request: HttpRequest, skill_id: uuid.UUID) -> HttpResponse:
    """Take a skill out of the trash."""
    skill = trash.undelete_skill(skill_id, person(request))
    say(request, _("“%(name)s” is back.") % {"name": skill.name})
    return _to(skill)
