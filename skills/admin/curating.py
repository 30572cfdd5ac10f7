"""The curators' own pages on the admin site: review queue, merging, tags of many."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.difference import difference
from kbsite.exceptions import InvalidInput, KnowledgeError, NotFound
from skills import export, merge, review
from skills.bulk.actions import retag
from skills.bulk.selection import MOST_REWRITTEN
from skills.curating import queue
from skills.curating.settle import settle
from skills.forms import SEPARATOR
from skills.models import Skill

ROWS = 50
TABS = ("pending", "rejected", "conflicts")
SHOWN = 60_000  # characters of each text that are compared on the page


class Curating(admin.ModelAdmin[Skill]):
    """What curators do with skills besides editing one."""

    def get_urls(self) -> list[URLPattern]:
        """The review queue and the merge page, before the page of one skill."""
        doors: dict[str, Callable[..., HttpResponseBase]] = {"review": self.review, "merge": self.merge}
        ours = [
            path(f"{name}/", self.admin_site.admin_view(door), name=f"skills_skill_{name}")
            for name, door in doors.items()
        ]
        return [*ours, *super().get_urls()]

    def _page(self, request: HttpRequest, name: str, title: str, **context: Any) -> TemplateResponse:
        shared = self.admin_site.each_context(request) | {"title": title, "opts": self.opts}
        status = context.pop("status", 200)
        return TemplateResponse(request, f"admin/skills/{name}.html", shared | context, status=status)

    def _say(self, request: HttpRequest, error: KnowledgeError) -> None:
        self.message_user(request, str(error), messages.ERROR)

    # The review queue

    def review(self, request: HttpRequest) -> HttpResponseBase:
        """What waits: pending, rejected, conflicts; a POST decides."""
        user = person(request)
        require(user, "curate")
        tab = request.GET.get("tab", "")
        tab = tab if tab in TABS else TABS[0]
        if request.method == "POST":
            return self._decided(request, user) or HttpResponseRedirect(f"{request.path}?tab={tab}")
        page, rows = _waiting(tab, user, request.GET.get("page"))
        counts = queue.counts(user)
        tabs = [
            ("pending", _("Pending"), counts.pending),
            ("rejected", _("Rejected"), counts.rejected),
            ("conflicts", _("Conflicts"), counts.conflicts),
        ]
        return self._page(request, "review", _("Review queue"), tab=tab, tabs=tabs, rows=rows, page=page)

    def _decided(self, request: HttpRequest, user: User) -> HttpResponse | None:
        """Do what was posted; a redirect where it leads elsewhere."""
        deed = request.POST.get("deed", "")
        try:
            if deed == "settle":
                outcome: Any = request.POST.get("outcome", "")
                settle(_number(request.POST.get("relation")), user, outcome, request.POST.get("reason", ""))
                self.message_user(request, _("The conflict is settled."), messages.SUCCESS)
            elif deed in ("take_back", "bring_back"):
                skill_id = _ids([request.POST.get("skill", "")])[0]
                back = merge.take_back(skill_id, user, text_too=deed == "take_back")
                said = _("“%(name)s” stands by itself again.") % {"name": back.name}
                self.message_user(request, said, messages.SUCCESS)
            elif deed == "merge":
                return self._to_merge(request, _ids(request.POST.getlist("skill")))
            else:
                self._decide_all(request, user, deed, _ids(request.POST.getlist("skill")))
        except KnowledgeError as error:
            self._say(request, error)
        return None

    def _decide_all(self, request: HttpRequest, user: User, deed: str, ids: list[uuid.UUID]) -> None:
        is_index = deed == "index_again"
        count = review.index_again(ids, user) if is_index else review.set_status(ids, user, deed)
        said = ngettext("%d skill changed.", "%d skills changed.", count) % count
        level = messages.SUCCESS
        if count < len(ids):
            more = _("What was never indexed, or was merged, is left as it is.")
            said, level = f"{said} {more}", messages.WARNING
        self.message_user(request, said, level)

    # Merging

    def _to_merge(self, request: HttpRequest, ids: list[uuid.UUID]) -> HttpResponse | None:
        if len(ids) != 2:
            self.message_user(request, _("Choose exactly two skills to merge."), messages.ERROR)
            return None
        older, newer = sorted(ids)
        query = urlencode({"into": str(older), "from": str(newer)})
        return HttpResponseRedirect(f"{reverse('admin:skills_skill_merge')}?{query}")

    @admin.action(description=gettext_lazy("Merge two skills"))
    def merge_two(self, request: HttpRequest, queryset: QuerySet[Skill]) -> HttpResponse | None:
        """To the page that shows both."""
        return self._to_merge(request, list(queryset.values_list("pk", flat=True)[:3]))

    def merge(self, request: HttpRequest) -> HttpResponseBase:
        """Both texts, how they differ, and what becomes of them; a POST merges."""
        user = person(request)
        require(user, "curate")
        given = request.POST if request.method == "POST" else {}
        error: KnowledgeError | None = None
        into, other = _ids([request.GET.get("into", ""), request.GET.get("from", "")])
        if given:
            try:
                merged = self._merged(request, user, other, into)
                return HttpResponseRedirect(reverse("admin:skills_skill_change", args=[merged.pk]))
            except KnowledgeError as refused:
                error = refused
        pair = Skill.objects.visible_to(user).in_bulk([into, other])
        if len(pair) < 2:
            self._say(request, error or NotFound(_("One of the two skills is gone, or you may not see it.")))
            return HttpResponseRedirect(reverse("admin:skills_skill_changelist"))
        target, source = pair[into], pair[other]
        return self._page(
            request,
            "merge",
            _("Merge two skills"),
            status=error.status if error else 200,
            error=error,
            target=target,
            source=source,
            difference=difference(target.content[:SHOWN], source.content[:SHOWN]),
            is_cut=max(len(target.content), len(source.content)) > SHOWN,
            content=given.get("content") or merge.together(target, source),
            other_way=urlencode({"into": str(other), "from": str(into)}),
        )

    def _merged(self, request: HttpRequest, user: User, other: uuid.UUID, into: uuid.UUID) -> Skill:
        given = request.POST
        merged = merge.merge(
            other,
            into,
            user,
            content=given.get("content", "").replace("\r\n", "\n"),
            source_version=_number(given.get("source_version")),
            target_version=_number(given.get("target_version")),
        )
        said = _("Merged into “%(name)s”. The review queue’s “Rejected” takes it back.") % {
            "name": merged.name
        }
        self.message_user(request, said, messages.SUCCESS)
        return merged

    # Many at once

    @admin.action(description=gettext_lazy("Add or remove tags"))
    def change_tags(self, request: HttpRequest, queryset: QuerySet[Skill]) -> HttpResponseBase | None:
        """A page that asks which; each skill that changes gets a revision."""
        chosen = queryset.exclude(type=Skill.Type.SYSTEM).filter(deleted_at=None)
        ids = list(chosen.values_list("pk", flat=True)[: MOST_REWRITTEN + 1])
        if len(ids) > MOST_REWRITTEN:
            message = _("At most %(most)d skills at once. Narrow the list and do it in parts.")
            self.message_user(request, message % {"most": MOST_REWRITTEN}, messages.ERROR)
            return None
        error: KnowledgeError | None = None
        if "apply" in request.POST:
            try:
                done = retag(
                    ids, person(request), add=_words(request, "add"), remove=_words(request, "remove")
                )
            except KnowledgeError as refused:
                error = refused
            else:
                said = ngettext("%d skill changed.", "%d skills changed.", done.count) % done.count
                self.message_user(request, said, messages.SUCCESS)
                return None
        tags = sorted({tag for held in chosen.values_list("tags", flat=True) for tag in held})[:200]
        return self._page(
            request,
            "retag",
            _("Add or remove tags"),
            ids=ids,
            names=list(chosen.values_list("name", flat=True)[:20]),
            tags=tags,
            error=error,
            given=request.POST,
            status=error.status if error else 200,
        )

    @admin.action(description=gettext_lazy("Export as Markdown files"))
    def export_them(self, request: HttpRequest, queryset: QuerySet[Skill]) -> HttpResponseBase:
        """A zip of the chosen skills."""
        return export.download(queryset.filter(deleted_at=None), person(request))


def _waiting(tab: str, user: User, number: str | None) -> tuple[Page[Any], list[tuple[Any, Any]]]:
    """A page of what waits under a tab, each with the decision that was made on it, if one was."""
    if tab == "conflicts":
        lean = [f"{end}__{name}" for end in ("source", "target") for name in queue.WHOLE_TEXTS]
        pairs = queue.conflicts(user).select_related("source__folder", "target__folder").defer(*lean)
        page: Page[Any] = Paginator(pairs.order_by("-created_at", "-pk"), ROWS).get_page(number)
        return page, [(pair, None) for pair in page.object_list]
    found = queue.pending(user) if tab == "pending" else queue.rejected(user)
    skills = found.select_related("author", "folder", "merged_into").defer(*queue.WHOLE_TEXTS)
    page = Paginator(skills.order_by("-updated_at", "-pk"), ROWS).get_page(number)
    rows = list(page.object_list)
    who = queue.rejected_by(rows) if tab == "rejected" else {}
    return page, [(row, who.get(str(row.pk))) for row in rows]


def _ids(values: Iterable[str]) -> list[uuid.UUID]:
    try:
        return [uuid.UUID(value) for value in values]
    except ValueError as error:
        raise InvalidInput(_("There is no such skill, or you may not see it.")) from error


def _number(value: str | None) -> int:
    if value is None or not value.isdecimal() or len(value) > 9:
        raise InvalidInput(_("The request can’t be understood."))
    return int(value)


def _words(request: HttpRequest, name: str) -> list[str]:
    return [word.strip() for word in SEPARATOR.split(request.POST.get(name, "")) if word.strip()]
