"""Words: how texts are cut, how passages score, and that document frequencies stay exact."""

from __future__ import annotations

import math
from threading import Thread

import pytest
from django.db import connection, connections, transaction
from pgvector import SparseVector

from skills import terms, words
from skills.keys import choose
from skills.models import Passage, PassageTerms, Skill, Term, TermDelta
from skills.terms import QueryTerm, QueryTerms, analyse, fold_deltas, query_terms


def add(skill: Skill, *texts: str) -> list[Passage]:
    """Passages of ``skill`` with their words, and the deltas that count them."""
    made = []
    for text in texts:
        passage = Passage.objects.create(
            skill=skill, ordinal=len(made), text=text, start=0, end=len(text), tokens=1
        )
        vector = analyse(text)
        PassageTerms.objects.create(passage=passage, skill=skill, weights=vector.sparse, keys=vector.keys)
        TermDelta.objects.create(sign=1, hashes=vector.hashes)
        made.append(passage)
    return made


def best(query: str, limit: int = 10) -> list[str]:
    """The texts that answer ``query`` by words, best first."""
    rows = PassageTerms.objects.matching(query_terms(query), limit).select_related("passage")
    return [row.passage.text for row in rows]


@pytest.fixture
def skill(db: None) -> Skill:
    return Skill.objects.create(slug="s", name="S")


class TestCutting:
    def test_chinese_is_characters_and_pairs(self) -> None:
        found = words.cut("车票遗失。报销")
        assert found.grams == list("车票遗失报销")
        assert found.pairs == ["车票", "票遗", "遗失", "报销"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("車票遺失後來", "车票遗失后来"),
            ("ＡＢＣ１２３", "abc123"),
            ("Café Łódź", "cafe lodz"),
            ("cafe\u0301", "café"),
            ("ｶﾀｶﾅ", "カタカナ"),
            ("Running nations", "run nation"),
            ("穿著", "穿着"),
        ],
    )
    def test_script_width_case_accents_and_endings_meet(self, one: str, other: str) -> None:
        assert terms.analyse(one).weights == terms.analyse(other).weights

    def test_codes_are_kept_whole_and_in_parts(self) -> None:
        found = words.cut("ERR_CONN_1042 at 10.20.30.40, path/x.py; C++ not c#, 95%")
        assert found.names == ["err_conn_1042", "10.20.30.40", "path/x.py", "c++", "c#", "95%"]
        assert {"err", "conn", "1042", "10", "40", "path", "x", "c", "95"} <= set(found.words)

    def test_nothing_is_too_common_to_be_kept(self) -> None:
        assert words.cut("The Who").words == ["the", "who"]

    @pytest.mark.parametrize("text", ["", " \n", "\x00", "\ud800", "'\":*", "(", "\u200b", "a\u0301" * 50])
    def test_odd_text_is_cut_without_a_fault(self, text: str) -> None:
        assert analyse(text).length >= 0

    @pytest.mark.parametrize("text", ["纸质車票遺失", "cafe\u0301 ＡＢ", "straße ﬁn", ""])
    def test_folding_keeps_track_of_places(self, text: str) -> None:
        folded, places = words.fold_with_places(text)
        assert len(folded) == len(places)
        assert all(folded[n] in words.fold(text[place]) for n, place in enumerate(places))


