"""Admins choose, test and take away models on a page; nobody else sees it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from kbsite.llm.models import ModelCall, Provider, Purpose, PurposeModel
from kbsite.llm.secrets import decrypt
from tests import people
from tests.llm.connecting import connect
from tests.model_double import KEY, ModelDouble, Reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(people.alice())
    return client


def form(double: ModelDouble, **changed: str) -> dict[str, str]:
    return {"name": "Double", "base_url": double.url, "api_key": KEY, "chat_model": "double-chat", **changed}


PAGES = ["llm:models", "llm:provider_new", "llm:offered"]


@pytest.mark.parametrize("who", [people.bob, people.carol, people.dave])
@pytest.mark.parametrize("page", PAGES)
def test_only_admins_get_in(client: Client, who: Any, page: str) -> None:
    people.alice()
    client.force_login(who())
    assert client.get(reverse(page)).status_code == 403
    assert client.post(reverse("llm:purpose", args=["chat"]), {}).status_code == 403
    assert (
        client.post(reverse("llm:provider_test_new"), {"base_url": "http://127.0.0.1:1"}).status_code == 403
    )


def test_without_a_model_the_page_says_so(admin: Client, django_assert_max_num_queries: Any) -> None:
    admin.get(reverse("llm:models"))
    with django_assert_max_num_queries(14):
        page = admin.get(reverse("llm:models")).content.decode()
    assert "No language model is connected." in page
    assert "multilingual-e5-small" in page


class TestAProvider:
    def test_is_tested_kept_and_serves_the_chat(self, admin: Client, model_double: ModelDouble) -> None:
        answer = admin.post(reverse("llm:provider_new"), form(model_double))
        assert answer.status_code == 302
        row = Provider.objects.get()
        assert (row.name, row.base_url, decrypt(row.key_encrypted)) == ("Double", model_double.url, KEY)
        assert PurposeModel.objects.get().model == "double-chat"
        page = admin.get(reverse("llm:models")).content.decode()
        assert KEY not in page
        assert "kept encrypted" in page

    def test_sent_twice_makes_one(self, admin: Client, model_double: ModelDouble) -> None:
        for _ in range(2):
            admin.post(reverse("llm:provider_new"), form(model_double))
        assert Provider.objects.count() == 1

    def test_that_fails_is_not_kept_unless_wished(self, admin: Client, model_double: ModelDouble) -> None:
        answer = admin.post(reverse("llm:provider_new"), form(model_double, api_key="sk-wrong-123456789"))
        assert answer.status_code == 422
        assert "refuses the key" in answer.content.decode()
        assert "sk-wrong" not in answer.content.decode()
        assert not Provider.objects.exists()
        admin.post(reverse("llm:provider_new"), form(model_double, api_key="sk-wrong-123456789", anyway="1"))
        assert Provider.objects.exists()

    def test_keeps_its_key_when_none_is_entered(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double).provider
        admin.post(reverse("llm:provider", args=[row.pk]), form(model_double, api_key="", name="New name"))
        row.refresh_from_db()
        assert (row.name, decrypt(row.key_encrypted)) == ("New name", KEY)

    def test_never_sends_a_stored_key_elsewhere(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double).provider
        Provider.objects.filter(pk=row.pk).update(base_url="http://elsewhere.example/v1")
        changed = form(model_double, api_key="")
        for name in ("llm:provider", "llm:provider_test"):
            answer = admin.post(reverse(name, args=[row.pk]), changed)
            assert answer.status_code in (200, 422)
        assert all(r.headers.get("authorization") != f"Bearer {KEY}" for r in model_double.requests)
        answer = admin.post(reverse("llm:provider", args=[row.pk]), {**changed, "anyway": "1"})
        assert "enter the key for it again" in answer.content.decode()

    def test_can_be_tried_without_keeping(self, admin: Client, model_double: ModelDouble) -> None:
        model_double.queue("Hello there.")
        page = admin.post(
            reverse("llm:provider_test_new"), form(model_double), headers={"hx-request": "true"}
        )
        said = page.content.decode()
        assert "The connection works." in said
        assert "Hello there." in said
        assert '<option value="double-embed">' in said
        assert "<html" not in said
        assert not Provider.objects.exists()

    @pytest.mark.parametrize("address", ["", "ftp://x", "http://u:p@h/v1"])
    def test_with_no_address_is_refused(self, admin: Client, model_double: ModelDouble, address: str) -> None:
        data = form(model_double, base_url=address)
        assert admin.post(reverse("llm:provider_new"), data).status_code == 422
        assert admin.post(reverse("llm:provider_test_new"), data).status_code == 422

    def test_can_be_removed(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double).provider
        for _ in range(2):
            assert admin.post(reverse("llm:provider_delete", args=[row.pk])).status_code == 302
        assert not PurposeModel.objects.exists()

    def test_that_is_gone_is_not_found(self, admin: Client) -> None:
        gone = "01920000-0000-7000-8000-000000000000"
        assert admin.get(reverse("llm:provider", args=[gone])).status_code == 404


class TestAPurpose:
    def test_gets_its_own_model(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double)
        url = reverse("llm:purpose", args=["review"])
        assert admin.post(url, {"provider": row.provider_id, "model": "double-chat"}).status_code == 302
        assert PurposeModel.objects.filter(purpose=Purpose.REVIEW).exists()
        assert admin.post(url, {"provider": "", "model": ""}).status_code == 302
        assert not PurposeModel.objects.filter(purpose=Purpose.REVIEW).exists()

    def test_learns_what_the_model_can_do(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double)
        model_double.refuses_tools = True
        admin.post(
            reverse("llm:purpose", args=["chat"]), {"provider": row.provider_id, "model": "double-chat"}
        )
        assert not PurposeModel.objects.get().calls_tools

    @pytest.mark.parametrize("model", ["", "no-such-model"])
    def test_refuses_what_does_not_answer(self, admin: Client, model_double: ModelDouble, model: str) -> None:
        row = connect(model_double)
        answer = admin.post(
            reverse("llm:purpose", args=["review"]), {"provider": row.provider_id, "model": model}
        )
        assert answer.status_code == 422
        assert "Not saved." in answer.content.decode()
        assert not PurposeModel.objects.filter(purpose=Purpose.REVIEW).exists()

    def test_offers_the_models_of_its_provider(self, admin: Client, model_double: ModelDouble) -> None:
        row = connect(model_double)
        page = admin.get(reverse("llm:offered"), {"provider": row.provider_id}).content.decode()
        assert '<option value="double-chat">' in page

    def test_that_does_not_exist(self, admin: Client) -> None:
        assert admin.post(reverse("llm:purpose", args=["poetry"]), {}).status_code == 404


def test_use_is_summed_up(admin: Client, model_double: ModelDouble) -> None:
    connect(model_double)
    model_double.queue("x", Reply(status=500, error="boom"))
    common = {"purpose": "chat", "provider_name": "Double", "model": "double-chat"}
    ModelCall.objects.create(**common, prompt_tokens=1234, completion_tokens=56, latency_ms=200)
    ModelCall.objects.create(**common, error="timeout", latency_ms=9000)
    page = admin.get(reverse("llm:models")).content.decode()
    assert "1234" in page.replace(",", "")
    assert "200 ms" in page


@pytest.mark.parametrize("model", ["provider", "purposemodel", "embeddingspace", "modelcall"])
def test_the_admin_site_shows_them_to_admins_without_keys(
    client: Client, model_double: ModelDouble, model: str
) -> None:
    row = connect(model_double)
    ModelCall.objects.create(purpose="chat", provider_name="Double", model="double-chat")
    url = reverse(f"admin:llm_{model}_changelist")
    client.force_login(people.alice())
    assert client.get(url).status_code == 200
    shown = client.get(reverse("admin:llm_provider_change", args=[row.provider_id])).content.decode()
    assert row.provider.key_encrypted not in shown
    assert client.post(reverse("admin:llm_provider_delete", args=[row.provider_id])).status_code == 403
    client.force_login(people.carol())
    assert client.get(url).status_code == 403
