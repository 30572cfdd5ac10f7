"""Embeddings from a provider, a well-behaved one and others."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.models import ModelCall, Provider
from kbsite.llm.openai_embeddings import ATTEMPTS, OpenAIEmbedder
from kbsite.llm.secrets import encrypt
from tests.model_double import KEY, ModelDouble
from tests.model_replies import Reply, rate_limited

pytestmark = pytest.mark.django_db


@pytest.fixture
def waits() -> list[float]:
    """How long the embedder waited each time, in seconds; nobody really waits."""
    return []


@pytest.fixture
def provider(model_double: ModelDouble) -> Provider:
    """The double as a provider."""
    return Provider.objects.create(name="Double", base_url=model_double.url, key_encrypted=encrypt(KEY))


@pytest.fixture
def embed(provider: Provider, model_double: ModelDouble, waits: list[float]) -> OpenAIEmbedder:
    """The double's embedding model."""
    return OpenAIEmbedder(provider, "double-embed", model_double.dimension, wait=waits.append)


def answer(*rows: list[Any]) -> Reply:
    """A reply with these vectors, whatever they are."""
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    return Reply(raw=json.dumps({"object": "list", "model": "double-embed", "data": data}).encode())


def asked(double: ModelDouble) -> list[list[str]]:
    """The texts of each embedding request."""
    return [request.body["input"] for request in double.requests if request.path.endswith("/embeddings")]


def test_many_texts_go_in_batches_and_come_back_in_order(
    embed: OpenAIEmbedder, model_double: ModelDouble
) -> None:
    """150 texts are three requests; each vector has unit length; each request is counted."""
    texts = [f"text {n}" for n in range(150)]
    vectors = embed.embed_passages(texts)
    assert [len(batch) for batch in asked(model_double)] == [64, 64, 22]
    assert vectors.shape == (150, model_double.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[77], embed.embed_query("text 77"), atol=1e-6)
    assert ModelCall.objects.filter(purpose="embedding", error="").count() == 4


def test_only_the_batch_that_was_refused_is_sent_again_and_not_too_early(
    embed: OpenAIEmbedder, model_double: ModelDouble, waits: list[float]
) -> None:
    """429 with Retry-After in the second batch: the first is not paid for twice."""
    model_double.queue_embeddings(None, rate_limited(7), rate_limited(3))
    embed.embed_passages([f"text {n}" for n in range(100)])
    assert [len(batch) for batch in asked(model_double)] == [64, 36, 36, 36]
    assert waits == [7, 3]


def test_a_wait_too_long_is_left_to_whoever_asked(
    embed: OpenAIEmbedder, model_double: ModelDouble, waits: list[float]
) -> None:
    """The fault says how long, so that the task can come back then."""
    model_double.queue_embeddings(rate_limited(600))
    with pytest.raises(ModelUnavailable) as fault:
        embed.embed_passages(["a"])
    assert (fault.value.code, fault.value.extra["retry_after"], waits) == ("rate_limited", 600, [])


def test_a_server_that_stays_broken_is_given_up(
    embed: OpenAIEmbedder, model_double: ModelDouble, waits: list[float]
) -> None:
    """After some tries, ever further apart; each try is counted with its fault."""
    model_double.queue_embeddings(*[Reply(status=500, error="boom")] * ATTEMPTS)
    with pytest.raises(ModelUnavailable) as fault:
        embed.embed_passages(["a"])
    assert fault.value.code == "server_error"
    assert waits == [1, 2, 4, 8]
    assert ModelCall.objects.filter(error="server_error").count() == ATTEMPTS


def test_a_person_who_waits_gets_the_fault_at_once(
    embed: OpenAIEmbedder, model_double: ModelDouble, waits: list[float]
) -> None:
    """A search goes on by words instead."""
    model_double.queue_embeddings(Reply(status=500, error="boom"))
    with pytest.raises(ModelUnavailable):
        embed.embed_query("a")
    assert waits == []


def test_a_provider_that_takes_few_texts_at_once_gets_few(
    embed: OpenAIEmbedder, model_double: ModelDouble
) -> None:
    """The size that works is kept; what had come is not asked for again."""
    too_many = Reply(status=400, error="batch size is invalid, it should not be larger than 10")
    model_double.queue_embeddings(too_many, too_many, too_many)
    vectors = embed.embed_passages([f"text {n}" for n in range(20)])
    assert [len(batch) for batch in asked(model_double)] == [20, 10, 5, 2, *[2] * 9]
    assert len(vectors) == 20


@pytest.mark.parametrize("row", [[0.0, 0.0], [float("nan"), 1.0], [1e400, 1.0], [], ["a", 1]])
def test_vectors_that_are_no_vectors_are_refused(
    provider: Provider, model_double: ModelDouble, row: list[Any]
) -> None:
    """Nothing of the kind is ever stored."""
    model_double.queue_embeddings(answer(row))
    with pytest.raises(ModelUnavailable) as fault:
        OpenAIEmbedder(provider, "double-embed", 2).embed_query("a")
    assert fault.value.code == "bad_reply"


def test_a_vector_too_few_is_noticed(provider: Provider, model_double: ModelDouble) -> None:
    """No text gets another text's vector."""
    model_double.queue_embeddings(answer([1, 0]))
    with pytest.raises(ModelUnavailable) as fault:
        OpenAIEmbedder(provider, "double-embed", 2).embed_passages(["a", "b"])
    assert fault.value.code == "bad_reply"


def test_another_dimension_is_refused_with_both_numbers(
    provider: Provider, model_double: ModelDouble
) -> None:
    """Somebody changed the model behind the name: vectors never mix."""
    with pytest.raises(ModelUnavailable, match=str(model_double.dimension)) as fault:
        OpenAIEmbedder(provider, "double-embed", 99).embed_query("a")
    assert "99" in str(fault.value)
    assert not fault.value.retryable


def test_what_is_sent_fits_every_model(embed: OpenAIEmbedder, model_double: ModelDouble) -> None:
    """Neither empty nor endless, and nothing that JSON or a server can't carry."""
    embed.embed_passages(["", "  ", "a\x00b\ud800c", "很长的一段话。" * 5_000])
    (sent,) = asked(model_double)
    assert sent[:3] == ["-", "-", "abc"]
    assert len(sent[3]) < 3_000


def test_the_wrong_key_is_said_without_the_key(provider: Provider) -> None:
    """And not tried again and again."""
    Provider.objects.filter(pk=provider.pk).update(key_encrypted=encrypt("sk-wrong-1234567890"))
    provider.refresh_from_db()
    with pytest.raises(ModelUnavailable) as fault:
        OpenAIEmbedder(provider, "double-embed", 16).embed_passages(["a"])
    assert fault.value.code == "bad_key"
    assert "sk-wrong" not in str(fault.value)
    assert "sk-wrong" not in json.dumps(list(ModelCall.objects.values("error", "model", "provider_name")))
