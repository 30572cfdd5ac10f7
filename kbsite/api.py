"""The JSON API, assembled: each app brings its router; every failure is a problem document."""

from __future__ import annotations

import logging

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DataError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from chat.api import conversations_router
from chat.api import router as chat_router
from documents.api import router as documents_router
from documents.folders_api import router as folders_router
from documents.upload_api import router as upload_router
from kbsite.accounts.api import router as people_router
from kbsite.accounts.auth import api_auth
from kbsite.exceptions import KnowledgeError
from kbsite.health_api import router as health_router
from kbsite.knowledge.api import router as knowledge_router
from kbsite.problems import problem
from kbsite.prompts.api import router as prompts_router
from kbsite.quick_setup.api import router as quick_setup_router
from search.api import router as search_router
from search.api import skills_router as skill_search_router
from skills.api import router as skills_router
from skills.bin.api import router as trash_router
from skills.bulk.api import router as skill_bulk_router
from skills.folder_pages.api import router as folder_pages_router
from skills.graph.api import router as graph_router
from skills.history.api import router as skill_history_router
from skills.links.api import router as skill_links_router
from skills.relations.api import router as skill_relations_router

log = logging.getLogger(__name__)

api = NinjaAPI(
    title="Skill-Know",
    version="1",
    docs_url="/docs",
    openapi_url="/openapi.json",
    auth=api_auth,
    urls_namespace="api",
)


@api.exception_handler(KnowledgeError)
def _known(request: HttpRequest, error: KnowledgeError) -> HttpResponse:
    return problem(error.status, str(error), error.code, **error.extra)


@api.exception_handler(Http404)
def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(404, _("There is no such thing, or you may not see it."), "not_found")


@api.exception_handler(AuthenticationError)
def _signed_out(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    detail = _("Send “Authorization: Bearer sk-kb-…” with a valid key, or sign in.")
    return problem(401, detail, "signed_out")


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [{"where": [str(part) for part in e["loc"]], "message": e["msg"]} for e in error.errors]
    first = errors[0] if errors else {"where": [], "message": ""}
    where = ".".join(first["where"][1:]) or _("The request")
    detail = f"{where}: {first['message']}"
    return problem(422, detail, "invalid", errors=errors)


@api.exception_handler(HttpError)
def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(error.status_code, str(error), "error")


@api.exception_handler(DataError)
@api.exception_handler(UnicodeEncodeError)
def _unstorable(request: HttpRequest, error: Exception) -> HttpResponse:
    log.info("%s %s sent what no row can hold: %s", request.method, request.path, error)
    return problem(422, _("The request holds characters or numbers that can’t be stored."), "invalid")


@api.exception_handler(MultiPartParserError)
@api.exception_handler(SuspiciousOperation)
def _unreadable(request: HttpRequest, error: Exception) -> HttpResponse:
    status = 413 if isinstance(error, RequestDataTooBig) else 400
    return problem(status, _("The request can’t be understood."), "unreadable_request")


@api.exception_handler(Exception)
def _unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("API request failed: %s %s", request.method, request.path, exc_info=error)
    return problem(500, _("Something went wrong here. It has been logged; try again."), "server_error")


api.add_router("/health", health_router)
api.add_router("", people_router)
api.add_router("/quick-setup", quick_setup_router)
api.add_router("/prompts", prompts_router)
api.add_router("/chat", chat_router)
api.add_router("/conversations", conversations_router)
api.add_router("/search", search_router)
api.add_router("/folders", folders_router)
api.add_router("/folders", folder_pages_router)
api.add_router("/documents/folders", folders_router, url_name_prefix="documents")
api.add_router("/documents", documents_router)
api.add_router("/upload", upload_router)
api.add_router("/skills", skill_search_router)  # before the router that takes any word for an id
api.add_router("/skills", skill_bulk_router)
api.add_router("/skills", skill_links_router)
api.add_router("/skills", skill_relations_router)
api.add_router("/skills", skill_history_router)
api.add_router("/skills", skills_router)
api.add_router("/trash", trash_router)
api.add_router("/knowledge", knowledge_router)
api.add_router("/graph", graph_router)
