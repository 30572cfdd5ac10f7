"""What a model turned out not to be able to do, remembered so that it is not asked again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Literal
from uuid import UUID

from django.db import connections

from kbsite.llm.models import PurposeModel

log = logging.getLogger(__name__)

Lacking = Literal["tools", "system"]
_FIELDS = {"tools": "calls_tools", "system": "takes_system"}


def remember(provider_id: UUID, model: str, lacking: Lacking) -> None:
    """Store that ``model`` can't call tools, or takes no system message, wherever it serves."""
    PurposeModel.objects.filter(provider_id=provider_id, model=model).update(**{_FIELDS[lacking]: False})
    log.info("The model %s does without %s from now on", model, lacking)


async def off_the_loop[T](function: Callable[[], T]) -> T:
    """``function()`` in a thread that may use the ORM; its connection is given back."""

    def called() -> T:
        try:
            return function()
        finally:
            connections.close_all()

    return await asyncio.to_thread(called)
