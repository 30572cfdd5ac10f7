"""The choice of a model on the first run: offline, or one that was tested."""

from __future__ import annotations

from collections.abc import Mapping

from kbsite.accounts.audit import record
from kbsite.accounts.models import User
from kbsite.llm.connection import ConnectionReport
from kbsite.llm.setup import choose_model
from kbsite.quick_setup.models import Setup


def go_offline(user: User) -> None:
    """Go on without a language model."""
    _remember(Setup.Model.OFFLINE)
    record(user, "setup.model", "offline")


def connect(user: User, data: Mapping[str, str], report: ConnectionReport) -> None:
    """Keep a model for every purpose. ``data``: base_url, api_key, chat_model, embedding_model.

    The address that answered the test is kept, not the one typed. Raises ModelUnavailable when
    an embedding model is named and doesn't answer.
    """
    choose_model(
        base_url=report.base_url or data["base_url"],
        api_key=data.get("api_key", ""),
        chat_model=data["chat_model"],
        embedding_model=data.get("embedding_model", ""),
        report=report,
    )
    _remember(Setup.Model.CONNECTED)
    record(user, "setup.model", data["chat_model"], base_url=report.base_url or data["base_url"])


def _remember(choice: Setup.Model) -> None:
    setup = Setup.load()
    setup.model_choice = choice
    setup.save(update_fields=["model_choice"])
