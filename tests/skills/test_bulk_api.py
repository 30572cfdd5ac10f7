"""Doing one thing to many skills by the API, and undoing it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from documents.models import Folder
from kbsite.accounts.models import User
from skills.models import BulkAction, Move, Skill
from tests import people
from tests.skills.rows import system

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


@pytest.fixture
def api(bob: User) -> Callable[..., tuple[int, Any]]:
    client = Client(headers=people.bearer(bob))

    def call(path: str, **body: Any) -> tuple[int, Any]:
        response = client.post(f"/api/skills{path}", json.dumps(body), "application/json")
        return response.status_code, response.json()

    return call


def test_the_api_by_ids(api: Callable[..., tuple[int, Any]], write: Write, travel: Folder) -> None:
    """What was skipped is counted; ``undo_id`` undoes it."""
    one, fixed = write("One"), system()
    ids = [str(one.pk), str(fixed.pk), str(uuid.uuid4())]
    status, done = api("/bulk", ids=ids, action="tags", add=["x"])
    assert (status, done["changed"], done["skipped_system"], done["skipped_missing"]) == (200, 1, 1, 1)
    assert api(f"/undo/{done['undo_id']}") == (200, {"undone": 1, "stayed": 0})
    assert api("/bulk", ids=ids, action="move", folder_id=str(travel.pk))[1]["changed"] == 1
    assert api("/bulk", ids=ids, action="priority", priority=1)[1]["changed"] == 1
    assert api("/bulk", ids=ids, action="approve")[0] == 403
    status, done = api("/bulk", ids=ids, action="delete")
    assert api(f"/undo/{done['undo_id']}")[1] == {"undone": 1, "stayed": 0}


def test_the_api_by_filters(api: Callable[..., tuple[int, Any]], write: Write) -> None:
    """All that they leave; refused when it is another number than expected."""
    write("One", tags=["a", "b"])
    write("Two", tags=["a"])
    both = {"tag": ["a", "b"]}
    assert api("/bulk", filters=both, expected=2, action="delete")[0] == 409
    assert api("/bulk", filters=both, expected=1, action="delete")[1]["changed"] == 1
    assert api("/bulk", filters={"since": "today"}, action="priority", priority=3)[1]["changed"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {"action": "delete"},
        {"action": "delete", "ids": []},
        {"action": "delete", "ids": [], "filters": {}},
        {"action": "explode", "ids": ["01890000-0000-7000-8000-000000000000"]},
        {"action": "delete", "filters": {"since": "yesterday-ish"}},
        {"action": "delete", "filters": {"type": "poem"}},
        {"action": "priority", "filters": {}},
        {"action": "tags", "filters": {}},
    ],
)
def test_the_api_refuses_nonsense(api: Callable[..., tuple[int, Any]], write: Write, body: Any) -> None:
    """422, and nothing happens."""
    write("One", index=False)
    assert api("/bulk", **body)[0] == 422
    assert not Move.objects.exists()
    assert not BulkAction.objects.exists()
