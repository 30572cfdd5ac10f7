"""The first choice of a model: one for everything."""

from __future__ import annotations

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from kbsite.llm.connection import ConnectionReport, normalise_base_url
from kbsite.llm.embedding_choice import dimension, embed_with
from kbsite.llm.models import Provider, Purpose, PurposeModel
from kbsite.llm.providers import save_provider, serve
from kbsite.llm.secrets import decrypt


@sensitive_variables("api_key", "key")
def choose_model(
    base_url: str,
    api_key: str,
    chat_model: str,
    embedding_model: str = "",
    *,
    report: ConnectionReport | None = None,
) -> PurposeModel:
    """Keep the provider and let ``chat_model`` serve every purpose.

    Choosing again changes what was chosen. Without a key, the one stored for the same address
    stays. Raises InvalidInput; when an embedding model is named, also ModelUnavailable (it doesn't
    answer) and Conflict (other vectors are there already).
    """
    address, embedder = normalise_base_url(base_url), embedding_model.strip()
    known = Provider.objects.filter(base_url=address).first()
    key = api_key.strip() or decrypt(known.key_encrypted if known else "")
    made = dimension(address, key, embedder) if embedder else 0
    with transaction.atomic():
        row = save_provider(address, api_key, name=known.name if known else "", existing=known)
        chosen = serve(Purpose.CHAT, row, chat_model, report=report)
        PurposeModel.objects.exclude(purpose=Purpose.CHAT).delete()
        if embedder:
            embed_with(row, embedder, made)
    return chosen
