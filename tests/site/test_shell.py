"""The frame of every page: language, theme, places, the tree, errors, toasts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from documents.models import Folder
from kbsite.exceptions import InvalidInput, ModelUnavailable, NotAllowed
from kbsite.templatetags.kb import ago_words
from kbsite.toasts import say
from kbsite.urls import handler400, handler403, handler404, handler500  # noqa: F401 - Django reads them here
from tests import people

pytestmark = pytest.mark.django_db


def refused(request: HttpRequest) -> HttpResponse:
    """A page that this person may not see."""
    raise NotAllowed("Only curators can do this.")


def unusable(request: HttpRequest) -> HttpResponse:
    """A page that can't use what it was sent."""
    raise InvalidInput("Give the folder a name.")


def silent(request: HttpRequest) -> HttpResponse:
    """A page whose model is away."""
    raise ModelUnavailable("The model can't be reached.", code="unreachable")


def broken(request: HttpRequest) -> HttpResponse:
    """A page with a fault of ours."""
    raise RuntimeError("secret detail")


def moved(request: HttpRequest) -> HttpResponse:
    """A page that did something that can be undone."""
    say(request, "Moved.", undo="/undo/")
    say(request, "Slowly.", level=messages.WARNING)
    return HttpResponse("ok")


urlpatterns = [
    path("refused/", refused),
    path("unusable/", unusable),
    path("silent/", silent),
    path("broken/", broken),
    path("moved/", moved),
    path("", include("kbsite.urls")),
]

with_pages = override_settings(ROOT_URLCONF=__name__)


@pytest.fixture
def curator(client: Client) -> Client:
    """Carol, signed in, on a site that is set up."""
    people.alice()
    client.force_login(people.carol())
    return client


@pytest.fixture
def reader(client: Client) -> Client:
    """Dave, signed in."""
    people.alice()
    client.force_login(people.dave())
    return client


def toasts(response: HttpResponse) -> list[dict[str, str]]:
    """What the header tells the page to show."""
    return list(json.loads(response.headers["HX-Trigger"])["toasts"])


def test_language_follows_the_browser_then_the_choice(client: Client) -> None:
    """Signed out, the browser's language holds until one is chosen; the choice is a cookie."""
    people.alice()
    page = client.get("/login/", headers={"accept-language": "zh-CN,zh;q=0.9"})
    assert '<html lang="zh-Hans"' in page.content.decode()
    back = client.post("/language/", {"language": "en", "next": "/login/?next=/me/"})
    assert back.headers["Location"] == "/login/?next=/me/"
    page = client.get("/login/", headers={"accept-language": "zh-CN"})
    assert '<html lang="en"' in page.content.decode()


def test_language_and_theme_stay_with_the_person(reader: Client) -> None:
    """Another browser of the same person has them too."""
    reader.post("/language/", {"language": "zh-hans"})
    reader.post("/theme/", {"theme": "dark"})
    reader.cookies.pop("kb_language")
    reader.cookies.pop("kb_theme")
    assert '<html lang="zh-Hans" data-theme="dark">' in reader.get("/me/").content.decode()
    reader.post("/theme/", {"theme": "no such thing"})
    assert '<html lang="zh-Hans">' in reader.get("/me/").content.decode()


def test_nobody_is_led_elsewhere(client: Client) -> None:
    """``next`` goes to our own pages only."""
    people.alice()
    back = client.post("/language/", {"language": "en", "next": "https://evil.example/"})
    assert back.headers["Location"] == "/"


def test_places_are_those_one_may_go_to(curator: Client) -> None:
    """A curator has Admin and not Models; a reader has neither."""
    page = curator.get("/me/").content.decode()
    assert 'data-go="i"' in page and 'data-go="m"' not in page
    curator.force_login(people.dave())
    assert 'data-go="i"' not in curator.get("/me/").content.decode()


def test_the_page_has_one_of_each_landmark(reader: Client) -> None:
    """A skip link, one main, one h1, a named search, no inline style or script."""
    page = reader.get("/me/").content.decode()
    assert page.count("<main") == 1
    assert page.count("<h1") == 1
    assert 'class="skip" href="#main"' in page
    assert 'role="search"' in page
    assert " style=" not in page and "<style" not in page
    assert " onclick=" not in page and "<script>" not in page


def test_the_tree_shows_what_is_open(reader: Client) -> None:
    """Closed branches are fetched when they are opened; the way to the current folder is open."""
    top = Folder.objects.create(name="Rules")
    inner = Folder.objects.create(name="Travel", parent=top)
    Folder.objects.create(name="Abroad", parent=inner)
    page = reader.get("/me/").content.decode()
    assert "Rules" in page and "Travel" not in page
    page = reader.get(f"/me/?folder={inner.id}").content.decode()
    assert "Travel" in page and 'aria-current="page"' in page and "Abroad" not in page
    branch = reader.get(f"/tree/{top.id}/").content.decode()
    assert "Travel" in branch and 'aria-level="2"' in branch
    reader.cookies["kb_open"] = f"{top.id.hex[-12:]}.nonsense"
    assert "Travel" in reader.get("/me/").content.decode()


