"""Programs act as a person by key: made, shown once, narrowed, revoked."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from kbsite.accounts.models import ApiKey, AuditEntry
from tests import people

pytestmark = pytest.mark.django_db


def test_a_key_says_who_it_belongs_to(client: Client) -> None:
    """GET /api/me with a key answers its owner, and the key is nowhere in the database."""
    bob = people.bob()
    headers = people.bearer(bob)
    answer = client.get("/api/me", headers=headers)
    assert answer.status_code == 200
    assert answer.json()["email"] == "bob@example.com"
    token = headers["authorization"].removeprefix("Bearer ")
    row = ApiKey.objects.get()
    assert token not in (row.digest, row.prefix, row.name)
    assert row.last_used_at is not None


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer nonsense", "Bearer sk-kb-", "Basic x", "Bearer \x00"]
)
def test_anything_else_is_refused_with_what_to_do(client: Client, value: str) -> None:
    """No key, a wrong key or another scheme: 401 as a problem document."""
    answer = client.get("/api/me", headers={"authorization": value})
    assert answer.status_code == 401
    assert answer["content-type"] == "application/problem+json"
    assert "Bearer sk-kb-" in answer.json()["detail"]


def test_a_key_made_over_the_api_is_shown_once(client: Client) -> None:
    """POST answers the key; the list never does; a revoked one opens nothing."""
    headers = people.bearer(people.bob())
    made = client.post("/api/keys", {"name": "ci"}, "application/json", headers=headers)
    assert made.status_code == 201
    assert made.json()["key"].startswith("sk-kb-")
    listed = client.get("/api/keys", headers=headers).json()
    assert {row["name"] for row in listed} == {"test", "ci"}
    assert all("key" not in row for row in listed)
    new = {"authorization": f"Bearer {made.json()['key']}"}
    assert client.delete(f"/api/keys/{made.json()['id']}", headers=new).json() == {"success": True}
    assert client.get("/api/me", headers=new).status_code == 401


def test_somebody_elses_key_is_not_there(client: Client) -> None:
    """Bob can't revoke Alice's key: 404, and it still works."""
    alice = people.bearer(people.alice())
    key = ApiKey.objects.get()
    answer = client.delete(f"/api/keys/{key.id}", headers=people.bearer(people.bob()))
    assert answer.status_code == 404
    assert client.get("/api/me", headers=alice).status_code == 200


def test_a_read_only_key_makes_no_keys(client: Client) -> None:
    """Reading works, making a key is refused."""
    headers = people.bearer(people.alice(), read_only=True)
    assert client.get("/api/me", headers=headers).json()["can_edit"] is False
    answer = client.post("/api/keys", {"name": "wider"}, "application/json", headers=headers)
    assert answer.status_code == 403
    assert answer.json()["code"] == "read_only_key"


def test_a_key_of_somebody_switched_off_is_refused(client: Client) -> None:
    """Switching a person off ends their keys at once."""
    bob = people.bob()
    headers = people.bearer(bob)
    bob.is_active = False
    bob.save()
    assert client.get("/api/me", headers=headers).status_code == 401


def test_the_shell_prints_a_key(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    """create_api_key prints the key alone, and leaves a trace without it."""
    people.bob()
    call_command("create_api_key", "Bob@Example.com", "--name", "cron")
    token = capsys.readouterr().out.strip()
    assert client.get("/api/me", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert token not in str(list(AuditEntry.objects.values()))


def test_the_shell_says_who_there_is() -> None:
    """An unknown address: a sentence with the addresses that exist."""
    people.bob()
    with pytest.raises(CommandError, match=r"bob@example\.com"):
        call_command("create_api_key", "nobody@example.com")


def test_keys_are_made_and_revoked_on_the_page(client: Client) -> None:
    """The page shows a new key once and lets it be revoked."""
    people.alice()
    client.force_login(people.dave())
    page = client.post("/me/keys/", {"name": "my script"})
    assert "sk-kb-" in page.content.decode()
    key = ApiKey.objects.get()
    assert key.prefix in client.get("/me/").content.decode()
    client.post(f"/me/keys/{key.id}/revoke/")
    key.refresh_from_db()
    assert key.revoked_at is not None
