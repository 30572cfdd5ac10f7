"""Signing in and out, and changing what is one's own."""

from __future__ import annotations

import pytest
from django.test import Client

from kbsite.accounts.models import AuditEntry
from tests import people

pytestmark = pytest.mark.django_db


def sign_in(client: Client, email: str, password: str) -> int:
    """Post the form; returns the status."""
    return client.post("/login/", {"username": email, "password": password}).status_code


def test_signs_in_whatever_the_case_of_the_address(client: Client) -> None:
    """BOB@Example.com is bob@example.com."""
    people.alice()
    people.bob()
    assert sign_in(client, "BOB@Example.com", people.PASSWORD) == 302
    assert client.get("/me/").status_code == 200
    client.post("/logout/")
    assert client.get("/me/").status_code == 302


def test_a_wrong_password_is_said_and_noted(client: Client) -> None:
    """The page says what to do; the trail has the address, not the password."""
    people.alice()
    page = client.post("/login/", {"username": "alice@example.com", "password": "guess-1"})
    assert page.status_code == 200
    assert "don’t match" in page.content.decode().replace("&#x27;", "’")
    entry = AuditEntry.objects.get(action="sign_in.failed")
    assert "guess-1" not in str(entry.detail) + entry.target


def test_guessing_is_slowed_down(client: Client) -> None:
    """After ten wrong passwords even the right one has to wait; other people don't."""
    people.alice()
    people.bob()
    for n in range(10):
        sign_in(client, "alice@example.com", f"guess {n}")
    assert sign_in(client, "alice@example.com", people.PASSWORD) == 200
    assert sign_in(client, "bob@example.com", people.PASSWORD) == 302


def test_changing_the_password_needs_the_old_one(client: Client) -> None:
    """A wrong old one or a weak new one changes nothing."""
    people.alice()
    dave = people.dave()
    client.force_login(dave)
    assert client.post("/me/password/", {"old": "wrong", "new": "long enough 99"}).status_code == 422
    assert client.post("/me/password/", {"old": people.PASSWORD, "new": "123"}).status_code == 422
    assert client.post("/me/password/", {"old": people.PASSWORD, "new": "long enough 99"}).status_code == 302
    dave.refresh_from_db()
    assert dave.check_password("long enough 99")
    assert client.get("/me/").status_code == 200


def test_curators_see_knowledge_on_the_admin_site_and_admins_people(client: Client) -> None:
    """Readers and editors are sent away, curators see no people, admins all."""
    alice = people.alice()
    for who, status in ((people.dave(), 302), (people.bob(), 302), (people.carol(), 200)):
        client.force_login(who)
        assert client.get("/admin/").status_code == status
    assert client.get("/admin/accounts/user/").status_code == 403
    client.force_login(alice)
    assert client.get("/admin/accounts/user/").status_code == 200
    assert client.get("/admin/accounts/user/add/").status_code == 200
