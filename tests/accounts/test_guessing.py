"""Guessing passwords is slowed down, and keeps nobody else out."""

from __future__ import annotations

import pytest
from django.test import Client

from kbsite.accounts.signing_in import FAILURES_ALLOWED, FAILURES_ALLOWED_IN_ALL
from tests import people

pytestmark = pytest.mark.django_db


def sign_in(password: str, *, at: str) -> bool:
    form = {"username": "alice@example.com", "password": password}
    return Client(REMOTE_ADDR=at).post("/login/", form).status_code == 302


def test_whoever_guesses_waits_and_the_owner_does_not() -> None:
    people.alice()
    for _ in range(FAILURES_ALLOWED):
        assert not sign_in("wrong", at="203.0.113.9")
    assert not sign_in(people.PASSWORD, at="203.0.113.9")
    assert sign_in(people.PASSWORD, at="198.51.100.1")


def test_guesses_from_everywhere_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    people.alice()
    monkeypatch.setattr("kbsite.accounts.signing_in.FAILURES_ALLOWED_IN_ALL", 3)
    assert FAILURES_ALLOWED_IN_ALL > FAILURES_ALLOWED
    for n in range(3):
        assert not sign_in("wrong", at=f"203.0.113.{n}")
    assert not sign_in(people.PASSWORD, at="198.51.100.1")
