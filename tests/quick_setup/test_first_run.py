"""The first run: the console's token makes the admin, once; then the door is closed."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from documents.models import Document, Folder
from kbsite.accounts.models import Role, User
from kbsite.llm.models import Provider, PurposeModel
from kbsite.quick_setup.first_admin import ensure_first_admin
from kbsite.quick_setup.models import Setup
from kbsite.quick_setup.token import announce
from tests import people
from tests.model_double import KEY, ModelDouble

pytestmark = pytest.mark.django_db


def console_token() -> str:
    """The token as a person would copy it from the console."""
    line = announce("http://127.0.0.1:8000") or ""
    found = re.search(r"token=(\S+)", line)
    assert found, line
    return found[1]


def account(token: str, **changes: str) -> dict[str, str]:
    """A filled-in first form."""
    return {"token": token, "name": "Ann", "email": "ann@example.com", "password": people.PASSWORD, **changes}


def test_every_page_leads_to_set_up_until_there_is_an_admin(client: Client) -> None:
    """A stranger's first visit lands on the first step."""
    assert client.get("/documents/").headers["location"] == "/setup/"
    page = client.get("/setup/")
    assert page.status_code == 200
    assert "Token" in page.content.decode()


def test_three_steps_from_token_to_samples(client: Client) -> None:
    """Account, no model, samples: the admin is signed in and six documents are queued."""
    token = console_token()
    made = client.post("/setup/account/", account(token))
    assert made.headers["location"] == "/setup/model/"
    assert User.objects.get().role == Role.ADMIN
    assert client.post("/setup/model/", {"choice": "offline"}).headers["location"] == "/setup/samples/"
    assert client.post("/setup/samples/", {"add": "1"}).headers["location"] == "/"
    assert Document.objects.count() == 6
    assert Folder.objects.filter(is_system=False).count() == 1
    client.post("/setup/samples/", {"add": "1"})
    assert Document.objects.count() == 6


@pytest.mark.parametrize("token", ["", "wrong", "\x00", "x" * 100])
def test_a_wrong_token_makes_nobody(client: Client, token: str) -> None:
    """The form comes back with what was typed and what to do."""
    console_token()
    answer = client.post("/setup/account/", account(token))
    assert answer.status_code in (403, 422)
    assert "ann@example.com" in answer.content.decode()
    assert not User.objects.exists()


def test_the_token_before_the_last_start_no_longer_works(client: Client) -> None:
    """Each start prints a new one."""
    old = console_token()
    console_token()
    assert client.post("/setup/account/", account(old)).status_code == 403


def test_a_weak_password_is_refused_and_the_token_kept(client: Client) -> None:
    """A second try with the same token works."""
    token = console_token()
    assert client.post("/setup/account/", account(token, password="123")).status_code == 422
    assert client.post("/setup/account/", account(token)).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_two_forms_at_once_make_one_admin() -> None:
    """The one who loses is led to sign in."""
    token = console_token()

    def post(n: int) -> str:
        try:
            answer = Client().post("/setup/account/", account(token, email=f"ann{n}@example.com"))
            return str(answer.headers.get("location"))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        locations = sorted(pool.map(post, range(4)))
    assert User.objects.count() == 1
    assert locations.count("/setup/model/") == 1


def test_afterwards_only_admins_get_in(client: Client) -> None:
    """Strangers are asked to sign in, readers are refused, admins may change the model."""
    alice = people.alice()
    assert announce() is None
    assert client.get("/setup/").headers["location"].startswith("/login/")
    client.force_login(people.dave())
    assert client.get("/setup/model/").status_code == 403
    assert client.get("/api/quick-setup/state").status_code == 403
    client.force_login(alice)
    assert client.get("/setup/model/").status_code == 200


def test_an_admin_from_the_environment_needs_no_browser(client: Client, settings) -> None:
    """KB_ADMIN_EMAIL and KB_ADMIN_PASSWORD make the admin once, with the offline model."""
    settings.KB_ADMIN_EMAIL, settings.KB_ADMIN_PASSWORD = "Ops@Example.com", people.PASSWORD
    ensure_first_admin()
    ensure_first_admin()
    assert User.objects.get().email == "ops@example.com"
    assert Setup.load().finished_at is not None
    assert client.get("/").headers["location"].startswith("/login/")


def test_a_bad_password_in_the_environment_makes_nobody(settings, caplog: pytest.LogCaptureFixture) -> None:
    """The log says why, without the password."""
    settings.KB_ADMIN_EMAIL, settings.KB_ADMIN_PASSWORD = "ops@example.com", "12345"
    ensure_first_admin()
    assert not User.objects.exists()
    assert "KB_ADMIN_PASSWORD" in caplog.text
    assert "12345" not in caplog.text


def test_the_api_leads_the_same_way(client: Client) -> None:
    """State is open while nobody could have a key; essential makes the admin; then keys are asked for."""
    token = console_token()
    first = client.get("/api/quick-setup/state").json()
    assert (first["current_step"], first["essential_completed"]) == ("account", False)
    body = {"token": token, "email": "ann@example.com", "password": people.PASSWORD}
    done = client.post("/api/quick-setup/essential", body, "application/json")
    assert done.status_code == 200, done.content
    assert done.json()["essential_completed"] is True
    assert client.get("/api/quick-setup/state").status_code == 401
    headers = people.bearer(User.objects.get())
    assert client.get("/api/quick-setup/checklist", headers=headers).json()[0]["done"] is True


def test_a_model_is_tested_before_it_is_kept(client: Client, model_double: ModelDouble) -> None:
    """A key that is refused is said; what was typed stays; a good one serves every purpose."""
    client.force_login(people.alice())
    typed = {
        "choice": "connect",
        "base_url": model_double.url,
        "api_key": "sk-wrong",
        "chat_model": "double-chat",
    }
    refused = client.post("/setup/model/", typed)
    assert refused.status_code == 422
    assert model_double.url in refused.content.decode()
    assert not PurposeModel.objects.exists()
    kept = client.post("/setup/model/", {**typed, "api_key": KEY})
    assert kept.status_code == 302
    assert PurposeModel.objects.exists()
    assert KEY not in str(list(Provider.objects.values()))


def test_a_model_is_tested_with_a_button(client: Client, model_double: ModelDouble) -> None:
    """The report comes back into the page with the names on offer."""
    client.force_login(people.alice())
    answer = client.post(
        "/setup/model/test/",
        {"choice": "connect", "base_url": model_double.url, "api_key": KEY},
        headers={"hx-request": "true"},
    )
    assert 'id="report"' in answer.content.decode()
    assert "<option" in answer.content.decode()
