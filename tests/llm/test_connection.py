"""Trying an address: every way of writing it, and every way it can fail."""

from __future__ import annotations

from typing import Any

import pytest

from kbsite.exceptions import Conflict, InvalidInput, ModelUnavailable
from kbsite.llm.chat_models import chat_model
from kbsite.llm.connection import candidates, normalise_base_url, test_connection
from kbsite.llm.embedding import active_space
from kbsite.llm.models import EmbeddingSpace, Provider, Purpose, PurposeModel
from kbsite.llm.secrets import decrypt
from kbsite.llm.setup import choose_model
from skills.models import LayerVector, Skill
from tests.model_double import KEY, ModelDouble, Reply, rate_limited

ADDRESSES = [
    ("http://h:1/v1/", "http://h:1/v1"),
    ("http://h:1", "http://h:1/v1"),
    (" http://h:1/v1/chat/completions \n", "http://h:1/v1"),
    ("http://h:1//v1//chat/completions/", "http://h:1/v1"),
    ("http://h:1/v1/embeddings", "http://h:1/v1"),
    ("http://h:1/v1?x=1#y", "http://h:1/v1"),
    ("HTTPS://API.Example.com/V1", "https://api.example.com/V1"),
    ("api.deepseek.com", "https://api.deepseek.com/v1"),
    ("localhost:11434", "http://localhost:11434/v1"),
    ("192.168.1.20:8000/v1", "http://192.168.1.20:8000/v1"),
    ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ("https://open.bigmodel.cn/api/paas/v4", "https://open.bigmodel.cn/api/paas/v4"),
    ("https://x.googleapis.com/v1beta/openai/", "https://x.googleapis.com/v1beta/openai"),
    ("“https://h/v1”".strip("“”"), "https://h/v1"),
]


@pytest.mark.parametrize(("typed", "meant"), ADDRESSES)
def test_an_address_is_put_right(typed: str, meant: str) -> None:
    assert normalise_base_url(typed) == meant


@pytest.mark.parametrize(
    "typed",
    ["", "  ", "ftp://h/v1", "http://", "file:///etc/passwd", "http://user:pw@h/v1", "http://h:port/v1"],
)
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(InvalidInput):
        candidates(typed)
    assert not test_connection(typed, "", "m").success


class TestATest:
    def test_a_good_one_says_what_works(self, model_double: ModelDouble) -> None:
        model_double.queue("Hello there.")
        report = test_connection(model_double.url, KEY, "double-chat", "double-embed")
        assert report.success
        assert report.answer == "Hello there."
        assert (report.streams, report.calls_tools, report.takes_system) == (True, True, True)
        assert report.embedding_dimension == 8
        assert report.models == ["double-chat", "double-embed"]
        assert report.latency_ms is not None

    @pytest.mark.parametrize("root", ["/v1", "/api"])
    @pytest.mark.parametrize(
        "form", ["http://127.0.0.1:{port}{root}/", "127.0.0.1:{port}{root}/chat/completions "]
    )
    def test_it_says_which_address_worked(self, model_double: ModelDouble, root: str, form: str) -> None:
        model_double.root = root
        report = test_connection(form.format(port=model_double.port, root=root), KEY, "double-chat")
        assert report.success
        assert report.base_url == model_double.url
        assert model_double.url in report.message

    def test_without_v1(self, model_double: ModelDouble) -> None:
        report = test_connection(f"http://127.0.0.1:{model_double.port}", KEY)
        assert report.success
        assert report.base_url == model_double.url
        assert "2 models" in report.message

    def test_a_wrong_key(self, model_double: ModelDouble) -> None:
        report = test_connection(model_double.url, "sk-wrong-0123456789", "double-chat")
        assert (report.success, report.code) == (False, "bad_key")
        assert "sk-wrong" not in repr(report)

    def test_an_unknown_model_names_those_there_are(self, model_double: ModelDouble) -> None:
        report = test_connection(model_double.url, KEY, "gpt-9")
        assert (report.success, report.code) == (False, "not_found")
        assert "double-chat" in report.message

    def test_nobody_there(self) -> None:
        report = test_connection("http://127.0.0.1:9/v1", KEY, "m")
        assert (report.success, report.code) == (False, "unreachable")

    @pytest.mark.parametrize(
        ("reply", "code"), [(rate_limited(5), "rate_limited"), (Reply(status=500, error="x"), "server_error")]
    )
    def test_a_fault_is_named(self, model_double: ModelDouble, reply: Reply, code: str) -> None:
        model_double.queue(reply)
        assert test_connection(model_double.url, KEY, "double-chat").code == code

    def test_silence(self, model_double: ModelDouble, settings: Any) -> None:
        settings.KB_MODEL_TIMEOUT_SECONDS = 0.3
        model_double.queue(Reply(hang=True))
        assert test_connection(model_double.url, KEY, "double-chat").code == "timeout"

    def test_what_the_model_cannot_do(self, model_double: ModelDouble) -> None:
        model_double.refuses_tools = model_double.refuses_system = True
        report = test_connection(model_double.url, KEY, "double-chat")
        assert report.success
        assert (report.calls_tools, report.takes_system) == (False, False)


@pytest.mark.django_db
class TestChoosing:
    def test_one_model_for_everything(self, model_double: ModelDouble) -> None:
        choose_model(model_double.url, KEY, "double-chat")
        for purpose in Purpose:
            assert chat_model(purpose).name == "double-chat"
        row = Provider.objects.get()
        assert KEY not in repr(vars(row))
        assert decrypt(row.key_encrypted) == KEY

    def test_choosing_twice_keeps_one_provider_and_its_key(self, model_double: ModelDouble) -> None:
        choose_model(model_double.url, KEY, "double-chat")
        choose_model(f" {model_double.url}/ ", "", "double-embed")
        assert Provider.objects.count() == 1
        assert decrypt(Provider.objects.get().key_encrypted) == KEY
        assert PurposeModel.objects.get().model == "double-embed"

    def test_an_embedding_model_makes_its_own_space(self, model_double: ModelDouble) -> None:
        model_double.dimension = 16
        choose_model(model_double.url, KEY, "double-chat", "double-embed")
        assert (active_space().model, active_space().dimension) == ("double-embed", 16)
        choose_model(model_double.url, KEY, "double-chat", "double-embed")
        assert EmbeddingSpace.objects.filter(state="active").count() == 1

    def test_an_embedding_model_that_is_not_there(self, model_double: ModelDouble) -> None:
        with pytest.raises(ModelUnavailable):
            choose_model(model_double.url, KEY, "double-chat", "no-such-model")
        assert not Provider.objects.exists()

    def test_vectors_of_another_model_are_not_mixed(self, model_double: ModelDouble) -> None:
        skill = Skill.objects.create(name="x", slug="x")
        LayerVector.objects.create(space=active_space(), skill=skill, level=0, vector=[0.0] * 384)
        with pytest.raises(Conflict):
            choose_model(model_double.url, KEY, "double-chat", "double-embed")
        assert active_space().dimension == 384
