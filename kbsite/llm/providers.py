"""Providers and what they serve: kept, changed, taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from django.db import connection, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from kbsite.accounts.audit import record
from kbsite.exceptions import Conflict, InvalidInput, KnowledgeError, NotFound
from kbsite.llm.connection import ConnectionReport, normalise_base_url, test_connection
from kbsite.llm.models import Provider, Purpose, PurposeModel
from kbsite.llm.secrets import decrypt, encrypt
from kbsite.text import storable

if TYPE_CHECKING:
    from kbsite.accounts.models import User

_LOCK = 0x6B62_5056  # "kbPV"


def provider(provider_id: UUID) -> Provider:
    """The provider of that id. Raises NotFound."""
    found = Provider.objects.filter(pk=provider_id).first()
    if found is None:
        raise NotFound(_("There is no such provider."))
    return found


@sensitive_variables("api_key")
@transaction.atomic
def save_provider(
    base_url: str,
    api_key: str = "",
    *,
    name: str = "",
    existing: Provider | None = None,
    user: User | None = None,
) -> Provider:
    """Keep a provider: a new one, or ``existing`` changed.

    Without a key the stored one stays, unless the address now leads elsewhere: a key is never sent
    to a place it was not entered for. A form sent twice makes one provider. Raises InvalidInput.
    """
    address = normalise_base_url(base_url)
    called = storable(name).strip()[:100] or (urlsplit(address).hostname or address)[:100]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    row = existing or Provider.objects.filter(base_url=address, name=called).first()
    row = row or Provider.objects.filter(base_url=address, name="").first() or Provider()
    if not api_key.strip() and row.key_encrypted and not same_place(row.base_url, address):
        raise InvalidInput(_("The address has changed: enter the key for it again."), code="key_needed")
    row.name, row.base_url = called, address
    if api_key.strip():
        row.key_encrypted = encrypt(storable(api_key).strip())
    row.save()
    record(user, "provider.save", row.name, base_url=address, key_entered=bool(api_key.strip()))
    return row


def same_place(one: str, other: str) -> bool:
    """Whether two addresses lead to the same server."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]


@sensitive_variables("api_key", "key")
def try_provider(
    base_url: str, api_key: str, chat_model: str = "", existing: Provider | None = None
) -> ConnectionReport:
    """Test an address with the key entered, or with the stored one where that belongs to it."""
    key = api_key.strip()
    try:
        if not key and existing is not None and same_place(existing.base_url, normalise_base_url(base_url)):
            key = decrypt(existing.key_encrypted)
    except KnowledgeError as fault:
        return ConnectionReport(success=False, message=str(fault), code=fault.code)
    return test_connection(base_url, key, chat_model)


def delete_provider(row: Provider, user: User) -> None:
    """Take a provider away; what it served falls back to the chat model or the offline one.

    Raises Conflict while vectors rest on it.
    """
    try:
        row.delete()
    except ProtectedError:
        raise Conflict(
            _("This provider made the vectors that search rests on. Choose another embedding model first.")
        ) from None
    record(user, "provider.delete", row.name, base_url=row.base_url)


@transaction.atomic
def serve(
    purpose: Purpose,
    row: Provider,
    model: str,
    user: User | None = None,
    *,
    report: ConnectionReport | None = None,
) -> PurposeModel:
    """Let ``model`` of that provider serve ``purpose``; ``report`` says what it can do, if it was tested.

    Raises InvalidInput without a model's name.
    """
    named = storable(model).strip()[:200]
    if not named:
        raise InvalidInput(_("Name the model."), code="no_model")
    served, _made = PurposeModel.objects.update_or_create(
        purpose=purpose,
        defaults={
            "provider": row,
            "model": named,
            "calls_tools": report is None or report.calls_tools is not False,
            "takes_system": report is None or report.takes_system is not False,
        },
    )
    record(user, "model.choose", f"{purpose}: {named}", provider=row.name)
    return served


def stop_serving(purpose: Purpose, user: User) -> None:
    """Back to the chat model; for the chat itself back to the offline one."""
    deleted, _rows = PurposeModel.objects.filter(purpose=purpose).delete()
    if deleted:
        record(user, "model.clear", purpose)
