"""What the admin site calls the fields and tables whose models name them only in code.

Set when the models are loaded: names of fields are no part of the database, and so of no migration.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.apps import apps
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

APPS = ("accounts", "llm", "prompts", "documents", "skills", "chat")
FIELDS: Mapping[str, StrOrPromise] = {
    "action": _("action"),
    "actor": _("who"),
    "added_by": _("added by"),
    "always_apply": _("always applies"),
    "archived": _("archived"),
    "at": _("when"),
    "attempts": _("attempts"),
    "author": _("author"),
    "batch": _("upload batch"),
    "code": _("code"),
    "comment": _("comment"),
    "completion_tokens": _("tokens out"),
    "config": _("settings"),
    "conversation": _("conversation"),
    "count": _("how many"),
    "created_at": _("added at"),
    "date_joined": _("joined at"),
    "deleted_at": _("deleted at"),
    "detail": _("details"),
    "df": _("passages that hold it"),
    "document": _("document"),
    "document_id": _("document"),
    "duplicate_of": _("same as"),
    "encoding": _("encoding"),
    "end": _("end"),
    "error": _("fault"),
    "fault": _("fault"),
    "finished_at": _("finished at"),
    "folder": _("folder"),
    "folder_id": _("folder"),
    "group": _("group"),
    "harmful": _("not helpful"),
    "hash": _("hash"),
    "heading": _("heading"),
    "heading_path": _("headings"),
    "heartbeat_at": _("last heartbeat"),
    "helpful": _("helpful"),
    "index_reason": _("why not indexed"),
    "index_state": _("index"),
    "language": _("language"),
    "last_used_at": _("last used at"),
    "latency_ms": _("milliseconds"),
    "layers_by_hand": _("layers written by hand"),
    "layers_stale": _("layers to be written"),
    "level": _("layer"),
    "markdown": _("text that was read"),
    "merged_into": _("merged into"),
    "message": _("message"),
    "metadata": _("metadata"),
    "mime": _("type"),
    "model": _("model"),
    "n": _("number"),
    "narrowed_to": _("limited to"),
    "needs": _("needs"),
    "number": _("number"),
    "on_duplicate": _("when it is here already"),
    "ordinal": _("number"),
    "page": _("page"),
    "pages": _("pages"),
    "parent": _("inside"),
    "passage": _("passage"),
    "passage_id": _("passage"),
    "pinned": _("pinned"),
    "placed_by_hand": _("placed by hand"),
    "prefix": _("beginning"),
    "prompt_tokens": _("tokens in"),
    "provider": _("provider"),
    "provider_name": _("provider"),
    "purpose": _("purpose"),
    "question": _("question"),
    "rating": _("rating"),
    "reason": _("reason"),
    "revoked_at": _("revoked at"),
    "role": _("role"),
    "run": _("last reading"),
    "scope": _("where to look"),
    "seq": _("number"),
    "sign": _("sign"),
    "skill": _("skill"),
    "slug": _("name in addresses"),
    "snapshot": _("as it was"),
    "source": _("skill"),
    "space": _("embedding space"),
    "start": _("start"),
    "started_at": _("started at"),
    "status": _("status"),
    "steps": _("steps"),
    "superseded": _("asked again"),
    "tags": _("tags"),
    "target": _("about"),
    "text": _("text"),
    "title": _("title"),
    "tokens": _("tokens"),
    "trigger_intents": _("intents that call for it"),
    "trigger_keywords": _("keywords that call for it"),
    "type": _("type"),
    "updated_at": _("updated at"),
    "updated_by": _("changed by"),
    "uri": _("address"),
    "usage": _("use"),
    "user": _("person"),
    "version": _("version"),
    "warnings": _("remarks"),
    "what": _("what happened"),
}
LEFT_IN_ENGLISH = (_("- Select an option -"),)  # by Django’s own Chinese
FROM_LIBRARIES = ("parent",)
TABLES: Mapping[str, tuple[StrOrPromise, StrOrPromise]] = {
    "skills.LayerVector": (_("vector"), _("vectors")),
    "skills.PassageTerms": (_("words of a passage"), _("words of passages")),
    "skills.Term": (_("word"), _("words")),
    "skills.TermDelta": (_("words not counted yet"), _("words not counted yet")),
    "chat.Event": (_("event"), _("events")),
}


def apply() -> None:
    """Name what has no name of its own; a name that a model gives stays."""
    for label in APPS:
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.local_fields:
                is_named = isinstance(field.verbose_name, Promise) and field.name not in FROM_LIBRARIES
                if field.name in FIELDS and not is_named:
                    field.verbose_name = FIELDS[field.name]
    for name, (one, many) in TABLES.items():
        options = apps.get_model(name)._meta
        options.verbose_name, options.verbose_name_plural = one, many
