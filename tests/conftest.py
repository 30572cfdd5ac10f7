"""Fixtures for every test."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from tests.model_double import model_double  # noqa: F401


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """A test's cast is made in no time; what a real hash costs is not what is tested."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
