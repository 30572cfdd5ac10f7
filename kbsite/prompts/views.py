"""Prompts, for curators: read, change, compare with what ships, bring that back."""

from __future__ import annotations

from itertools import groupby

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from kbsite.accounts.auth import person, require
from kbsite.accounts.models import User
from kbsite.difference import difference
from kbsite.exceptions import KnowledgeError
from kbsite.prompts import store


class PromptForm(forms.Form):
    """A prompt's text, and the version it was when the page was opened."""

    content = forms.CharField(
        label=gettext_lazy("Text"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"class": "mono", "rows": 20, "spellcheck": "false"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)


def _curator(request: HttpRequest) -> User:
    user = person(request)
    require(user, "curate")
    return user


def _categories() -> dict[str, str]:
    return {"analyze": _("Reading documents"), "chat": _("Chat"), "dedupe": _("Duplicates")}


@login_required
def listing(request: HttpRequest) -> HttpResponse:
    """All prompts by category."""
    _curator(request)
    named = _categories()
    groups = [
        (named.get(category, category), list(found))
        for category, found in groupby(store.prompts(), key=lambda p: p.category)
    ]
    return render(request, "prompts/list.html", {"groups": groups})


def _page(request: HttpRequest, shown: store.Prompt, form: PromptForm, status: int = 200) -> HttpResponse:
    context = {
        "prompt": shown,
        "category": _categories().get(shown.category, shown.category),
        "form": form,
        "difference": difference(shown.default_content, shown.content),
    }
    return render(request, "prompts/prompt.html", context, status=status)


@login_required
def prompt(request: HttpRequest, key: str) -> HttpResponse:
    """One prompt: its text to change, and how it differs from the shipped one."""
    user = _curator(request)
    shown = store.prompt(key)
    if request.method != "POST":
        return _page(request, shown, PromptForm(initial={"content": shown.content, "version": shown.version}))
    form = PromptForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, form, 422)
    try:
        store.save_override(key, form.cleaned_data["content"], user, version=form.cleaned_data["version"])
    except KnowledgeError as fault:
        form.add_error("content", str(fault))
        return _page(request, shown, form, fault.status)
    messages.success(request, _("Saved. It is used from now on."))
    return redirect("prompts:prompt", key=key)


@login_required
@require_POST
def reset(request: HttpRequest, key: str) -> HttpResponse:
    """Bring the shipped text back."""
    store.reset(key, _curator(request))
    messages.success(request, _("The shipped text is back."))
    return redirect("prompts:prompt", key=key)
