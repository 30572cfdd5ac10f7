"""Embeddings from any endpoint that speaks the OpenAI wire format."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

import numpy as np
import openai
from django.conf import settings
from django.utils.translation import gettext as _
from numpy.typing import NDArray
from openai.types import CreateEmbeddingResponse

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.e5.tokenizer import LONGEST, tokenizer
from kbsite.llm.errors import explain
from kbsite.llm.line import NO_KEY
from kbsite.llm.models import ModelCall, Provider
from kbsite.llm.secrets import decrypt
from kbsite.text import storable

log = logging.getLogger(__name__)

PURPOSE = "embedding"
MOST_TEXTS = 64
ATTEMPTS = 5
LONGEST_WAIT_SECONDS = 60.0
_TOO_MUCH_AT_ONCE = {400, 413, 422}
_PASSING = {"rate_limited", "server_error", "timeout", "unreachable", "cut_off"}

Vectors = NDArray[np.float32]


class OpenAIEmbedder:
    """One model of one provider. Texts are cut to 512 tokens of the built-in model.

    ``dimension`` None takes any; else another size is refused. Every request is a ModelCall row.
    """

    def __init__(
        self,
        provider: Provider,
        model: str,
        dimension: int | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self.dimension = dimension or 0
        self._provider = provider
        self._wait = wait
        self._most = MOST_TEXTS
        self._client = openai.OpenAI(
            base_url=provider.base_url,
            api_key=decrypt(provider.key_encrypted) or NO_KEY,
            max_retries=0,
            timeout=settings.KB_MODEL_TIMEOUT_SECONDS,
        )

    def embed_query(self, text: str) -> Vectors:
        """See :class:`kbsite.llm.embedding.Embedder`. A person waits, so it is tried once.

        Raises ModelUnavailable.
        """
        vector: Vectors = self._embed([_fitting(text)], attempts=1)[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See :class:`kbsite.llm.embedding.Embedder`.

        A batch that fails for a while is tried again, as late as the provider says; those before
        it are kept. Raises ModelUnavailable.
        """
        vectors = [np.empty((0, self.dimension), np.float32)] if not texts else []
        at = 0
        while at < len(texts):
            batch = [_fitting(text) for text in texts[at : at + self._most]]
            try:
                vectors.append(self._embed(batch, ATTEMPTS))
            except _TooMuch:
                self._most = max(1, len(batch) // 2)
            else:
                at += len(batch)
        return np.concatenate(vectors)

    def _embed(self, texts: list[str], attempts: int) -> Vectors:
        for left in reversed(range(attempts)):
            try:
                return self._once(texts)
            except ModelUnavailable as fault:
                wait = _seconds_to_wait(fault, attempts - left)
                passing = fault.retryable and fault.code in _PASSING and wait <= LONGEST_WAIT_SECONDS
                if not left or not passing:
                    raise
                log.info("Embeddings from %s wait %.0f s: %s", self._provider, wait, fault)
                self._wait(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, texts: list[str]) -> Vectors:
        began = time.monotonic()
        try:
            answer = self._client.embeddings.create(model=self.model, input=texts, encoding_format="float")
            vectors = self._checked(answer, len(texts))
        except (openai.OpenAIError, ModelUnavailable, ValueError, TypeError, AttributeError) as error:
            if len(texts) > 1 and getattr(error, "status_code", 0) in _TOO_MUCH_AT_ONCE:
                raise _TooMuch from None
            fault = explain(error)
            self._record(began, error=fault.code)
            raise fault from None
        self._record(began, tokens=getattr(answer.usage, "prompt_tokens", 0) or 0)
        return vectors

    def _checked(self, answer: CreateEmbeddingResponse, wanted: int) -> Vectors:
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(wanted)):
            raise ValueError("vectors are missing")
        vectors = np.array([row.embedding for row in rows], np.float32)
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise ValueError("vectors differ in size")
        if self.dimension and vectors.shape[1] != self.dimension:
            sentence = _(
                "The embedding model “%(model)s” gave vectors of %(got)d numbers where %(expected)d are "
                "stored. Choose it again under Models to build its vectors anew."
            ) % {"model": self.model, "got": vectors.shape[1], "expected": self.dimension}
            raise ModelUnavailable(sentence, code="bad_reply", retryable=False)
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (sizes > 0).all():
            sentence = _("The embedding model “%(model)s” gave vectors that are no numbers.")
            raise ModelUnavailable(sentence % {"model": self.model}, code="bad_reply")
        unit: Vectors = vectors / sizes
        return unit

    def _record(self, began: float, *, tokens: int = 0, error: str = "") -> None:
        ModelCall.objects.create(
            purpose=PURPOSE,
            provider_name=self._provider.name[:100],
            model=self.model[:200],
            prompt_tokens=tokens,
            latency_ms=round((time.monotonic() - began) * 1000),
            error=error[:40],
        )


class _TooMuch(Exception):
    """The provider refuses so many texts in one request."""


def _fitting(text: str) -> str:
    """``text`` as every endpoint takes it: not empty, and not longer than small models can read."""
    return tokenizer().head(storable(text), LONGEST - 2).strip() or "-"


def _seconds_to_wait(fault: ModelUnavailable, attempt: int) -> float:
    """As long as the provider says, else 1, 2, 4, 8 seconds."""
    said = fault.extra.get("retry_after")
    return float(said) if isinstance(said, (int, float)) else 2.0 ** (attempt - 1)