class TestWeights:
    def test_weights_are_saturated_counts(self) -> None:
        vector = analyse("apple apple pear")
        k = terms.K1 * (1 - terms.B + terms.B * 3 / terms.AVERAGE_WORDS)
        assert vector.weights[words.hash_of(words.stem("apple"))] == pytest.approx(2 / (2 + k))
        assert vector.weights[words.hash_of("pear")] == pytest.approx(1 / (1 + k))
        assert vector.length == 3

    def test_hashes_never_change(self) -> None:
        assert (words.hash_of("车票"), words.hash_of("x")) == (879001371, 853699381)

    def test_terms_that_share_a_hash_are_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(words, "hash_of", lambda term: 7)
        k = terms.K1 * (1 - terms.B + terms.B * 2 / terms.AVERAGE_WORDS)
        assert analyse("apple pear").weights == {7: pytest.approx(2 / (2 + k))}

    def test_tiers_mark_what_occurs_often(self) -> None:
        keys = set(analyse("票 " * 8 + "log log").keys)
        assert {terms.tier("票", 4), terms.tier("票", 8), terms.tier("log", 2)} <= keys
        assert not {terms.tier("票", 2), terms.tier("log", 4)} & keys
        assert max(keys) < 2**31

    def test_a_row_gives_back_what_was_written(self, skill: Skill) -> None:
        [passage] = add(skill, "车票 ticket")
        row = PassageTerms.objects.get(pk=passage.pk)
        stored = dict(zip(row.weights.indices(), row.weights.values(), strict=True))
        assert stored == pytest.approx(analyse("车票 ticket").weights, rel=1e-6)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT (weights <#> %s)::float8 FROM skills_passageterms",
                [SparseVector({words.hash_of("车票"): 2.0}, terms.DIMENSIONS).to_text()],
            )
            assert -cursor.fetchone()[0] == pytest.approx(
                2 * analyse("车票 ticket").weights[words.hash_of("车票")]
            )


@pytest.mark.django_db
class TestAsking:
    def test_the_score_is_bm25(self, skill: Skill) -> None:
        add(skill, "apple pear", "apple apple", "plum")
        fold_deltas()
        query = query_terms("apple pear")
        assert query.passages == 3
        idf = {t.text: t.idf for t in query.terms}
        assert idf["pear"] == pytest.approx(math.log(1 + (3 - 1 + 0.5) / 1.5) ** terms.RARITY)
        assert query.total_idf == pytest.approx(sum(idf.values()))
        row = PassageTerms.objects.matching(query, 1)[0]
        k = terms.K1 * (1 - terms.B + terms.B * 2 / terms.AVERAGE_WORDS)
        assert row.score == pytest.approx(query.total_idf / (1 + k), rel=1e-5)

    def test_words_in_the_middle_of_a_sentence_are_found(self, skill: Skill) -> None:
        add(skill, "本文是关于教务使用的一篇小教程", "别的")
        for query in ("教务", "一篇", "教程", "教", "關於", "使用的一篇"):
            assert best(query)[:1] == ["本文是关于教务使用的一篇小教程"], query

    def test_what_waits_for_folding_counts_already(self, skill: Skill) -> None:
        add(skill, "apple", "apple", "pear")
        assert [(t.text, t.df) for t in query_terms("apple pear").terms] == [("pear", 1), ("appl", 2)]

    def test_codes_whole_and_partial_come_first(self, skill: Skill) -> None:
        add(
            skill,
            "fault ERR_CONN_1042 seen",
            "err conn other 77",
            "device SN-00017",
            "device SN-00018",
            "host 10.20.30.40 down",
            "host 10.20.30.41 down",
        )
        assert best("ERR_CONN_1042")[0] == "fault ERR_CONN_1042 seen"
        assert best("CONN_104")[0] == "fault ERR_CONN_1042 seen"
        assert best("1042") == ["fault ERR_CONN_1042 seen"]
        assert best("SN-00017")[0] == "device SN-00017"
        assert best("0017")[0] == "device SN-00017"
        assert best("10.20.30.40")[0] == "host 10.20.30.40 down"

    def test_signs_are_literal(self, skill: Skill) -> None:
        add(skill, "合格率 95%", "no percent", "snake_case", "C++ and more", "C and more")
        assert best("%") == ["合格率 95%"]
        assert best("95%")[0] == "合格率 95%"
        assert best("_") == ["snake_case"]
        assert best("\\") == []
        assert best("C++") == ["C++ and more", "C and more"]

    def test_common_words_alone_are_answered(self, skill: Skill) -> None:
        add(skill, "Thanks ALL", "The Who", "nobody")
        assert best("thanks all")[0] == "Thanks ALL"
        assert best("the who")[0] == "The Who"

    @pytest.mark.parametrize("query", ["", "   ", "\x00", "(", "'\":*", "a & !b", "it's", "🚀", "字" * 5_000])
    def test_odd_and_huge_queries_are_answered(self, skill: Skill, query: str) -> None:
        add(skill, "a text")
        assert isinstance(best(query), list)

    def test_a_long_query_keeps_its_rarest_words(self, skill: Skill) -> None:
        add(skill, *("common" for _ in range(5)), "special")
        many = " ".join(f"common word{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10]}" for n in range(100))
        kept = query_terms(f"special {many}").terms
        assert len(kept) == terms.MOST_QUERY_TERMS


