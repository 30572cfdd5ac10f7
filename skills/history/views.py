"""A skill's history on pages: the list of revisions, two of them compared, one read whole or brought back."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from kbsite.accounts.auth import person
from kbsite.accounts.models import User
from kbsite.markdown import render as render_markdown
from kbsite.sent import as_number
from kbsite.toasts import say
from skills import edit
from skills.history.compare import compare, revision
from skills.links.show import links_in
from skills.models import Skill
from skills.paths import paths
from skills.revisions import whole
from skills.views import found

ROWS = 50
LONGEST_SHOWN = 400_000  # characters of a revision's full text that are rendered


def _newest(skill: Skill) -> int:
    return skill.revisions.order_by("-number").values_list("number", flat=True).first() or 0


@login_required
@require_GET
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Every revision, newest first. ``?before=`` and ``?after=`` lead to those two compared."""
    skill = found(slug, person(request))
    before, after = as_number(request.GET.get("before")), as_number(request.GET.get("after"))
    if before and after:
        address = reverse("skills:revision", args=[slug, max(before, after)])
        return redirect(f"{address}?against={min(before, after)}")
    revisions = skill.revisions.select_related("author").defer("snapshot")
    page = Paginator(revisions, ROWS).get_page(request.GET.get("page"))
    context = {"skill": skill, "page": page, "path": paths([skill.folder_id])[skill.folder_id]}
    return render(request, "skills/history.html", context)


@login_required
@require_GET
def one_revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What a revision changed; ``?against=`` another than the one before, ``?text=1`` reads it whole."""
    user = person(request)
    skill = found(slug, user)
    newest = _newest(skill)
    context = {
        "skill": skill,
        "path": paths([skill.folder_id])[skill.folder_id],
        "number": number,
        "newest": newest,
        "side": "side" in request.GET,
    }
    against = as_number(request.GET.get("against"), number - 1)
    if "text" in request.GET or against < 1 or against == number:
        shown = revision(skill, number)
        kept = whole(shown)
        context |= {"revision": shown, "kept": kept, "texts": _texts(kept, skill, user)}
        context["is_cut"] = len(kept["content"]) > LONGEST_SHOWN
        return render(request, "skills/revision.html", context)
    return render(request, "skills/diff.html", context | {"compared": compare(skill, against, number)})


def _texts(kept: dict[str, Any], skill: Skill, user: User) -> list[tuple[str, SafeString]]:
    """The three layers that a revision keeps, with their names, as HTML."""
    named = [
        (_("Abstract"), kept.get("abstract", "")),
        (_("Overview"), kept.get("overview", "")),
        (_("Full text"), kept["content"][:LONGEST_SHOWN]),
    ]
    links = links_in([text for _name, text in named], skill, user)
    return [
        (name, render_markdown(text, links=links, prefix=f"r{n}-"))
        for n, (name, text) in enumerate(named)
        if text
    ]


def undo_of(saved: Skill, before: int) -> str:
    """The address that brings revision ``before`` back, as long as nobody saves after ``saved``."""
    return f"{reverse('skills:restore', args=[saved.slug, before])}?version={saved.version}"


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Bring a revision back, as a new one; the toast brings back what was there before.

    ``?version=``, as an undo has it: only while nobody has saved since.
    """
    user = person(request)
    skill = found(slug, user)
    before, version = _newest(skill), skill.version
    expected = as_number(request.GET.get("version")) or None
    restored = edit.restore_revision(skill.pk, user, number, expected=expected)
    if restored.version == version:
        say(request, _("Revision %(n)d is what is there now.") % {"n": number})
    else:
        undo = undo_of(restored, before)
        say(request, _("Revision %(n)d is back.") % {"n": number}, undo=undo)
    return redirect("skills:skill", slug)
