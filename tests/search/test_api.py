"""``/api/search`` and ``/api/skills/search``: what programs get."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from documents.models import Document, Folder, FolderGrant
from skills.models import Relation, Skill
from tests.people import alice, bearer, dave
from tests.search.cast import base


@pytest.fixture
def known(db: None) -> dict[str, Skill]:
    return base()


@pytest.fixture
def headers(db: None) -> dict[str, str]:
    return bearer(dave())


def ask(client: Client, headers: dict[str, str], **params: object) -> dict:  # type: ignore[type-arg]
    response = client.get("/api/search", params, headers=headers)
    assert response.status_code == 200, response.content
    return response.json()


def test_a_result_has_all_that_is_promised(
    client: Client, headers: dict[str, str], known: dict[str, Skill]
) -> None:
    source, target = known["差旅费用报销办法"], known["Overseas travel policy"]
    Relation.objects.create(source=source, target=target, type="complement")
    answer = ask(client, headers, q="车票遗失", trace="true")
    assert {"query", "mode", "skills", "documents", "total", "trace"} <= set(answer)
    assert (answer["query"], answer["mode"], answer["found"], answer["documents"]) == (
        "车票遗失",
        "hybrid",
        True,
        [],
    )
    first = answer["skills"][0]
    assert first["id"] == str(source.pk)
    assert first["uri"] == source.uri
    assert set(first["scores"]) == {"l0", "l1", "passage", "semantic", "hotness", "lexical", "final"}
    assert all(0 <= value <= 1 for value in first["scores"].values())
    assert first["content_preview"] == source.content[:500]
    passage = first["passages"][0]
    assert source.content[passage["start"] : passage["end"]] == passage["text"]
    assert first["relations"][0]["target_uri"] == target.uri
    assert answer["trace"][0]["skill_id"] == first["id"]
    assert answer["trace"][0]["sentence"]


def test_long_queries_are_posted(client: Client, headers: dict[str, str], known: dict[str, Skill]) -> None:
    body = {"q": "lost ticket " * 500, "limit": 2, "mode": "keyword"}
    response = client.post("/api/search", body, content_type="application/json", headers=headers)
    assert response.status_code == 200
    assert response.json()["skills"][0]["name"] == "Overseas travel policy"


def test_documents_are_found_by_title(
    client: Client, headers: dict[str, str], known: dict[str, Skill]
) -> None:
    document = Document.objects.create(title="95% plan", filename="plan.md")
    Document.objects.create(title="950 plans", filename="other.md")
    answer = ask(client, headers, q="95%", type="all")
    assert [one["id"] for one in answer["documents"]] == [str(document.pk)]
    assert answer["skills"][0]["name"] == "质量报告"
    assert ask(client, headers, q="plan", type="document")["skills"] == []


def test_the_short_form(client: Client, headers: dict[str, str], known: dict[str, Skill]) -> None:
    body = {"query": "coffee", "type": "user", "limit": 1}
    response = client.post("/api/skills/search", body, content_type="application/json", headers=headers)
    assert response.status_code == 200
    assert [item["name"] for item in response.json()["items"]] == ["Coffee machine"]
    assert response.json()["total"] >= 1


@pytest.mark.parametrize(
    "query", ["'\":*", "C++", "it's", "a & !b", "path/x.py", "(", "%", "\x00", "字" * 5_000]
)
def test_odd_queries_are_answered(
    client: Client, headers: dict[str, str], known: dict[str, Skill], query: str
) -> None:
    body = json.dumps({"q": query, "type": "all"})
    response = client.post("/api/search", body, content_type="application/json", headers=headers)
    assert response.status_code == 200


def test_an_empty_query_is_guided(client: Client, headers: dict[str, str], known: dict[str, Skill]) -> None:
    answer = ask(client, headers, q="", type="all")
    assert (answer["skills"], answer["documents"], answer["total"]) == ([], [], 0)
    assert answer["notes"]


@pytest.mark.parametrize(
    "params", [{"mode": "magic"}, {"limit": "0"}, {"folder_id": "x"}, {"since": "x"}, {"type": "x"}]
)
def test_nonsense_is_refused_with_a_sentence(
    client: Client, headers: dict[str, str], db: None, params: dict[str, str]
) -> None:
    response = client.get("/api/search", {"q": "x", **params}, headers=headers)
    assert response.status_code == 422
    assert response.json()["detail"]


def test_a_stranger_gets_nothing(client: Client, db: None) -> None:
    assert client.get("/api/search", {"q": "x"}).status_code == 401
    assert (
        client.post("/api/skills/search", {"query": "x"}, content_type="application/json").status_code == 401
    )


def test_what_one_may_not_see_is_nowhere(
    client: Client, headers: dict[str, str], known: dict[str, Skill]
) -> None:
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=alice())
    Skill.objects.filter(name="Overseas travel policy").update(folder=closed)
    hidden = known["Overseas travel policy"]
    Relation.objects.create(source=known["差旅费用报销办法"], target=hidden, type="complement")
    Document.objects.create(title="Overseas travel policy", filename="p.md", folder=closed)
    for query in ("Overseas travel policy", "车票遗失"):
        answer = ask(client, headers, q=query, type="all", trace="true")
        assert "Overseas" not in json.dumps(answer["skills"]) + json.dumps(answer["documents"])
        assert str(hidden.pk) not in json.dumps(answer)
