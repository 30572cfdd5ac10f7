"""Finding: by meaning, by words, in either language, among what one may see."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput, ModelUnavailable
from kbsite.llm.embedders import BuiltInEmbedder
from search import question, scope
from search.results import Results
from search.retrieve import search
from skills.models import Skill
from tests.people import alice, bob, dave
from tests.search.cast import base, skill

Find = Callable[..., Results]


@pytest.fixture
def known(db: None) -> dict[str, Skill]:
    return base()


@pytest.fixture
def find(known: dict[str, Skill]) -> Find:
    """Search as a reader."""
    reader = dave()
    return lambda query, **how: search(query, reader, **how)


def names(results: Results) -> list[str]:
    return [hit.skill.name for hit in results.hits]


class TestFinding:
    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("车票丢了怎么报销", "差旅费用报销办法"),
            ("what if I lose my boarding pass", "Overseas travel policy"),
            ("how often should the espresso maker be cleaned", "Coffee machine"),
            ("怎样选课", "教务系统"),
        ],
    )
    def test_what_was_meant_comes_first(self, find: Find, query: str, name: str) -> None:
        results = find(query)
        assert names(results)[0] == name
        assert results.found
        assert results.hits[0].passages[0].score > 0

    def test_the_other_language_is_found_too(self, find: Find) -> None:
        """A text that answers in another language is not lost among those of one's own."""
        assert "Coffee machine" in names(find("咖啡机多久清洁一次"))[:2]
        assert "教务系统" in names(find("how to choose courses at school"))[:2]

    @pytest.mark.parametrize("mode", ["hybrid", "keyword"])
    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("教务", "教务系统"),
            ("一篇", "教务系统"),
            ("教程", "教务系统"),
            ("車票遺失", "差旅费用报销办法"),
            ("ＥＲＲ＿ＣＯＮＮ＿１０４２", "Connection faults"),
            ("ERR_CONN_1042", "Connection faults"),
            ("SN-00017", "Connection faults"),
            ("10.20.30.40", "Connection faults"),
            ("CONN_104", "Connection faults"),
            ("95%", "质量报告"),
            ("C++", "C++ rules"),
        ],
    )
    def test_what_was_typed_comes_first(self, find: Find, mode: str, query: str, name: str) -> None:
        assert names(find(query, mode=mode))[0] == name

    def test_a_sign_is_a_sign(self, find: Find) -> None:
        assert names(find("%", mode="keyword")) == ["质量报告"]
        assert names(find("_", mode="keyword")) == ["Connection faults"]
        assert names(find("\\", mode="keyword")) == []

    def test_a_name_comes_before_what_speaks_of_it(self, find: Find, known: dict[str, Skill]) -> None:
        skill("The Who", "# The Who\n\nA band.")
        skill("Bands", "# Bands\n\nThe Who, The Who and again The Who: who are The Who?")
        assert names(find("the who"))[0] == "The Who"
        assert names(find("THE WHO", mode="keyword"))[0] == "The Who"

    def test_nothing_is_found_where_nothing_is(self, find: Find) -> None:
        assert not find("who won the football world cup in 1998").found
        assert not find("xqzv wvkj", mode="keyword").found
        assert find("xqzv wvkj", mode="keyword").hits == []

    @pytest.mark.parametrize("query", ["", "  \n", "\x00", "\ud800"])
    def test_an_empty_query_is_guided(self, find: Find, query: str) -> None:
        results = find(query)
        assert (results.hits, results.total, results.found) == ([], 0, False)
        assert results.notes == ["Type what you are looking for: a question, a few words, a name or a code."]

    def test_each_skill_comes_once(self, find: Find) -> None:
        for mode in ("hybrid", "layered", "keyword"):
            found = names(find("报销 ticket c", mode=mode))
            assert len(found) == len(set(found))

    def test_an_unknown_mode_is_refused(self, find: Find) -> None:
        with pytest.raises(InvalidInput):
            find("x", mode="magic")


class TestHits:
    def test_a_hit_says_where_and_why(self, known: dict[str, Skill]) -> None:
        top = Folder.objects.create(name="人事")
        inner = Folder.objects.create(name="差旅", parent=top)
        Skill.objects.filter(name="差旅费用报销办法").update(folder=inner, active_count=41)
        [hit, *_] = search("车票遗失", dave(), explain=True).hits
        passage = hit.passages[0]
        assert [step.name for step in hit.path] == ["人事", "差旅"]
        assert (hit.matched_by, hit.layer) == ("both", 2)
        assert passage.text == hit.skill.content[passage.start : passage.end]
        assert [passage.text[a:b] for a, b in passage.marks] == ["车票遗失"]
        assert hit.scores.final == pytest.approx(sum(leg.adds for leg in hit.legs))
        assert 0 < hit.score <= 1
        assert "Its text says: 车票遗失." in hit.sentence
        assert "Used 41 times" in hit.sentence

    def test_use_is_not_counted_by_searching(self, find: Find) -> None:
        find("coffee")
        assert not Skill.objects.exclude(active_count=0).exists()


