"""Providers' keys at rest: unreadable without the encryption key, which can be changed."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from kbsite.exceptions import ModelUnavailable
from kbsite.llm.chat_models import chat_model
from kbsite.llm.models import Provider, Purpose
from kbsite.llm.providers import try_provider
from kbsite.llm.secrets import decrypt, encrypt, redacted
from tests.llm.connecting import connect
from tests.model_double import ModelDouble


def test_what_is_stored_is_not_the_key() -> None:
    assert "sk-abc" not in encrypt("sk-abc")
    assert encrypt("sk-abc") != encrypt("sk-abc")
    assert decrypt(encrypt("sk-密钥")) == "sk-密钥"
    assert (encrypt(""), decrypt("")) == ("", "")


def test_the_file_is_for_its_owner_only(settings: Any, tmp_path: Path) -> None:
    settings.KB_HOME, settings.KB_ENCRYPTION_KEYS = tmp_path, []
    encrypt("x")
    assert stat.S_IMODE((tmp_path / "encryption_key").stat().st_mode) == 0o600


def test_the_encryption_key_can_be_changed(settings: Any) -> None:
    settings.KB_ENCRYPTION_KEYS = ["old"]
    stored = encrypt("sk-abc")
    settings.KB_ENCRYPTION_KEYS = ["new", "old"]
    assert decrypt(stored) == "sk-abc"
    newer = encrypt("sk-def")
    settings.KB_ENCRYPTION_KEYS = ["new"]
    assert decrypt(newer) == "sk-def"
    with pytest.raises(ModelUnavailable, match="Enter the key again") as caught:
        decrypt(stored)
    assert caught.value.code == "bad_key"


def test_changing_the_sites_secret_key_loses_nothing(settings: Any) -> None:
    stored = encrypt("sk-abc")
    settings.SECRET_KEY = "another" * 10
    assert decrypt(stored) == "sk-abc"


@pytest.mark.django_db
def test_a_lost_encryption_key_is_said_where_it_is_met(model_double: ModelDouble) -> None:
    row = connect(model_double)
    Provider.objects.filter(pk=row.provider_id).update(key_encrypted="gAAAAA-not-ours")
    with pytest.raises(ModelUnavailable) as caught:
        chat_model(Purpose.CHAT).model.invoke("Hello?")
    assert caught.value.code == "bad_key"
    row.provider.refresh_from_db()
    report = try_provider(model_double.url, "", "double-chat", row.provider)
    assert (report.success, report.code) == (False, "bad_key")
    assert not model_double.requests


def test_what_looks_like_a_key_is_hidden() -> None:
    said = "Incorrect API key provided: sk-proj-abcdef123456. Send Bearer xyz.abc or my-own-key-9"
    shown = redacted(said, "my-own-key-9")
    for part in ("sk-proj", "xyz.abc", "my-own-key-9"):
        assert part not in shown
    assert shown.startswith("Incorrect API key provided: •••")
