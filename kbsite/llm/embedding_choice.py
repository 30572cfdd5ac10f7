"""Which embedder makes the vectors: chosen once, before there are any."""

from __future__ import annotations

import openai
from django.apps import apps
from django.db import transaction
from django.db.models import ForeignKey
from django.utils.translation import gettext as _

from kbsite.exceptions import Conflict
from kbsite.llm.errors import explained
from kbsite.llm.line import NO_KEY
from kbsite.llm.models import EmbeddingSpace, Provider
from kbsite.llm.spaces import active_space


@transaction.atomic
def embed_with(provider: Provider, model: str, dimension: int) -> EmbeddingSpace:
    """Make ``model`` of ``provider`` the embedder, in a space of its own.

    Raises Conflict when vectors of another are there already.
    """
    current = EmbeddingSpace.objects.select_for_update().get(pk=active_space().pk)
    if (current.provider_id, current.model, current.dimension) == (provider.pk, model, dimension):
        return current
    if _rests_on(current):
        raise Conflict(
            _("There are vectors of another model already. Leave the embedding model empty to keep it."),
            code="vectors_exist",
        )
    EmbeddingSpace.objects.filter(pk=current.pk).update(state=EmbeddingSpace.State.RETIRED)
    return EmbeddingSpace.objects.create(
        provider=provider, model=model, dimension=dimension, state=EmbeddingSpace.State.ACTIVE
    )


def dimension(base_url: str, api_key: str, model: str) -> int:
    """How many numbers a vector of ``model`` has. Raises ModelUnavailable."""
    client = openai.OpenAI(base_url=base_url, api_key=api_key or NO_KEY, max_retries=0, timeout=30.0)
    with explained():
        made = client.embeddings.create(model=model, input=["Hello."], encoding_format="float")
        return len(made.data[0].embedding)


def _rests_on(space: EmbeddingSpace) -> bool:
    """Whether any row of any app points at ``space``."""
    return any(
        field.model._base_manager.filter(**{field.name: space}).exists()
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, ForeignKey) and field.related_model is EmbeddingSpace
    )
