"""The list: what narrows it, how it says so, its order and pages, on the page and in the API."""

from __future__ import annotations

import html
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills.listing import listed
from skills.models import ListText, Skill
from skills.narrowing import asked, without_page
from tests import people

pytestmark = pytest.mark.usefixtures("alice")


def make(name: str, **more: Any) -> Skill:
    """A skill that can be found, as quickly as a row is made."""
    known = {"slug": f"s-{uuid.uuid4().hex[:12]}", "status": "approved", "index_state": "ready"}
    return Skill.objects.create(name=name, **(known | more))


def text(response: Any) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode()))


def names(client: Client, query: str) -> list[str]:
    """The names on the page, in order."""
    shown = client.get(f"/skills/{query}").content.decode()
    rows = re.findall(r"<a data-opens [^>]*>(?:<svg.*?</svg>)?<span>(.*?)</span>", shown, re.S)
    return [html.unescape(row) for row in rows]


def from_api(user: User, query: str) -> list[str]:
    answer = Client(headers=people.bearer(user)).get(f"/api/skills{query}")
    assert answer.status_code == 200, answer.content
    return [row["name"] for row in answer.json()["items"]]


def chips(client: Client, query: str) -> dict[str, str]:
    """What the line of filters says, and where each is taken away."""
    shown = client.get(f"/skills/{query}").content.decode()
    found = re.findall(
        r'class="chip"><span class="faint">(.*?)</span> <span class="value" .*?>(.*?)</span><a href="(.*?)"',
        shown,
    )
    return {html.unescape(f"{label}: {value}"): html.unescape(address) for label, value, address in found}


@pytest.fixture
def shelf(bob: User, carol: User) -> dict[str, Any]:
    """Skills that differ in everything a list can be narrowed by."""
    now = timezone.now()
    finance = Folder.objects.create(name="Finance", sort_order=1)
    travel = Folder.objects.create(name="Travel", parent=finance)
    make("Trains", folder=travel, tags=["hr", "rail"], author=bob, updated_at=now)
    make("Planes", folder=travel, tags=["hr"], author=carol, updated_at=now - timedelta(days=3))
    make("Budget", folder=finance, category="workflow", author=bob, updated_at=now - timedelta(days=20))
    make(
        "差旅报销",
        description="100%_sure",
        type="document",
        status="checked",
        updated_at=now - timedelta(days=400),
    )
    make("Unread", index_state="failed", status="pending", updated_at=now - timedelta(days=3))
    make("Waiting", index_state="queued", updated_at=now - timedelta(days=3))
    return {"finance": finance, "travel": travel, "bob": bob, "carol": carol}


CASES: list[tuple[str, set[str]]] = [
    ("?folder={finance}", {"Trains", "Planes", "Budget"}),
    ("?folder={finance}&only=here", {"Budget"}),
    ("?folder=unfiled", {"差旅报销", "Unread", "Waiting"}),
    ("?type=document", {"差旅报销"}),
    ("?category=workflow", {"Budget"}),
    ("?status=checked", {"差旅报销"}),
    ("?tag=hr", {"Trains", "Planes"}),
    ("?tag=hr&tag=rail", {"Trains"}),
    ("?tag=hr&tag=nothing", set()),
    ("?author={carol}", {"Planes"}),
    ("?since=today", {"Trains"}),
    ("?since=7d", {"Trains", "Planes", "Unread", "Waiting"}),
    ("?since=30d&until={long_ago}", set()),
    ("?until={long_ago}", {"差旅报销"}),
    ("?index=not_ready", {"Unread", "Waiting"}),
    ("?index=failed", {"Unread"}),
    ("?index=ready&author={bob}", {"Trains", "Budget"}),
    ("?q=差旅", {"差旅报销"}),
    ("?q=TRAIN", {"Trains"}),
    ("?q=100%25_sure", {"差旅报销"}),
    ("?q=%25", {"差旅报销"}),
    ("?q=_", {"差旅报销"}),
    ("?q=rail", {"Trains"}),
    ("?q=trains+rail", {"Trains"}),
    ("?q=trains+planes", set()),
]


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_filters_on_the_page(page: Client, shelf: dict[str, Any], query: str, expected: set[str]) -> None:
    """Each alone and together; words are literal."""
    assert set(names(page, filled(query, shelf))) == expected


