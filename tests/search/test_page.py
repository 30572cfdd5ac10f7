"""The search page: what a person types, what comes back, and what the address holds."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills.models import Skill
from tests.people import alice, dave
from tests.search.cast import base, skill


@pytest.fixture
def admin(db: None) -> User:
    """Without an admin every page leads to set-up."""
    return alice()


@pytest.fixture
def known(db: None) -> dict[str, Skill]:
    return base()


@pytest.fixture
def reader(client: Client, admin: User) -> Client:
    client.force_login(dave())
    return client


def page(client: Client, query: str, **params: object) -> str:
    response = client.get("/search/", {"q": query, **params})
    assert response.status_code == 200
    return response.content.decode()


def test_the_passage_is_shown_marked_and_opens(reader: Client, known: dict[str, Skill]) -> None:
    found = known["差旅费用报销办法"]
    assert "<mark>车票遗失</mark>" in page(reader, "車票遺失")
    html = page(reader, "车票遗失")
    passage = found.passages.first()
    assert f"/skills/{found.slug}/?passage={passage.pk}#p-{passage.pk}" in html
    assert "Why it is first" in html
    assert "By meaning alone it would be number 1" in html


def test_htmx_gets_the_results_alone(reader: Client, known: dict[str, Skill]) -> None:
    response = reader.get("/search/", {"q": "ticket"}, headers={"HX-Request": "true"})
    html = response.content.decode()
    assert "<html" not in html
    assert 'id="found"' in html
    assert "<title>ticket · Skill-Know</title>" in html


def test_a_blank_query_teaches(reader: Client, known: dict[str, Skill]) -> None:
    html = page(reader, "   ")
    assert "Find a skill, and the passage that matters" in html
    assert 'class="result"' not in html


def test_an_empty_base_says_so(reader: Client) -> None:
    assert "There is nothing to find yet" in page(reader, "")


def test_nothing_found_is_said_honestly(reader: Client, known: dict[str, Skill]) -> None:
    html = page(reader, "zqxjkv wvutsq", mode="keyword")
    assert "Nothing here is about “zqxjkv wvutsq”" in html
    assert "Search by meaning too" in html
    assert 'class="result"' not in html


def test_hostile_text_is_shown_as_text(reader: Client, db: None) -> None:
    skill("<script>alert(1)</script>", "text <img src=x onerror=alert(2)> sesame")
    html = page(reader, "sesame <b>x</b>")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "<b>x</b>" not in html
    assert "<mark>sesame</mark>" in html


@pytest.mark.parametrize(
    "query", ["'\":*", "C++", "c#", "it's", "a & !b", "(", "%", "_", "\\", "\x00a", "字" * 5_000]
)
@pytest.mark.parametrize("mode", ["hybrid", "layered", "keyword"])
def test_odd_and_huge_queries_are_answered(
    reader: Client, known: dict[str, Skill], query: str, mode: str
) -> None:
    page(reader, query, mode=mode)


def test_filters_are_in_the_address_and_counted(reader: Client, known: dict[str, Skill]) -> None:
    folder = Folder.objects.create(name="Travel")
    Skill.objects.filter(name="Overseas travel policy").update(folder=folder)
    html = page(reader, "lost ticket", folder=str(folder.pk))
    assert "Overseas travel policy" in html
    assert f'value="{folder.pk}" checked' in html
    assert "Clear the filters" in html
    assert "Coffee machine" not in html


@pytest.mark.parametrize(
    "params",
    [
        {"folder": "x"},
        {"type": "x"},
        {"mode": "x"},
        {"updated": "x"},
        {"limit": "999999999"},
        {"limit": "-1"},
    ],
)
def test_filters_that_make_no_sense_are_left_out(
    reader: Client, known: dict[str, Skill], params: dict[str, str]
) -> None:
    assert "Overseas travel policy" in page(reader, "lost ticket", **params)


def test_what_one_may_not_see_is_not_found(reader: Client, admin: User, known: dict[str, Skill]) -> None:
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=admin)
    Skill.objects.filter(name="Overseas travel policy").update(folder=closed)
    html = page(reader, "lost ticket")
    assert "Overseas travel policy" not in html
    assert "Closed" not in html


def test_it_takes_few_queries(
    reader: Client, known: dict[str, Skill], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page(reader, "lost ticket")
    with django_assert_max_num_queries(14):
        page(reader, "lost ticket")


def test_a_stranger_signs_in_first(client: Client, admin: User) -> None:
    assert client.get("/search/", {"q": "x"}).status_code == 302