@pytest.mark.django_db
class TestFolding:
    def test_folding_adds_and_takes_away(self, skill: Skill) -> None:
        [first, _] = add(skill, "apple pear", "apple")
        assert fold_deltas() == 2
        TermDelta.objects.create(sign=-1, hashes=PassageTerms.objects.get(pk=first.pk).keys)
        assert fold_deltas() == 1
        df = dict(Term.objects.values_list("hash", "df"))
        assert (df[0], df[words.hash_of(words.stem("apple"))], df[words.hash_of("pear")]) == (1, 1, 0)
        assert fold_deltas() == 0

    def test_folding_takes_what_it_is_told(self, skill: Skill) -> None:
        add(skill, "a", "b", "c")
        assert fold_deltas(limit=2) == 2
        assert fold_deltas(limit=2) == 1


@pytest.mark.django_db(transaction=True)
def test_counts_are_exact_while_three_write_and_two_fold() -> None:
    """Writers commit in any order while two processes fold; no count is lost or taken twice."""
    texts = [f"shared word{n % 7} 共同{n}" for n in range(60)]
    errors: list[Exception] = []

    def write(part: int) -> None:
        try:
            for text in texts[part::3]:
                with transaction.atomic():
                    TermDelta.objects.create(sign=1, hashes=analyse(text).hashes)
        except Exception as error:  # noqa: BLE001 (a thread's failure must fail the test)
            errors.append(error)
        finally:
            connections.close_all()

    def fold() -> None:
        try:
            for _ in range(15):
                fold_deltas(limit=7)
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=write, args=(n,)) for n in range(3)] + [Thread(target=fold) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    while fold_deltas():
        pass
    df = dict(Term.objects.values_list("hash", "df"))
    assert df[0] == 60
    assert df[words.hash_of("share")] == df[words.hash_of("共同")] == 60
    assert df[words.hash_of("word0")] == sum(n % 7 == 0 for n in range(60))


class TestChoosing:
    """Which keys are looked up; frequencies are made up, no rows needed."""

    def query(self, *df: int, tiers: tuple[tuple[int, int], ...] = ()) -> QueryTerms:
        made = [QueryTerm(str(n), n + 1, f, 1.0, 1, tiers) for n, f in enumerate(df)]
        return QueryTerms(tuple(made), 100_000)

    def test_rare_terms_are_taken_while_they_fit(self) -> None:
        chosen = choose(self.query(0, 100, 500, 1_500))
        assert (chosen.any_of, chosen.pairs, chosen.common) == ([2, 3], [], None)

    def test_common_terms_are_taken_where_they_occur_often(self) -> None:
        chosen = choose(self.query(100, 50_000, tiers=((70, 9_000), (71, 800))))
        assert chosen.any_of == [1, 71]

    def test_common_terms_are_taken_in_pairs(self) -> None:
        chosen = choose(self.query(3_000, 4_000))
        assert (chosen.any_of, chosen.pairs) == ([], [(1, 2)])

    def test_one_common_term_is_looked_up_in_part(self) -> None:
        chosen = choose(self.query(50_000))
        assert (chosen.any_of, chosen.common, chosen.expected) == ([], 1, 4_000)

    def test_terms_nobody_uses_are_not_looked_up(self) -> None:
        chosen = choose(self.query(0, 0))
        assert (chosen.any_of, chosen.pairs, chosen.common) == ([], [], None)
