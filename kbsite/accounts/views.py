"""Pages about oneself: signing in and out, preferences, keys."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from kbsite.accounts.audit import record
from kbsite.accounts.auth import person
from kbsite.accounts.forms import KeyForm, PasswordForm, ProfileForm
from kbsite.accounts.keys import make_key, revoke
from kbsite.accounts.models import ApiKey
from kbsite.accounts.signing_in import SignInForm


class SignIn(LoginView):
    """The sign-in page."""

    template_name = "accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


def _page(request: HttpRequest, status: int = 200, **context: object) -> HttpResponse:
    user = person(request)
    shown = {
        "profile_form": ProfileForm(instance=user),
        "password_form": PasswordForm(user=user),
        "key_form": KeyForm(),
        "keys": user.api_keys.filter(revoked_at=None),
        **context,
    }
    return render(request, "accounts/me.html", shown, status=status)


@login_required
def me(request: HttpRequest) -> HttpResponse:
    """Name, language, theme."""
    if request.method != "POST":
        return _page(request)
    form = ProfileForm(request.POST, instance=person(request))
    if not form.is_valid():
        return _page(request, 422, profile_form=form)
    form.save()
    messages.success(request, _("Saved."))
    return redirect("accounts:me")


@login_required
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """Change one's password; other sessions end."""
    user = person(request)
    form = PasswordForm(request.POST, user=user)
    if not form.is_valid():
        return _page(request, 422, password_form=form)
    user.set_password(form.cleaned_data["new"])
    user.save(update_fields=["password"])
    update_session_auth_hash(request, user)
    record(user, "password.changed", user.email)
    messages.success(request, _("Your password is changed. Other browsers have to sign in again."))
    return redirect("accounts:me")


@login_required
@require_POST
def key_make(request: HttpRequest) -> HttpResponse:
    """Make a key and show it, this once."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, key_form=form)
    user = person(request)
    key, token = make_key(user, form.cleaned_data["name"], read_only=form.cleaned_data["read_only"])
    record(user, "key.made", str(key))
    return _page(request, new_key=key, new_token=token)


@login_required
@require_POST
def key_revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Revoke one's own key."""
    user = person(request)
    key = get_object_or_404(ApiKey, pk=key_id, user=user)
    revoke(key)
    record(user, "key.revoked", str(key))
    messages.success(request, _("The key “%(name)s” no longer works.") % {"name": key.name})
    return redirect("accounts:me")
