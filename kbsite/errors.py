"""One page for people, whatever went wrong: what happened, what to do, and nothing lost."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from kbsite.exceptions import KnowledgeError
from kbsite.middleware import Both, is_htmx
from kbsite.problems import problem
from kbsite.toasts import trigger

log = logging.getLogger(__name__)

ONE_TEMPLATE_EACH = (400, 403, 404)


def _came_from(request: HttpRequest) -> str:
    """The page of ours the person came from, if that is another one; for "Go back"."""
    there = request.headers.get("Referer", "")
    try:
        ours = url_has_allowed_host_and_scheme(there, {request.get_host()}, request.is_secure())
    except DisallowedHost:
        return ""
    return there if ours and there != request.build_absolute_uri() else ""


def error_page(request: HttpRequest, status: int, sentence: str, code: str = "") -> HttpResponse:
    """A page; for an htmx request a toast over the page that is there; for the API a problem document."""
    if request.path.startswith("/api/"):
        return problem(status, sentence, code or "error")
    if is_htmx(request):
        response = HttpResponse(status=status, headers={"HX-Reswap": "none"})
        return trigger(response, {"text": sentence, "tone": "error"})
    template = f"{status if status in ONE_TEMPLATE_EACH else 'error'}.html"
    signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
    context = {
        "layout": "base.html" if signed_in else "bare.html",
        "status": status,
        "sentence": sentence,
        "code": code,
        "came_from": _came_from(request),
        "sent_something": request.method == "POST",
    }
    return render(request, template, context, status=status)


class ErrorPagesMiddleware(Both):
    """Turns a :class:`KnowledgeError` raised by a page into a page that says what to do.

    An htmx request whose session has ended is not led to the sign-in page, which would land in the middle
    of this one: it gets 401 and a toast with a link, and what was typed stays.
    """

    def after(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer; for htmx, 401 in place of the way to the sign-in page."""
        to = response.headers.get("Location", "")
        if not (is_htmx(request) and response.status_code == 302 and to.startswith(str(settings.LOGIN_URL))):
            return response
        toast = {
            "text": _("You are signed out. Sign in in another tab, then try again; nothing here is lost."),
            "tone": "error",
            "href": str(settings.LOGIN_URL),
            "label": _("Sign in"),
        }
        return trigger(HttpResponse(status=401, headers={"HX-Reswap": "none"}), toast)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for a :class:`KnowledgeError`, and for what no row can hold (NUL, numbers too large).

        Everything else goes its way. The API has its own.
        """
        if request.path.startswith("/api/"):
            return None
        if isinstance(error, DataError | OverflowError):
            log.info("%s %s sent what no row can hold: %s", request.method, request.path, error)
            return bad_request(request)
        if not isinstance(error, KnowledgeError):
            return None
        if error.status >= 500:
            log.warning("%s %s: %s", request.method, request.path, error)
        return error_page(request, error.status, str(error), error.code)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request can't be understood."""
    return error_page(request, 400, _("The browser sent something that can’t be understood here."))


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: seen, but not allowed."""
    return error_page(request, 403, _("Your role does not allow this. An admin can change it."))


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: not there, or not for this person."""
    return error_page(
        request, 404, _("It may have been moved or deleted, or it is not open to you."), "not_found"
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: a form from a page that was open too long, or a browser without cookies."""
    log.info("CSRF check failed: %s", reason)
    return error_page(
        request,
        403,
        _("This page was open too long, or the browser keeps no cookies. Load it again and send it again."),
        "csrf",
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500, from a template that needs neither database nor session."""
    if request.path.startswith("/api/"):
        return problem(500, _("Something went wrong here. It has been logged; try again."), "server_error")
    if is_htmx(request):
        text = _("Something went wrong here. It has been logged; nothing is lost. Try again.")
        return trigger(HttpResponse(status=500), {"text": text, "tone": "error"})
    return HttpResponse(render_to_string("500.html"), status=500)
