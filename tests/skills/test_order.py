"""Lists of skills come in the protocol's order and page by cursor, forwards and back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from documents.models import Folder
from kbsite import paging
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from kbsite.keyset import Order
from kbsite.paging import Slice, page_of, shown_page
from skills.listing import Filters, listed
from skills.models import Skill
from skills.order import ORDERS, ordered
from tests import people
from tests.example_tree import make_example

pytestmark = pytest.mark.django_db

SKILLS = (
    ("需求分析模板", "产品文档", 5),
    ("FastAPI 路由最佳实践", "FastAPI", 40),
    ("FastAPI Hooks", "FastAPI", 30),
    ("Vue Hooks", "Vue", 15),
    ("React Router", "React", 20),
    ("React Hooks", "React", 10),
    ("技术总览", "技术文档", 900),
    ("临时笔记", None, 1),
)
IN_ORDER = [
    "技术总览",
    "React Hooks",
    "React Router",
    "Vue Hooks",
    "FastAPI Hooks",
    "FastAPI 路由最佳实践",
    "需求分析模板",
    "临时笔记",
]


@pytest.fixture(params=["short list", "long list"], autouse=True)
def _length(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule holds for lists that are sorted at once and for those that are walked."""
    if request.param == "long list":
        monkeypatch.setattr(paging, "MANY", -1)


@pytest.fixture
def example(db: None) -> dict[str, Folder]:
    """The protocol's tree with the skills of its worked example, made in no order."""
    made = make_example()
    Skill.objects.bulk_create(
        Skill(name=name, slug=name, priority=priority, folder=made.get(folder or ""), status="approved")
        for name, folder, priority in SKILLS
    )
    return made


@pytest.fixture
def bob(db: None) -> User:
    """An editor."""
    return people.bob()


def page(user: User, order: str = "path", filters: Filters | None = None, **asked: Any) -> Slice[Skill]:
    filters = filters or Filters()
    rows, how = ordered(listed(user, filters), order, filters)
    return page_of(rows, how, **({"size": 3} | asked))


def walk(ask: Callable[..., Slice[Skill]]) -> Iterator[Slice[Skill]]:
    """Every page, forwards by cursor."""
    found = ask()
    while True:
        yield found
        if not found.next_cursor:
            return
        found = ask(cursor=found.next_cursor)


def names(found: Slice[Skill]) -> list[str]:
    return [skill.name for skill in found.items]


def test_the_protocols_tree_in_its_order(example: dict[str, Folder], bob: User) -> None:
    assert names(page(bob, size=20)) == IN_ORDER


def test_the_api_lists_in_that_order(example: dict[str, Folder], client: Client, bob: User) -> None:
    answer = client.get("/api/skills", {"order": "path"}, headers=people.bearer(bob)).json()
    assert [item["name"] for item in answer["items"]] == IN_ORDER
    assert (answer["total"], answer["next_cursor"], answer["previous_cursor"]) == (8, None, None)


def test_moving_a_sibling_moves_what_is_in_it(example: dict[str, Folder], bob: User) -> None:
    Folder.objects.filter(name="产品文档").update(sort_order=-1)
    assert names(page(bob, size=2)) == ["需求分析模板", "技术总览"]


def test_a_folder_lists_what_is_under_it(example: dict[str, Folder], bob: User) -> None:
    front = Filters(folder_id=example["前端开发"].pk)
    assert [names(p) for p in walk(lambda **a: page(bob, filters=front, **({"size": 2} | a)))] == [
        ["React Hooks", "React Router"],
        ["Vue Hooks"],
    ]
    here = Filters(folder_id=example["技术文档"].pk, recursive=False)
    assert names(page(bob, filters=here)) == ["技术总览"]
    assert names(page(bob, filters=Filters(unfiled=True))) == ["临时笔记"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9])
def test_there_and_back_again(example: dict[str, Folder], bob: User, size: int) -> None:
    """Forwards every row comes once; backwards the same pages come again, with their numbers."""
    there = list(walk(lambda **a: page(bob, **({"size": size} | a))))
    assert [name for found in there for name in names(found)] == IN_ORDER
    assert [found.start for found in there] == list(range(1, 9, size))
    at = there[-1]
    for earlier in reversed(there[:-1]):
        assert at.previous_cursor
        at = page(bob, size=size, cursor=at.previous_cursor)
        assert (names(at), at.start, at.end) == (names(earlier), earlier.start, earlier.end)
    assert at.previous_cursor is None


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_pages_both_ways(order: str, bob: User) -> None:
    """Against sorting everything, on a tree made by chance with names and priorities that repeat."""
    chance = random.Random(order)  # noqa: S311 - not for secrets
    folders: list[Folder | None] = [None]
    for n in range(25):
        parent = chance.choice(folders)
        folders.append(Folder.objects.create(name=f"f{n}", parent=parent, sort_order=chance.randrange(3)))
    Skill.objects.bulk_create(
        Skill(
            name=chance.choice(["same", "Same", "其他", f"n{n}"]),
            slug=f"s{n}",
            folder=chance.choice(folders),
            priority=chance.randrange(3),
            active_count=chance.randrange(3),
        )
        for n in range(90)
    )
    rows, how = ordered(listed(bob, Filters()), order)
    everything = list(rows.order_by(*how.fields))
    there = list(walk(lambda **a: page(bob, order, **({"size": 8} | a))))
    assert [skill for found in there for skill in found.items] == everything
    cursor = there[-1].previous_cursor
    back: list[Skill] = []
    while cursor:
        found = page(bob, order, size=8, cursor=cursor)
        back[:0] = found.items
        cursor = found.previous_cursor
    assert back == everything[: len(back)] and len(back) == 88


