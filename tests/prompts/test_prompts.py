"""Prompts are files that curators may override, checked before they are used."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from kbsite.accounts.models import AuditEntry
from kbsite.exceptions import InvalidInput, LostUpdate, NotFound
from kbsite.prompts import store, template
from kbsite.prompts.models import PromptOverride
from kbsite.prompts.shipped import FOLDER, shipped
from tests import people

pytestmark = pytest.mark.django_db

GOOD = "Summarise in {language}. Use {{braces}}."


class TestWhatShips:
    def test_every_file_is_whole(self) -> None:
        assert {path.stem for path in FOLDER.glob("*.md")} == set(shipped())
        for prompt in shipped().values():
            template.check(prompt.content, prompt.variables)
            for words in (prompt.name, prompt.description, *prompt.variables.values()):
                assert set(words.by_language) == {"en", "zh-hans"}

    def test_names_follow_the_language_of_the_page(self) -> None:
        with translation.override("zh-hans"):
            assert str(shipped()["answer"].name) == "回答"
        with translation.override("en"):
            assert str(shipped()["answer"].name) == "Answer"

    def test_the_answer_says_what_matters(self) -> None:
        said = store.render("answer")
        for rule in ("search tool", "[1]", "language of the question", "doesn't have it", "data"):
            assert rule in said

    def test_the_relation_prompt_asks_for_the_seeds_json(self) -> None:
        said = store.render("dedupe_relation", new_task="任务", new_content="内容", existing_list="[1] ID: a")
        assert '{\n  "final_decision": "approved",' in said
        assert "任务" in said
        for kind in ("duplicate", "subset", "superset", "conflict", "complement", "none"):
            assert f"- {kind}:" in said


class TestRendering:
    def test_values_are_put_in_once_and_never_read_as_a_template(self) -> None:
        hostile = "{language} {0} {x.__class__} {{ }} %s ${HOME}"
        said = store.render("dedupe_relation", new_task=hostile, new_content="c", existing_list="e")
        assert f"Task: {hostile}" in said

    @pytest.mark.parametrize("values", [{}, {"language": "x", "other": "y"}, {"other": "y"}])
    def test_wrong_variables_are_a_mistake_of_ours(self, values: dict[str, str]) -> None:
        with pytest.raises(ValueError, match="analyze_abstract takes"):
            store.render("analyze_abstract", **values)

    def test_an_override_is_what_is_sent(self) -> None:
        store.save_override("analyze_abstract", GOOD, people.carol())
        assert store.render("analyze_abstract", language="German") == "Summarise in German. Use {braces}."

    def test_an_override_that_no_longer_fits_is_left_aside(self) -> None:
        PromptOverride.objects.create(key="analyze_abstract", content="No variable here.")
        assert "German" in store.render("analyze_abstract", language="German")
        assert "{language}" in store.prompt("analyze_abstract").fault

    def test_one_query(self, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(1):
            store.render("answer")
        with django_assert_num_queries(1):
            store.prompts()


BROKEN = [
    ("", "empty"),
    ("No variable.", "missing_variable"),
    ("{language} {colour}", "unknown_variable"),
    ("{language} {", "broken_template"),
    ("{language} }", "broken_template"),
    ("{language} {0}", "broken_template"),
    ("{language.__class__}", "broken_template"),
    ("{language!r}", "broken_template"),
    ("{language:>1000000000}", "broken_template"),
    ("{language} " + "x" * store.LONGEST, "too_long"),
]


class TestChanging:
    @pytest.mark.parametrize(("content", "code"), BROKEN, ids=[c for _, c in BROKEN])
    def test_what_would_break_it_is_refused(self, content: str, code: str) -> None:
        with pytest.raises(InvalidInput) as caught:
            store.save_override("analyze_abstract", content, people.carol())
        assert caught.value.code == code
        assert not PromptOverride.objects.exists()

    def test_versions_count_and_a_lost_update_is_refused(self) -> None:
        carol = people.carol()
        assert store.save_override("analyze_abstract", GOOD, carol, version=0).version == 1
        assert store.save_override("analyze_abstract", GOOD + " More.", carol, version=1).version == 2
        with pytest.raises(LostUpdate):
            store.save_override("analyze_abstract", GOOD, carol, version=1)
        assert list(AuditEntry.objects.values_list("action", flat=True)) == ["prompt.save"] * 2

    def test_the_shipped_text_or_a_reset_brings_it_back(self) -> None:
        carol = people.carol()
        default = store.prompt("analyze_abstract").default_content
        for undo in (
            lambda: store.save_override("analyze_abstract", default + "\r\n", carol),
            lambda: store.reset("analyze_abstract", carol),
        ):
            store.save_override("analyze_abstract", GOOD, carol)
            assert undo().source == "default"
        assert not PromptOverride.objects.exists()

    def test_nul_is_dropped(self) -> None:
        store.save_override("analyze_abstract", GOOD + "\x00", people.carol())
        assert store.prompt("analyze_abstract").content == GOOD

    def test_unknown_keys(self) -> None:
        for call in (store.prompt, store.render, lambda key: store.reset(key, people.carol())):
            with pytest.raises(NotFound):
                call("no_such_prompt")


class TestThePage:
    @pytest.fixture(autouse=True)
    def set_up(self) -> None:
        people.alice()

    @pytest.mark.parametrize("who", [people.bob, people.dave])
    def test_only_curators_get_in(self, client: Client, who: Any) -> None:
        client.force_login(who())
        assert client.get(reverse("prompts:list")).status_code == 403
        assert client.post(reverse("prompts:prompt", args=["answer"]), {"content": "x"}).status_code == 403
        assert client.post(reverse("prompts:reset", args=["answer"])).status_code == 403

    def test_lists_them_all(self, client: Client) -> None:
        client.force_login(people.carol())
        page = client.get(reverse("prompts:list")).content.decode()
        for prompt in shipped().values():
            assert str(prompt.name) in page

    def test_change_compare_reset(self, client: Client) -> None:
        client.force_login(people.carol())
        url = reverse("prompts:prompt", args=["analyze_abstract"])
        assert client.post(url, {"content": GOOD, "version": 0}).status_code == 302
        page = client.get(url).content.decode()
        assert "<ins>" in page
        assert "<del>" in page
        assert "Carol" in page
        assert client.post(reverse("prompts:reset", args=["analyze_abstract"])).status_code == 302
        assert "<ins>" not in client.get(url).content.decode()

    def test_a_refused_text_stays_in_the_form(self, client: Client) -> None:
        client.force_login(people.carol())
        answer = client.post(
            reverse("prompts:prompt", args=["analyze_abstract"]), {"content": "Mine.", "version": 0}
        )
        assert answer.status_code == 422
        assert "Mine." in answer.content.decode()
        assert "{language}" in answer.content.decode()

    def test_markup_in_a_prompt_is_text(self, client: Client) -> None:
        client.force_login(people.carol())
        url = reverse("prompts:prompt", args=["conversation_title"])
        client.post(url, {"content": "</textarea><script>x</script>", "version": 0})
        assert "<script>x" not in client.get(url).content.decode()

    def test_unknown(self, client: Client) -> None:
        client.force_login(people.carol())
        assert client.get(reverse("prompts:prompt", args=["nope"])).status_code == 404

    def test_the_admin_site(self, client: Client) -> None:
        carol = people.carol()
        store.save_override("analyze_abstract", GOOD, carol)
        client.force_login(carol)
        url = reverse("admin:prompts_promptoverride_changelist")
        assert client.get(url).status_code == 200
        client.post(url, {"action": "bring_back", "_selected_action": ["analyze_abstract"]})
        assert not PromptOverride.objects.exists()


class TestTheApi:
    def test_list_get_put_preview_reset(self, client: Client) -> None:
        headers = people.bearer(people.carol())
        listed = client.get("/api/prompts?category=analyze", headers=headers).json()
        assert [p["key"] for p in listed] == ["analyze_abstract", "analyze_overview", "folder_page"]
        one = client.get("/api/prompts/analyze_abstract", headers=headers).json()
        assert (one["source"], one["version"]) == ("default", 0)
        assert one["variables"][0]["name"] == "language"
        changed = client.put(
            "/api/prompts/analyze_abstract", {"content": GOOD}, "application/json", headers=headers
        ).json()
        assert (changed["source"], changed["version"], changed["content"]) == ("custom", 1, GOOD)
        body = {"variables": {"language": "German"}}
        shown = client.post(
            "/api/prompts/analyze_abstract/preview", body, "application/json", headers=headers
        )
        assert shown.json()["content"] == "Summarise in German. Use {braces}."
        again = client.post("/api/prompts/analyze_abstract/reset", headers=headers).json()
        assert again["source"] == "default"

    def test_refusals(self, client: Client) -> None:
        curator, reader = people.bearer(people.carol()), people.bearer(people.dave())
        put = {"content": "No variable."}
        url = "/api/prompts/analyze_abstract"
        assert client.put(url, put, "application/json", headers=curator).status_code == 422
        assert (
            client.put(url, {"content": GOOD, "version": 9}, "application/json", headers=curator).status_code
            == 412
        )
        assert client.get("/api/prompts/nope", headers=curator).status_code == 404
        for method, path in (
            ("get", ""),
            ("get", "/answer"),
            ("post", "/answer/reset"),
            ("post", "/answer/preview"),
        ):
            answer = (
                getattr(client, method)(f"/api/prompts{path}", {}, "application/json", headers=reader)
                if method == "post"
                else client.get(f"/api/prompts{path}", headers=reader)
            )
            assert answer.status_code == 403
        assert client.get("/api/prompts").status_code == 401
