"""Links on pages: opening an address, links that lead nowhere, completion's options."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from kbsite.accounts.auth import person, require
from kbsite.exceptions import NotFound
from kbsite.markdown.links import key_of
from kbsite.middleware import is_htmx
from skills.links.back import broken_links, linked_from, mentions
from skills.links.resolve import resolve
from skills.paths import paths
from skills.views import found

ROWS = 50
MENTIONS = 20


@login_required
@require_GET
def address(request: HttpRequest, kind: str, reference: str) -> HttpResponse:
    """Open ``sk://kind/reference``: the page of that skill or document. 404 when one may not see it."""
    key = key_of(f"sk://{kind}/{reference}")
    meant = resolve([key], user=person(request)) if kind in ("skills", "knowledge", "documents") else None
    if meant and key in meant.skills:
        return redirect("skills:skill", meant.skills[key].slug)
    if meant and key in meant.documents:
        return redirect("documents:document", meant.documents[key].pk)
    raise NotFound(_("There is nothing at this address, or you may not see it."))


@login_required
@require_GET
def broken(request: HttpRequest) -> HttpResponse:
    """Links that lead nowhere, for editors; ``?q=`` narrows by what they say or where they stand."""
    user = person(request)
    require(user, "edit")
    q = request.GET.get("q", "").strip()[:200]
    rows = broken_links(user)
    if q:
        rows = rows.filter(key__contains=key_of(q)) | rows.filter(source__name__icontains=q)
    page = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    where = paths(link.source.folder_id for link in page)
    context = {"page": page, "q": q, "rows": [(link, where[link.source.folder_id]) for link in page]}
    return render(request, "skills/links.html#rows" if is_htmx(request) else "skills/links.html", context)


@login_required
@require_GET
def back(request: HttpRequest, slug: str) -> HttpResponse:
    """Every skill that links to this one, with the sentence in which it does."""
    user = person(request)
    skill = found(slug, user)
    page = Paginator(linked_from(skill, user), MENTIONS).get_page(request.GET.get("page"))
    context = {
        "skill": skill,
        "page": page,
        "mentions": mentions(page.object_list),  # type: ignore[arg-type]
        "path": paths([skill.folder_id])[skill.folder_id],
    }
    return render(request, "skills/linked_from.html", context)