@pytest.mark.parametrize(("query", "expected"), [case for case in CASES if "unfiled" not in case[0]])
def test_the_same_filters_in_the_api(shelf: dict[str, Any], query: str, expected: set[str]) -> None:
    """With the API's own words for the folder."""
    query = query.replace("&only=here", "&recursive=false")
    query = query.replace("folder={finance}", "folder_id={finance}")
    if "recursive" not in query:
        query += "&recursive=true"
    assert set(from_api(shelf["bob"], filled(query, shelf))) == expected


def filled(query: str, shelf: dict[str, Any]) -> str:
    long_ago = (timezone.now() - timedelta(days=300)).date().isoformat()
    ids = {name: thing.pk for name, thing in shelf.items()}
    return query.format(**ids, long_ago=long_ago)


def test_days_are_those_of_the_clock_on_the_wall(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Today begins at midnight where the team is; both ends of a span are included."""
    make("Early", updated_at=datetime(2026, 5, 9, 16, 30, tzinfo=UTC))  # 00:30 on the 10th in Shanghai
    make("Late", updated_at=datetime(2026, 5, 9, 15, 30, tzinfo=UTC))  # 23:30 on the 9th
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 5, 10, 2, 0, tzinfo=UTC))
    with timezone.override("Asia/Shanghai"):
        assert names(page, "?since=today") == ["Early"]
        assert names(page, "?until=2026-05-09") == ["Late"]
        assert set(names(page, "?since=2026-05-09&until=2026-05-10")) == {"Early", "Late"}


def test_the_line_of_filters_takes_each_away(page: Client, shelf: dict[str, Any]) -> None:
    """One chip each, with the address without it; the order stays, the place in the list goes."""
    query = filled(
        "?folder={finance}&only=here&tag=hr&tag=rail&author={bob}&since=7d&q=x&order=name&cursor=z", shelf
    )
    found = chips(page, query)
    assert list(found) == [
        "Folder: Finance",
        "Sub-folders: left out",
        "Words: x",
        "Tag: hr",
        "Tag: rail",
        "Author: Bob",
        "Changed since: Last 7 days",
    ]
    finance, bob = shelf["finance"].pk, shelf["bob"].pk
    assert found["Tag: hr"] == (
        f"/skills/?folder={finance}&only=here&tag=rail&author={bob}&since=7d&q=x&order=name"
    )
    assert found["Folder: Finance"] == f"/skills/?tag=hr&tag=rail&author={bob}&since=7d&q=x&order=name"
    shown = page.get(f"/skills/{query}").content.decode()
    assert "Clear all" in shown
    assert 'href="/skills/?order=name"' in shown
    assert chips(page, "?order=hot") == {}


@pytest.mark.parametrize(
    "nonsense",
    [
        "folder=x",
        "type=poem",
        "category=poem",
        "status=poem",
        "author=nobody",
        "since=yesterday-ish",
        "until=2026-13-45",
        "index=maybe",
        "order=luck",
    ],
)
def test_what_makes_no_sense_is_said_and_left_out(page: Client, shelf: dict[str, Any], nonsense: str) -> None:
    """Never an error, never silently something else; the other filters hold."""
    response = page.get(f"/skills/?tag=rail&{nonsense}")
    assert response.status_code == 200
    assert nonsense in text(response)
    assert "was not understood" in text(response)
    assert names(page, f"?tag=rail&{nonsense}") == ["Trains"]


@pytest.mark.parametrize(
    "hostile",
    [
        "q=%00",
        "tag=%00",
        "q=" + "x" * 5_000,
        "tag=" + "&tag=".join("abcdefghijklmnop"),
        "since=0001-01-01",
        "until=9999-12-31",
        "since=9999-12-31",
        "cursor=%F0%9F%99%82",
        "cursor=bm9uc2Vuc2U=",
        "page=99999999999999",
        "folder=00000000-0000-0000-0000-000000000000",
        "author=00000000-0000-0000-0000-000000000000",
        "q='; DROP TABLE skills_skill; --",
        "tag=<script>alert(1)</script>",
        "q=%E2%80%AE🙂",
    ],
)
def test_hostile_addresses_break_nothing(page: Client, shelf: dict[str, Any], hostile: str) -> None:
    """200, and nothing of it is markup."""
    response = page.get(f"/skills/?{hostile}")
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize(
    "query", ["?since=x", "?type=poem", "?index=maybe", "?until=9999-12-31", "?author=x"]
)
def test_the_api_refuses_what_makes_no_sense(bob: User, query: str) -> None:
    """With a sentence."""
    answer = Client(headers=people.bearer(bob)).get(f"/api/skills{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_every_row_shows_its_path(page: Client, shelf: dict[str, Any]) -> None:
    """Also that it lies in none."""
    shown = page.get("/skills/?q=trains").content.decode()
    assert re.search(r'<ol class="path"><li>.*Finance</a></li><li>.*Travel</a></li></ol>', shown)
    assert "?folder=unfiled" in page.get("/skills/?q=waiting").content.decode().split("<tbody")[1]


def test_a_tag_on_a_row_narrows_further(page: Client, shelf: dict[str, Any]) -> None:
    """It is added to what the list is narrowed to already."""
    shown = html.unescape(page.get("/skills/?tag=hr&q=t").content.decode())
    assert 'href="?tag=hr&q=t&tag=rail"' in shown


def test_authors_are_those_of_what_one_may_see(page: Client, carol: User, dave: User) -> None:
    """People who wrote nothing, or only in closed folders, are not offered."""
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=carol)
    make("Open", author=dave)
    make("Hidden", folder=closed, author=carol)
    shown = page.get("/skills/").content.decode().split('id="by-author"')[1].split("</select>")[0]
    assert "Dave" in shown
    assert "Carol" not in shown


def test_readers_are_offered_what_they_can_use(dave: User, shelf: dict[str, Any]) -> None:
    """No status, no index state, no deeds; what can't be found isn't there."""
    client = Client()
    client.force_login(dave)
    shown = client.get("/skills/").content.decode()
    assert 'name="status"' not in shown
    assert 'name="index"' not in shown
    assert "draggable" not in shown.split("<tbody")[1]
    assert "Unread" not in shown


def test_a_row_shows_a_few_of_many_tags(page: Client) -> None:
    """The rest as a number that leads to the skill."""
    skill = make("Tagged", tags=[f"tag{n:02}" for n in range(50)])
    shown = page.get("/skills/").content.decode()
    assert shown.count('<a class="tag"') == 12
    assert f'href="/skills/{skill.slug}/">+38</a>' in shown


def test_system_skills_stand_at_the_end(page: Client) -> None:
    """After the last page, whatever the order; with none but them the first steps are shown above."""
    make("Aaa system", type="system", priority=-5, active_count=99)
    shown = page.get("/skills/")
    assert "No skills yet" in text(shown)
    assert text(shown).index("No skills yet") < text(shown).index("Aaa system")
    assert 'form="many"' not in shown.content.decode()  # there is no bar that a box would belong to
    for n in range(60):
        make(f"S{n:02}", updated_at=timezone.now() - timedelta(days=9))
    for order in ("path", "name", "updated", "hot"):
        first = page.get(f"/skills/?order={order}")
        assert "Aaa system" not in text(first)
        following = re.search(r'rel="next" href="([^"]+)"', first.content.decode())
        assert following
        assert names(page, html.unescape(following[1]))[-1] == "Aaa system"
    assert names(page, "?q=aaa") == ["Aaa system"]
    assert names(page, "?type=system") == ["Aaa system"]
    assert "No skill" not in text(page.get("/skills/?type=system"))


def test_pages_lead_on_and_back(page: Client) -> None:
    """By cursor, with the filters kept; nothing twice, nothing left out."""
    for n in range(120):
        make(f"S{n:03}", tags=["x"], priority=n // 7)
    seen: list[str] = []
    query, pages = "?tag=x&order=path", 0
    while query:
        shown = page.get(f"/skills/{query}").content.decode()
        seen += names(page, query)
        pages += 1
        following = re.search(r'rel="next" href="([^"]+)"', shown)
        query = html.unescape(following[1]) if following else ""
        assert not query or "tag=x" in query
    assert (pages, len(seen), len(set(seen))) == (3, 120, 120)
    assert seen == sorted(seen)
    assert "81 to 120 of 120" in text(page.get(f"/skills/{html.unescape(shown_next(page))}"))


def shown_next(page: Client) -> str:
    """The address of the third page."""
    query = "?tag=x&order=path"
    for _step in range(2):
        following = re.search(r'rel="next" href="([^"]+)"', page.get(f"/skills/{query}").content.decode())
        assert following
        query = html.unescape(following[1])
    return query


def test_taking_all_is_offered_where_it_is_honest(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the number, while that is exact and not too many."""
    for n in range(51):
        make(f"S{n}")
    assert "All 51 that match" in text(page.get("/skills/"))
    assert "that match" not in text(page.get("/skills/?q=S1"))
    monkeypatch.setattr("skills.list_views.MOST", 50)
    assert "More than 50 match" in text(page.get("/skills/"))


def test_the_list_takes_as_many_queries_for_five_as_for_forty(page: Client) -> None:
    """And with every filter."""
    folder = Folder.objects.create(name="Travel")

    def count(query: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            page.get(f"/skills/{query}")
        return len(captured)

    everything = f"?folder={folder.pk}&type=user&tag=x&since=7d&index=ready&q=s&order=hot"
    for n in range(5):
        make(f"S{n}", folder=folder, tags=["x"])
    page.get("/skills/")
    few, few_narrowed = count(""), count(everything)
    for n in range(5, 39):
        place = Folder.objects.create(name=f"F{n}", parent=folder)
        make(f"S{n}", folder=place, tags=["x", f"t{n}"])
    assert (count(""), count(everything)) == (few, few_narrowed)
    assert few <= 10


def test_an_htmx_request_gets_the_rows_alone(page: Client, shelf: dict[str, Any]) -> None:
    """With the line of filters and the bar, which follow what is typed."""
    rows = page.get("/skills/?q=trains", headers={"hx-request": "true"}).content.decode()
    assert '<div id="rows">' in rows
    assert "<html" not in rows
    assert 'id="many"' in rows
    assert 'class="chip"' in rows


def test_an_address_is_read_leniently() -> None:
    """Empty parts are nothing; a date beats the span beside it; tags are cleaned and counted once."""
    wanted = asked(QueryDict("since=7d&since=&type=&tag=+a++b+&tag=a+b&tag=&q=++"))
    assert (wanted.filters.since, wanted.filters.tags, wanted.filters.q) == ("7d", ("a b",), "")
    assert wanted.ignored == []
    assert asked(QueryDict("since=7d&since=2026-01-02")).filters.since == "2026-01-02"
    assert without_page(QueryDict("q=a&page=2&cursor=x&type=&tag=b&tag=c")) == "q=a&tag=b&tag=c"


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("q=trains", "list_text_words"),
        ("tag=hr", "skill_tags"),
        ("index=failed", "skill_not_ready"),
        ("index=not_ready", "skill_not_ready"),
        ("status=rejected", "skill_not_found"),
    ],
)
def test_narrowing_reads_an_index(bob: User, query: str, index: str) -> None:
    """Not every skill there is."""
    Skill.objects.bulk_create([Skill(slug=f"s{n}", name=f"S{n}", abstract="x" * 200) for n in range(2_000)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE skills_skill")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")  # in order of another column, and filtering
    assert index in listed(bob, asked(QueryDict(query)).filters).order_by().explain()


def test_words_are_found_as_soon_as_they_are_written(page: Client, bob: User) -> None:
    """Whoever writes them, by whatever way; and no longer once they are gone. Moving writes nothing there."""
    skill = make("Straße", abstract="Übersicht", tags=["Rail Pass"])
    assert names(page, "?q=straße+übersicht+pass") == ["Straße"]
    Skill.objects.filter(pk=skill.pk).update(abstract="Anderes", tags=[])
    assert names(page, "?q=übersicht") == []
    assert names(page, "?q=pass") == []
    assert names(page, "?q=anderes") == ["Straße"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin, ctid FROM skills_listtext WHERE skill_id = %s", [skill.pk])
        before = cursor.fetchone()
        Skill.objects.filter(pk=skill.pk).update(folder=Folder.objects.create(name="F"), active_count=3)
        skill.refresh_from_db()
        skill.save()
        cursor.execute("SELECT xmin, ctid FROM skills_listtext WHERE skill_id = %s", [skill.pk])
        assert cursor.fetchone() == before
    skill.delete()
    assert not ListText.objects.exists()
