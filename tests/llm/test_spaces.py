"""Embedding spaces: made on first use, built beside one another, switched in one step."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from django.db import connection

from kbsite.exceptions import Conflict, ModelUnavailable
from kbsite.llm import spaces
from kbsite.llm.calibration import calibrate
from kbsite.llm.embedding import active_space, embedder
from kbsite.llm.models import EmbeddingSpace, Provider
from kbsite.llm.secrets import encrypt
from tests.model_double import KEY, ModelDouble
from tests.model_replies import Reply

State = EmbeddingSpace.State


@pytest.fixture
def provider(db: None, model_double: ModelDouble) -> Provider:
    """The double as a provider."""
    return Provider.objects.create(name="Double", base_url=model_double.url, key_encrypted=encrypt(KEY))


@pytest.mark.django_db(transaction=True)
def test_ten_at_once_make_one_space() -> None:
    """Web processes and workers may all start on an empty database."""
    made: list[int] = []

    def ask() -> None:
        made.append(active_space().pk)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 10
    assert len(set(made)) == EmbeddingSpace.objects.count() == 1


@pytest.mark.django_db
def test_asking_for_the_active_space_is_one_small_query(django_assert_num_queries: object) -> None:
    """It is asked at every search."""
    active_space()
    with django_assert_num_queries(1) as asked:  # type: ignore[operator]
        space = active_space()
    assert '"cohort"' not in asked.captured_queries[0]["sql"]
    assert embedder(space).dimension == space.dimension == 384


def test_a_new_space_is_built_beside_the_old_one_and_switched_in_one_step(
    provider: Provider, model_double: ModelDouble
) -> None:
    """Until the switch the old one is searched; new vectors belong in both."""
    old = active_space()
    new = spaces.build_space(provider, "double-embed")
    assert (new.state, new.dimension) == (State.BUILDING, model_double.dimension)
    assert active_space() == old
    assert spaces.written_spaces() == [old, new]
    spaces.switch_to(new)
    assert active_space() == new
    assert spaces.written_spaces() == [new]
    old.refresh_from_db()
    assert old.state == State.RETIRED
    vector = embedder(new).embed_query("hello")
    assert vector.shape == (model_double.dimension,)
    assert calibrate(new, vector).deviation > 0


def test_building_the_same_space_twice_makes_one(provider: Provider) -> None:
    """A form sent twice, or a change of mind and back."""
    old = active_space()
    new = spaces.build_space(provider, "double-embed")
    assert spaces.build_space(provider, "double-embed") == new
    spaces.switch_to(new)
    assert spaces.build_space(None) == old
    old.refresh_from_db()
    assert old.state == State.BUILDING


def test_a_space_given_up_is_not_switched_to(provider: Provider) -> None:
    """Nor is the one that search rests on given up."""
    new = spaces.build_space(provider, "double-embed")
    spaces.give_up(new)
    with pytest.raises(Conflict):
        spaces.switch_to(new)
    with pytest.raises(Conflict):
        spaces.give_up(active_space())
    assert spaces.written_spaces() == [active_space()]


def test_a_model_that_does_not_answer_makes_no_space(provider: Provider, model_double: ModelDouble) -> None:
    """The fault is said, and everything stays as it was."""
    model_double.queue_embeddings(Reply(status=401, error="no"))
    with pytest.raises(ModelUnavailable):
        spaces.build_space(provider, "double-embed")
    assert not EmbeddingSpace.objects.exclude(state=State.ACTIVE).exists()


def test_vectors_of_spaces_never_mix(provider: Provider) -> None:
    """A vector of another size is refused where it could be compared."""
    new = spaces.build_space(provider, "double-embed")
    with pytest.raises(ValueError, match="size"):
        calibrate(new, np.ones(384, np.float32))
    with pytest.raises(ModelUnavailable):
        embedder(EmbeddingSpace(model="multilingual-e5-small", dimension=1024))


def test_a_changed_key_is_used_from_the_next_call_on(provider: Provider) -> None:
    """No process has to be started again."""
    space = spaces.build_space(provider, "double-embed")
    first = embedder(space)
    assert embedder(space) is first
    provider.key_encrypted = encrypt("sk-another-1234567890")
    provider.save()
    space.refresh_from_db()
    with pytest.raises(ModelUnavailable) as fault:
        embedder(space).embed_query("a")
    assert fault.value.code == "bad_key"