def test_places_are_those_of_the_tree_library() -> None:
    """Folder.place walks as django-tree-queries does; reach ends with the last folder below."""
    chance = random.Random(3)  # noqa: S311 - not for secrets
    folders: list[Folder | None] = [None]
    for n in range(60):
        parent = chance.choice(folders)
        name = f"{chance.choice('ab')}{n}"
        folders.append(Folder.objects.create(name=name, parent=parent, sort_order=chance.randrange(2)))
    for folder in chance.sample([f for f in folders if f], 15):
        folder.sort_order = chance.randrange(-3, 3)
        folder.save()
    for leaf in Folder.objects.filter(children=None).order_by("?")[:10]:
        leaf.parent = Folder.objects.exclude(pk=leaf.pk).order_by("?").first()
        leaf.save()
    for folder in Folder.objects.filter(children=None, is_system=False).order_by("?")[:5]:
        folder.delete()
    walked = list(Folder.objects.with_tree_fields())
    assert walked == list(Folder.objects.order_by("place"))
    assert [folder.place for folder in walked] == list(range(1, len(walked) + 1))
    for folder in walked:
        inside = {f.pk for f in folder.descendants(include_self=True)}
        span = Folder.objects.filter(place__range=(folder.place, folder.reach))
        assert {f.pk for f in span} == inside


def test_a_cursor_stays_good_when_folders_come_and_go(example: dict[str, Folder], bob: User) -> None:
    first = page(bob)
    Folder.objects.create(name="Earlier", sort_order=-5)
    Folder.objects.create(name="Between", parent=example["前端开发"], sort_order=-5)
    assert names(page(bob, cursor=first.next_cursor)) == IN_ORDER[3:6]
    example["React"].delete()
    assert names(page(bob, cursor=first.next_cursor))[0] in IN_ORDER[3:]


def test_a_page_back_from_rows_that_are_gone_is_the_first_page(example: dict[str, Folder], bob: User) -> None:
    second = page(bob, cursor=page(bob).next_cursor)
    Skill.objects.filter(name__in=IN_ORDER[:2]).delete()
    back = page(bob, cursor=second.previous_cursor)
    assert names(back) == IN_ORDER[2:5] and back.start == 1 and back.previous_cursor is None


def test_what_one_may_not_see_is_in_no_page(example: dict[str, Folder], bob: User) -> None:
    example["React"].grants.create(user=people.carol())
    Skill.objects.filter(name="Vue Hooks").update(status="pending")
    assert names(page(bob, size=20)) == [n for n in IN_ORDER if not n.startswith("React")]
    dave = people.dave()
    assert "Vue Hooks" not in names(page(dave, size=20))
    bob.narrowed_to = example["后端开发"].pk
    assert names(page(bob, size=20)) == ["FastAPI Hooks", "FastAPI 路由最佳实践"]


@pytest.mark.parametrize("order", ORDERS)
def test_a_cursor_of_another_order_is_refused(order: str, example: dict[str, Folder], bob: User) -> None:
    for other in ORDERS:
        if other == order:
            continue
        cursor = page(bob, other).next_cursor
        with pytest.raises(InvalidInput):
            page(bob, order, cursor=cursor)
    assert shown_page(*ordered(listed(bob, Filters()), order), {"cursor": "x"}, size=2).start == 1


def test_a_total_is_counted_as_far_as_people_count(
    example: dict[str, Folder], bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(page(bob).total) == "8" and page(bob).total.is_exact
    monkeypatch.setattr(paging, "COUNTED", 4)
    total = page(bob).total
    assert not total.is_exact and total.number >= 5 and str(total) == "4+"


def test_a_page_takes_the_same_queries_however_long_the_list(
    example: dict[str, Folder], bob: User, django_assert_num_queries: Any
) -> None:
    page(bob)
    with django_assert_num_queries(2):
        found = page(bob)
    with django_assert_num_queries(2):
        page(bob, cursor=found.next_cursor)


def test_numbers_still_lead_to_pages(example: dict[str, Folder], bob: User) -> None:
    rows, how = ordered(listed(bob, Filters()), "path")
    assert names(shown_page(rows, how, {"page": "2"}, size=3)) == IN_ORDER[3:6]
    for nonsense in ("0", "-1", "x", "9" * 30):
        assert shown_page(rows, how, {"page": nonsense}, size=3).start == 1
    assert shown_page(rows, Order(("name", "id")), {"page": "5"}, size=3).items == []
