"""The first run: three steps at most, each skippable where the product works without it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from kbsite.accounts.auth import person, require
from kbsite.exceptions import Conflict, KnowledgeError
from kbsite.llm.connection import ConnectionReport, test_connection
from kbsite.middleware import is_htmx
from kbsite.quick_setup import first_admin, samples, steps
from kbsite.quick_setup.choice import connect, go_offline
from kbsite.quick_setup.forms import AccountForm, ModelForm
from kbsite.quick_setup.models import Setup
from kbsite.quick_setup.token import admin_exists


def _stage(request: HttpRequest, step: str, status: int = 200, **context: object) -> HttpResponse:
    shown = {"step": step, "state": steps.state(), **context}
    return render(request, f"quick_setup/{step}.html", shown, status=status)


def _closed(request: HttpRequest) -> HttpResponse | None:
    """What everybody but an admin gets once there is an admin."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    require(person(request), "administer")
    return None


def setup(request: HttpRequest) -> HttpResponse:
    """Lead to the step that comes next."""
    if not admin_exists():
        return account(request)
    if closed := _closed(request):
        return closed
    step = steps.state().current
    return redirect("quick_setup:model" if step in ("model", "done") else f"quick_setup:{step}")


def account(request: HttpRequest) -> HttpResponse:
    """Step 1: the first admin, with the console's token."""
    if admin_exists():
        return redirect("quick_setup:setup")
    if request.method != "POST":
        return _stage(request, "account", form=AccountForm(initial={"token": request.GET.get("token", "")}))
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _stage(request, "account", 422, form=form)
    data = form.cleaned_data
    try:
        user = first_admin.make_first_admin(data["token"], data["email"], data["password"], data["name"])
    except Conflict:
        return redirect("accounts:login")
    except KnowledgeError as error:
        form.add_error("token" if error.code == "bad_token" else None, str(error))
        return _stage(request, "account", error.status, form=form)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("quick_setup:model")


def model(request: HttpRequest) -> HttpResponse:
    """Step 2: a language model, tested before it is kept, or none yet."""
    if closed := _closed(request):
        return closed
    if request.method != "POST":
        config = steps.config()
        return _stage(request, "model", form=ModelForm(initial={**config, "embedding_model": ""}))
    form = ModelForm(request.POST)
    if not form.is_valid():
        return _stage(request, "model", 422, form=form)
    if form.cleaned_data["choice"] == "offline":
        go_offline(person(request))
        return redirect("quick_setup:samples")
    report = _tested(form)
    if not report.success and "anyway" not in request.POST:
        return _stage(request, "model", 422, form=form, report=report, offer_anyway=True)
    try:
        connect(person(request), form.cleaned_data, report)
    except KnowledgeError as error:
        form.add_error(None, str(error))
        return _stage(request, "model", error.status, form=form, report=report)
    return redirect("quick_setup:samples")


def _tested(form: ModelForm) -> ConnectionReport:
    data = form.cleaned_data
    return test_connection(
        data.get("base_url", ""),
        data.get("api_key", ""),
        data.get("chat_model", ""),
        data.get("embedding_model", ""),
    )


@require_POST
def model_test(request: HttpRequest) -> HttpResponse:
    """Try the model with a real question; what it offers fills the list of names."""
    if closed := _closed(request):
        return closed
    form = ModelForm(request.POST)
    form.is_valid()
    if not form.cleaned_data.get("base_url"):
        return _stage(request, "model", 422, form=form)
    report = _tested(form)
    if is_htmx(request):
        return render(request, "quick_setup/model.html#report", {"report": report})
    return _stage(request, "model", form=form, report=report)


def samples_step(request: HttpRequest) -> HttpResponse:
    """Step 3: sample knowledge to try it with, or an empty base."""
    if closed := _closed(request):
        return closed
    if request.method != "POST":
        return _stage(request, "samples")
    if "add" in request.POST and samples.add_samples(person(request)):
        messages.success(request, _("The samples are being read. They can be found in a few seconds."))
    Setup.load().finish()
    return redirect("chat:ask")
