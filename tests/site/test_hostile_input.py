"""Whatever is sent, the answer says what is wrong with it: never 500."""

from __future__ import annotations

import base64
import json

import pytest
from django.test import Client

from kbsite.exceptions import InvalidInput
from kbsite.paging import Paging, paginate
from skills import edit
from skills.models import Link, Skill
from tests import people

pytestmark = pytest.mark.django_db(transaction=True)
BODIES = [
    ("/api/keys", {"name": "a\x00b"}),
    ("/api/skills", {"name": "abc", "content": "abc", "config": {"a": "\x00"}}),
    ("/api/skills", {"name": "abc", "content": "abc", "config": {"a": float("nan")}}),
    ("/api/skills", {"name": "abc", "content": "abc", "config": {"\ud800": "\ud800"}}),
    ("/api/skills", {"name": "abc", "content": "abc", "category": "\ud800"}),
    ("/api/skills/search", {"query": "abc", "type": "\ud800"}),
]


@pytest.fixture
def program() -> Client:
    return Client(headers=people.bearer(people.alice()), raise_request_exception=False)


@pytest.mark.parametrize(
    "path",
    [
        "documents?q=",
        "documents?category=",
        "documents/search?q=",
        "skills?tag=",
        "skills?q=",
        "conversations?q=",
    ],
)
def test_a_nul_in_an_address_is_refused_by_the_api(program: Client, path: str) -> None:
    answer = program.get(f"/api/{path}a%00b")
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(("path", "body"), BODIES)
def test_text_that_no_row_can_hold_is_refused_by_the_api(program: Client, path: str, body: object) -> None:
    answer = program.post(path, json.dumps(body), content_type="application/json")
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "/documents/?folder=-1",
        "/documents/?q=",
        "/skills/?q=",
        "/skills/?tag=",
        "/conversations/?q=",
        "/palette/?q=",
    ],
)
def test_a_nul_in_an_address_is_refused_by_pages(path: str) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(people.alice())
    assert browser.get(f"{path}a%00b").status_code < 500


def test_a_body_without_boundaries_is_refused(program: Client) -> None:
    answer = program.post("/api/documents/upload", b"--x\r\nbad", content_type="multipart/form-data")
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "values",
    [[None, None], ["x", "y"], [{"a": 1}, []], [True, False], [[0], 1], ["9999999-01-01T00:00:00Z", "z"]],
)
def test_a_cursor_of_another_kind_is_refused(values: list[object]) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(values).encode()).decode()
    with pytest.raises(InvalidInput):
        paginate(Skill.objects.all(), Paging(cursor=cursor), ("-updated_at", "-id"))


@pytest.mark.parametrize("number", ["9" * 5000, "99999999999999999999"])
def test_numbers_without_end_are_no_numbers(number: str) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(people.alice())
    assert browser.get(f"/conversations/?page={number}").status_code < 500


@pytest.mark.parametrize(
    "there", ["-1", "%", "[]", "accounts:me", "https://elsewhere.example/", "//elsewhere.example"]
)
def test_a_form_leads_on_to_our_own_pages_only(there: str) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(people.alice())
    answer = browser.post("/documents/many/", {"next": there})
    assert (answer.status_code, answer.headers.get("Location")) == (302, "/documents/")


@pytest.mark.parametrize("started", ["[" * 50_000, "9" * 5_000, '{"name": ' * 9_000, "\x00", "{"])
@pytest.mark.parametrize("path", ["/skills/new/", "/skills/abc/edit/"])
def test_what_a_form_began_with_may_be_nonsense(path: str, started: str) -> None:
    browser = Client()
    alice = people.alice()
    browser.force_login(alice)
    skill = edit.create_skill(alice, name="abc", content="abc")
    assert browser.post(path, {"started": started, "name": "abc"}).status_code == 422
    sent = {"started": started, "name": "abc", "content": "new"}
    assert browser.post(f"/skills/new/draft/{skill.pk}/", sent).status_code == 200


def test_a_host_that_is_not_ours_is_refused_in_words(client: Client) -> None:
    """400 with a page, for people signed in or not."""
    answer = client.get("/skills/", headers={"host": "evil.example", "referer": "http://evil.example/"})
    assert answer.status_code == 400
    assert "can’t be understood" in answer.content.decode()


def test_an_address_without_end_in_a_text_is_saved_as_it_stands(program: Client) -> None:
    """A link is kept by its beginning; the text is not refused for it."""
    content = "See sk://skills/" + "x" * 5_000
    answer = program.post("/api/skills", {"name": "abc", "content": content}, content_type="application/json")
    assert answer.status_code == 201
    assert len(Link.objects.get().label) == 300


def test_a_graph_around_nothing_is_not_there(program: Client) -> None:
    assert program.get("/api/graph?skill=nothing").status_code == 404
