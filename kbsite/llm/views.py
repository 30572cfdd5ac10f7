"""The models page, for admins."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError, NotFound
from kbsite.llm import providers, usage
from kbsite.llm.connection import ConnectionReport
from kbsite.llm.embedding import active_space
from kbsite.llm.forms import ProviderForm, PurposeForm
from kbsite.llm.models import Provider, Purpose, PurposeModel
from kbsite.middleware import is_htmx


@dataclass(frozen=True)
class PurposeRow:
    """A purpose, what serves it, and what happened when that was last changed."""

    purpose: Purpose
    says: str
    served: PurposeModel | None
    typed: PurposeForm | None = None
    report: ConnectionReport | None = None


def _admin(request: HttpRequest) -> User:
    user = person(request)
    require(user, "administer")
    return user


def _says(purpose: Purpose) -> str:
    return {
        Purpose.CHAT: _("Answers questions; also serves the other two unless they have their own."),
        Purpose.ANALYZE: _("Writes abstracts and overviews when a document comes in."),
        Purpose.REVIEW: _("Compares new knowledge with what is there."),
    }[purpose]


def _page(request: HttpRequest, status: int = 200, changed: PurposeRow | None = None) -> HttpResponse:
    served = {row.purpose: row for row in PurposeModel.objects.select_related("provider")}
    rows = [
        changed
        if changed and changed.purpose == purpose
        else PurposeRow(purpose, _says(purpose), served.get(purpose))
        for purpose in Purpose
    ]
    context = {
        "rows": rows,
        "providers": Provider.objects.prefetch_related("purposes"),
        "is_offline": Purpose.CHAT not in served,
        "space": active_space(),
        "usage": usage.last_days(30),
    }
    return render(request, "llm/models.html", context, status=status)


@login_required
def models(request: HttpRequest) -> HttpResponse:
    """What serves which purpose, the providers, the embedder, and what was used."""
    _admin(request)
    return _page(request)


@login_required
@require_POST
def purpose(request: HttpRequest, purpose: str) -> HttpResponse:
    """Choose the model of a purpose after a test, or go back to the fall-back."""
    user = _admin(request)
    if purpose not in Purpose.values:
        raise NotFound(_("There is no such purpose."))
    which = Purpose(purpose)
    form = PurposeForm(request.POST)
    form.is_valid()
    row: Provider | None = form.cleaned_data.get("provider")
    if row is None:
        providers.stop_serving(which, user)
        messages.success(request, _("Saved."))
        return redirect("llm:models")
    model = form.cleaned_data["model"]
    report = providers.try_provider(row.base_url, "", model, existing=row)
    if model and (report.success or "anyway" in request.POST):
        providers.serve(which, row, model, user, report=report)
        messages.success(
            request, _("Saved: %(model)s serves “%(purpose)s”.") % {"model": model, "purpose": which.label}
        )
        return redirect("llm:models")
    shown = PurposeModel.objects.select_related("provider").filter(purpose=which).first()
    return _page(request, 422, PurposeRow(which, _says(which), shown, form, report))


@login_required
def offered(request: HttpRequest) -> HttpResponse:
    """The models a provider has, as options for the field that names one."""
    _admin(request)
    form = PurposeForm(request.GET)
    form.is_valid()
    row = form.cleaned_data.get("provider")
    report = providers.try_provider(row.base_url, "", existing=row) if row else None
    return render(request, "llm/provider.html#offered", {"report": report})


def _provider_page(
    request: HttpRequest, form: ProviderForm, row: Provider | None, status: int = 200, **context: object
) -> HttpResponse:
    shown = {"form": form, "provider": row, **context}
    return render(request, "llm/provider.html", shown, status=status)


@sensitive_post_parameters("api_key")
@login_required
def provider(request: HttpRequest, provider_id: UUID | None = None) -> HttpResponse:
    """A provider, new or there already: tested before it is kept."""
    user = _admin(request)
    row = providers.provider(provider_id) if provider_id else None
    if request.method != "POST":
        known = {"name": row.name, "base_url": row.base_url} if row else {}
        return _provider_page(request, ProviderForm(initial=known), row)
    form = ProviderForm(request.POST)
    if not form.is_valid():
        return _provider_page(request, form, row, 422)
    data = form.cleaned_data
    report = providers.try_provider(data["base_url"], data["api_key"], data["chat_model"], row)
    if not report.success and "anyway" not in request.POST:
        return _provider_page(request, form, row, 422, report=report, offer_anyway=True)
    try:
        kept = providers.save_provider(
            report.base_url or data["base_url"], data["api_key"], name=data["name"], existing=row, user=user
        )
    except KnowledgeError as fault:
        form.add_error("api_key" if fault.code == "key_needed" else None, str(fault))
        return _provider_page(request, form, row, fault.status, report=report)
    if data["chat_model"]:
        providers.serve(Purpose.CHAT, kept, data["chat_model"], user, report=report)
    messages.success(request, _("Saved: %(name)s.") % {"name": kept.name})
    return redirect("llm:models")


@sensitive_post_parameters("api_key")
@login_required
@require_POST
def provider_test(request: HttpRequest, provider_id: UUID | None = None) -> HttpResponse:
    """Try an address without keeping anything."""
    _admin(request)
    row = providers.provider(provider_id) if provider_id else None
    form = ProviderForm(request.POST)
    report = None
    if form.is_valid():
        data = form.cleaned_data
        report = providers.try_provider(data["base_url"], data["api_key"], data["chat_model"], row)
    if is_htmx(request):
        return render(request, "llm/provider.html#report", {"report": report, "form": form})
    return _provider_page(request, form, row, 200 if report else 422, report=report)


@login_required
@require_POST
def provider_delete(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """Take a provider away."""
    user = _admin(request)
    row = Provider.objects.filter(pk=provider_id).first()
    if row is not None:
        try:
            providers.delete_provider(row, user)
        except KnowledgeError as fault:
            messages.error(request, str(fault))
        else:
            messages.success(request, _("Removed: %(name)s.") % {"name": row.name})
    return redirect("llm:models")