def test_a_folder_name_is_text(reader: Client) -> None:
    """Names are shown, never run."""
    Folder.objects.create(name="<img src=x onerror=alert(1)>")
    assert "<img src=x" not in reader.get("/me/").content.decode()


@with_pages
@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/refused/", 403, "Only curators can do this."),
        ("/unusable/", 422, "Give the folder a name."),
        ("/silent/", 503, "The model can&#x27;t be reached."),
        ("/nothing-here/", 404, "It may have been moved or deleted"),
    ],
)
def test_what_goes_wrong_is_said_on_a_page(reader: Client, address: str, status: int, sentence: str) -> None:
    """In the shell, with a way on."""
    answer = reader.get(address)
    page = answer.content.decode()
    assert answer.status_code == status
    assert sentence in page
    assert 'class="rail"' in page
    assert 'href="/"' in page


@with_pages
def test_signed_out_people_see_errors_without_the_shell(client: Client) -> None:
    """There is nothing of the base on it."""
    people.alice()
    answer = client.get("/nothing-here/")
    assert answer.status_code == 404
    assert 'class="rail"' not in answer.content.decode()


@with_pages
def test_our_own_faults_tell_no_secrets(reader: Client) -> None:
    """500 has a page that needs neither database nor session."""
    reader.raise_request_exception = False
    answer = reader.get("/broken/")
    assert answer.status_code == 500
    assert "secret detail" not in answer.content.decode()
    assert "Something went wrong here" in answer.content.decode()


@with_pages
def test_over_htmx_errors_are_toasts(reader: Client) -> None:
    """The page that is there stays as it is."""
    answer = reader.post("/unusable/", headers={"hx-request": "true"})
    assert answer.status_code == 422
    assert answer.headers["HX-Reswap"] == "none"
    assert toasts(answer) == [{"text": "Give the folder a name.", "tone": "error"}]


@with_pages
def test_messages_come_with_an_htmx_answer(reader: Client) -> None:
    """With their Undo; on a page of its own they are in the toast region."""
    answer = reader.post("/moved/", headers={"hx-request": "true"})
    assert toasts(answer) == [
        {"text": "Moved.", "tone": "success", "undo": "/undo/"},
        {"text": "Slowly.", "tone": "warning", "undo": ""},
    ]
    reader.get("/moved/")
    page = reader.get("/me/").content.decode()
    assert "Moved." in page and 'action="/undo/"' in page
    assert "Moved." not in reader.get("/me/").content.decode()


def test_a_session_that_ended_does_not_put_the_sign_in_page_in_the_middle(client: Client) -> None:
    """htmx gets 401 and a toast with a link."""
    people.alice()
    answer = client.get("/palette/", headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert toasts(answer)[0]["href"] == "/login/"
    assert client.get("/palette/").headers["Location"].startswith("/login/")


def test_a_stale_form_is_explained(reader: Client) -> None:
    """A failed CSRF check says to load the page again."""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(people.bob())
    answer = strict.post("/theme/", {"theme": "dark"})
    assert answer.status_code == 403
    assert "Load it again" in answer.content.decode()


def test_programs_get_problem_documents(reader: Client) -> None:
    """Also for an address of the API that does not exist."""
    answer = reader.get("/api/no-such-thing")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == 404


def test_the_styleguide_is_for_curators(curator: Client) -> None:
    """It renders; a reader is told that it is not theirs."""
    assert curator.get("/styleguide/").status_code == 200
    curator.force_login(people.dave())
    assert curator.get("/styleguide/").status_code == 403


@pytest.mark.parametrize(
    ("past", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=3), "3 min ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(days=1, hours=3), "yesterday"),
        (timedelta(days=5), "5 days ago"),
        (timedelta(days=21), "3 weeks ago"),
        (timedelta(days=70), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(seconds=-60), "just now"),
    ],
)
def test_dates_in_words(past: timedelta, words: str) -> None:
    """One unit, the nearest that says enough."""
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert ago_words(now - past, now) == words


@pytest.mark.parametrize("address", ["/skills/", "/documents/", "/search/", "/knowledge/"])
def test_a_part_of_a_page_is_not_kept_as_the_page(address: str) -> None:
    """Going back, a browser would show what htmx was given for the same address."""
    client = Client()
    client.force_login(people.alice())
    whole = client.get(address)
    assert "HX-Request" in whole.headers["Vary"]
    assert "no-store" not in whole.headers.get("Cache-Control", "")
    part = client.get(address, headers={"HX-Request": "true"})
    assert part.headers["Cache-Control"] == "no-store"
