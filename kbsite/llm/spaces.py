"""Embedding spaces as rows. One is active: searched and written. Another may be built beside it.

Vectors of different spaces are never compared: each vector names its space, each space has its
own index, and an embedder refuses vectors of another size than its space's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from django.db import connection, transaction
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from kbsite.exceptions import Conflict
from kbsite.llm import cohort
from kbsite.llm.embedders import BUILT_IN_DIMENSION, BUILT_IN_MODEL, embedder
from kbsite.llm.models import EmbeddingSpace, Provider
from kbsite.llm.openai_embeddings import OpenAIEmbedder

State = EmbeddingSpace.State
_LOCK = 0x6B62_5350  # "kbSP"


def active_space() -> EmbeddingSpace:
    """The space that is searched and written; the built-in one is made on first use.

    Safe when many processes ask at once. One query, so that a switch is seen at once everywhere.
    """
    return _active() or _make_built_in()


def _active() -> EmbeddingSpace | None:
    spaces = EmbeddingSpace.objects.select_related("provider").defer("cohort")
    return spaces.filter(state=State.ACTIVE).first()


def _make_built_in() -> EmbeddingSpace:
    with _locked():
        made = _active()
        if made is None:
            made = EmbeddingSpace.objects.create(
                model=BUILT_IN_MODEL, dimension=BUILT_IN_DIMENSION, state=State.ACTIVE
            )
            cohort_vectors(made)
        return made


def build_space(provider: Provider | None, model: str = BUILT_IN_MODEL) -> EmbeddingSpace:
    """A space for ``model`` of ``provider`` (None: the built-in one), with its cohort embedded.

    State "building", or as it is when it is the active one. A space retired before is built on:
    what changed since then has no vectors in it yet. The dimension is found by a test call.
    Raises ModelUnavailable.
    """
    dimension = BUILT_IN_DIMENSION
    if provider is not None:
        dimension = len(OpenAIEmbedder(provider, model).embed_query("Hello."))
    with _locked():
        space, _made = EmbeddingSpace.objects.get_or_create(
            provider=provider, model=model, dimension=dimension
        )
        if space.state == State.RETIRED:
            space.state = State.BUILDING
            space.save(update_fields=["state"])
    cohort_vectors(space)
    return space


def switch_to(space: EmbeddingSpace) -> None:
    """Search and write ``space`` from now on; the one before is retired. All in one step.

    That its vectors are complete is for the caller to know. Raises Conflict when the space was
    given up meanwhile.
    """
    with _locked():
        space.refresh_from_db(fields=["state"])
        if space.state == State.RETIRED:
            raise Conflict(_("This embedding space was given up. Build it again first."), code="retired")
        EmbeddingSpace.objects.filter(state=State.ACTIVE).exclude(pk=space.pk).update(state=State.RETIRED)
        space.state = State.ACTIVE
        space.save(update_fields=["state"])


def give_up(space: EmbeddingSpace) -> None:
    """Stop building ``space``. Raises Conflict when it is the active one."""
    with _locked():
        if (
            not EmbeddingSpace.objects.filter(pk=space.pk)
            .exclude(state=State.ACTIVE)
            .update(state=State.RETIRED)
        ):
            raise Conflict(_("Search rests on this embedding space."), code="in_use")


def written_spaces() -> list[EmbeddingSpace]:
    """Every space that new vectors belong in: the active one first, then those being built."""
    active = active_space()
    building = EmbeddingSpace.objects.filter(state=State.BUILDING).select_related("provider").defer("cohort")
    return [active, *building.order_by("pk")]


@contextmanager
def _locked() -> Iterator[None]:
    """A transaction in which no other process makes or switches spaces."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


def cohort_vectors(space: EmbeddingSpace) -> NDArray[np.float32]:
    """The space's embedded cohort, shape (texts, dimension); made and kept when it isn't there yet.

    Raises ModelUnavailable when it has to be made and the embedder doesn't answer.
    """
    if not space.cohort:
        vectors = _embed_cohort(space)
        space.cohort = vectors.astype("<f4").tobytes()
        space.save(update_fields=["cohort"])
    return np.frombuffer(bytes(space.cohort), "<f4").reshape(-1, space.dimension)


def _embed_cohort(space: EmbeddingSpace) -> NDArray[np.float32]:
    shipped = cohort.built_in_vectors() if space.provider_id is None else None
    return embedder(space).embed_passages(cohort.texts()) if shipped is None else shipped