class TestLayered:
    def test_the_sum_is_the_seeds(self, known: dict[str, Skill]) -> None:
        results = search("lost ticket", dave(), mode="layered", limit=2)
        hit = results.hits[0]
        assert hit.skill.name == "Overseas travel policy"
        assert hit.scores.semantic == pytest.approx(0.5 * hit.scores.l0 + 0.5 * hit.scores.l1)
        assert hit.scores.final == pytest.approx(0.8 * hit.scores.semantic + 0.2 * hit.scores.hotness)

    def test_few_candidates_are_ranked_by_abstract_alone(self, find: Find) -> None:
        hit = find("lost ticket", mode="layered", limit=50).hits[0]
        assert hit.scores.semantic == hit.scores.l0

    def test_hotness_lifts_what_is_used(self, known: dict[str, Skill]) -> None:
        reader = dave()
        cold = search("lost ticket", reader, mode="layered").hits[0].scores
        week_ago = timezone.now() - timedelta(days=7)
        Skill.objects.filter(name="Overseas travel policy").update(active_count=98, updated_at=week_ago)
        warm = search("lost ticket", reader, mode="layered").hits[0].scores
        assert cold.hotness == pytest.approx(0.5, abs=1e-3)
        assert warm.hotness == pytest.approx(0.99 / 2, abs=1e-3)

    def test_the_literal_cosine_is_a_setting(self, find: Find, settings: pytest.FixtureRequest) -> None:
        settings.KB_RAW_COSINE = True  # type: ignore[attr-defined]
        hit = find("lost ticket", mode="layered", limit=50).hits[0]
        assert 0.8 < hit.scores.l0 < 1


class TestScope:
    def test_a_folder_includes_what_is_below(self, known: dict[str, Skill]) -> None:
        top = Folder.objects.create(name="Top")
        inner = Folder.objects.create(name="Inner", parent=top)
        Skill.objects.filter(name="Coffee machine").update(folder=inner)
        results = search("ticket", dave(), folder_id=top.pk)
        assert names(results) == ["Coffee machine"]
        assert not results.found

    def test_filters_hold_together(self, known: dict[str, Skill]) -> None:
        Skill.objects.filter(name="Coffee machine").update(
            tags=["kitchen", "x"], category="tool", type="document"
        )
        reader = dave()
        assert names(search("coffee", reader, tags=["kitchen"])) == ["Coffee machine"]
        assert names(search("coffee", reader, category="tool", type="document")) == ["Coffee machine"]
        assert names(search("coffee", reader, category="tool", type="user")) == []
        assert names(search("coffee", reader, since=timezone.now() + timedelta(days=1))) == []

    def test_what_is_gone_or_not_approved_is_not_found(self, known: dict[str, Skill]) -> None:
        editor = bob()
        for change in ({"deleted_at": timezone.now()}, {"status": "rejected"}, {"is_active": False}):
            Skill.objects.filter(name="Coffee machine").update(**change)
            for mode in ("hybrid", "layered", "keyword"):
                assert "Coffee machine" not in names(search("coffee machine", editor, mode=mode))
            Skill.objects.filter(name="Coffee machine").update(
                deleted_at=None, status="approved", is_active=True
            )
        assert names(search("coffee machine", editor))[0] == "Coffee machine"

    @pytest.mark.parametrize("mode", ["hybrid", "layered", "keyword"])
    def test_what_one_may_not_see_is_not_found(self, known: dict[str, Skill], mode: str) -> None:
        admin, reader = alice(), dave()
        closed = Folder.objects.create(name="Closed")
        FolderGrant.objects.create(folder=closed, user=admin)
        Skill.objects.filter(name="Coffee machine").update(folder=closed)
        assert "Coffee machine" not in names(search("coffee machine", reader, mode=mode))
        assert names(search("coffee machine", admin, mode=mode))[0] == "Coffee machine"

    def test_a_narrow_key_finds_only_in_its_folder(self, known: dict[str, Skill]) -> None:
        user, folder = dave(), Folder.objects.create(name="Kitchen")
        Skill.objects.filter(name="Coffee machine").update(folder=folder)
        user.narrowed_to = folder.pk
        assert names(search("ticket coffee", user)) == ["Coffee machine"]

    @pytest.mark.parametrize("mode", ["hybrid", "layered", "keyword"])
    def test_many_and_few_skills_are_searched_alike(
        self, known: dict[str, Skill], mode: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whichever way the candidates are chosen, the same come out on top."""
        reader = dave()
        every_one = search("lost ticket", reader, mode=mode, category="knowledge")
        monkeypatch.setattr(scope, "COMPARE_ALL", 2)
        layers = search("lost ticket", reader, mode=mode, category="knowledge")
        monkeypatch.setattr(scope, "COMPARE_LAYERS", 4)
        indexed = search("lost ticket", reader, mode=mode, category="knowledge")
        assert names(every_one) == names(layers) == names(indexed)
        assert names(every_one)[0] == "Overseas travel policy"


class TestWithoutAnEmbedder:
    @pytest.fixture(autouse=True)
    def no_embedder(self, known: dict[str, Skill], monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(self: BuiltInEmbedder, text: str) -> None:
            raise ModelUnavailable("The server does not answer.")

        monkeypatch.setattr(BuiltInEmbedder, "embed_query", refuse)
        question._vector.cache_clear()

    def test_texts_are_matched_and_it_is_said(self) -> None:
        results = search("coffee machine", dave())
        assert names(results)[0] == "Coffee machine"
        assert results.notes == ["The embedding model does not answer, so only texts were compared."]
        hit = results.hits[0]
        assert [leg.weight for leg in hit.legs] == [0.5, 0.3, 0.15, 0.05]
        assert hit.scores.final == pytest.approx(sum(leg.adds for leg in hit.legs))

    def test_the_name_counts_most(self) -> None:
        skill("Espresso", "# x\n\nNothing else.", abstract="none")
        skill("Other", "# x\n\nNothing else.", abstract="All about espresso.")
        assert names(search("espresso", dave()))[:2] == ["Espresso", "Other"]

    def test_words_alone_need_none(self) -> None:
        results = search("教务", dave(), mode="keyword")
        assert (names(results), results.notes) == (["教务系统"], [])

    def test_odd_queries_are_answered(self) -> None:
        for query in ("%", "_", "'\":*", "(", "字" * 5_000):
            search(query, dave_once())


def dave_once() -> User:
    return User.objects.filter(name="Dave").first() or dave()
