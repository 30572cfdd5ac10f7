"""PDF files read as a person would, and those that can't be say why."""

from __future__ import annotations

from typing import Any

import pytest

from documents.faults import sentence
from documents.parsers import parse
from kbsite.exceptions import UnreadableFile
from tests.documents.builders import Line, locked, page, pdf, prose

FOX = "The quick brown fox jumps over the lazy dog and runs on through the forest until it comes to a river."
OWL = "An old owl sits in a tall tree and watches everything that moves below without ever saying one word."


def refused(data: bytes, name: str = "a.pdf", **given: Any) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as error:
        parse(data, name, **given)
    return error.value


def test_paragraphs_headings_and_pages() -> None:
    first = page([(72, 760, "Travel rules", 20), *prose(FOX, 72, 720), *prose(OWL, 72, 640)])
    second = page([(72, 760, "Second chapter", 20), *prose(OWL, 72, 720)])
    document = parse(pdf(first, second), "a.pdf")
    assert document.markdown == f"# Travel rules\n\n{FOX}\n\n{OWL}\n\n# Second chapter\n\n{OWL}"
    assert document.title == "Travel rules" and document.pages == 2
    assert document.markdown[document.page_starts[1] :].startswith("# Second chapter")


def test_a_sentence_runs_over_the_end_of_a_page() -> None:
    words = FOX.split()
    first = page([*prose(OWL, 72, 760), *prose(" ".join(words[:9]), 72, 650)])
    second = page(prose(" ".join(words[9:]), 72, 760))
    document = parse(pdf(first, second), "a.pdf")
    assert FOX in document.markdown
    assert document.markdown[document.page_starts[1] :].startswith(words[9])


def test_two_columns_are_read_one_after_the_other_even_when_written_line_by_line() -> None:
    left, right = prose(FOX * 3, 60, 700, width=34), prose(OWL * 3, 320, 700, width=34)
    across = [line for pair in zip(left, right, strict=False) for line in pair]
    for lines in (left + right, across):
        text = parse(pdf(page([(60, 760, "A title over both columns", 18), *lines])), "a.pdf").markdown
        assert text.index("The quick") < text.index("An old owl")
        assert "fox jumps over the lazy dog" in text and "sits in a tall tree and watches" in text


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_turned_page_written_backwards_is_read_from_the_top(rotate: int) -> None:
    lines: list[Line] = [
        (86, 583, "Third and last line"),
        (86, 643, "Second line of text"),
        (86, 700, "First line"),
    ]
    text = parse(pdf(page(lines, rotate=rotate, size=12)), "a.pdf").markdown
    assert text.index("First line") < text.index("Second line") < text.index("Third and last")


def test_chinese_in_a_font_that_is_not_embedded() -> None:
    document = parse(pdf(page([(72, 700, "差旅费用报销办法"), (72, 684, "第一条 为规范管理")])), "a.pdf")
    assert "差旅费用报销办法" in document.markdown and document.language == "zh"


def test_a_table_keeps_its_columns() -> None:
    rows = [
        ("City", "Limit", "Note"),
        ("Beijing", "600", "breakfast"),
        ("Shanghai", "600", ""),
        ("Chengdu", "450", "x"),
    ]
    lines: list[Line] = [
        (72 + 150 * n, 700 - 16 * at, text)
        for at, row in enumerate(rows)
        for n, text in enumerate(row)
        if text
    ]
    text = parse(pdf(page(lines)), "a.pdf").markdown
    assert (
        "| City | Limit | Note |\n| --- | --- | --- |\n| Beijing | 600 | breakfast |\n| Shanghai | 600 |  |"
        in text
    )


def test_running_heads_stay_once_and_page_numbers_go() -> None:
    pages = [
        page(
            [(72, 810, "Handbook of Example Ltd"), *prose(f"{n} {FOX}", 72, 700), (290, 30, f"Page {n} of 4")]
        )
        for n in range(1, 5)
    ]
    text = parse(pdf(*pages), "a.pdf").markdown
    assert text.count("Handbook of Example") == 1 and "Page 2" not in text and text.count("lazy dog") == 4


def test_a_word_broken_at_the_line_end_is_joined() -> None:
    lines: list[Line] = [
        (72, 700, "Answering relies on an ef-"),
        (72, 686, "ficient passage retrieval of contexts"),
    ]
    assert "an efficient passage" in parse(pdf(page(lines)), "a.pdf").markdown


def test_what_stands_outside_the_page_is_left_out() -> None:
    assert "cut here" not in parse(pdf(page([(72, 700, FOX), (72, -20, "cut here")])), "a.pdf").markdown


def test_a_hash_at_the_start_is_not_made_a_heading() -> None:
    assert parse(pdf(page([(72, 700, "# of items per box")])), "a.pdf").markdown == "\\# of items per box"


def test_pictures_only() -> None:
    error = refused(pdf(page([], image=True), page([], image=True)))
    assert error.code == "no_text" and "images only" in str(error)


def test_a_blank_page() -> None:
    error = refused(pdf(page([])))
    assert error.code == "no_text" and "no words" in str(error)


def test_some_pages_are_pictures() -> None:
    document = parse(pdf(page([(72, 700, FOX)]), page([], image=True), page([(72, 700, OWL)])), "a.pdf")
    assert document.warnings == [{"code": "pages_without_text", "pages": "2"}]
    assert sentence(**_said(document.warnings[0])).endswith("only images: 2.")


def _said(warning: dict[str, Any]) -> dict[str, Any]:
    return {"code": warning["code"], "params": {k: v for k, v in warning.items() if k != "code"}}


def test_a_locked_file_opens_with_its_password_only() -> None:
    data = locked(pdf(page([(72, 700, "Salaries of 2026")])), "secret")
    assert refused(data).code == "password"
    wrong = refused(data, password="wrong")
    assert wrong.code == "password" and "does not open" in str(wrong)
    assert "Salaries of 2026" in parse(data, "a.pdf", password="secret").markdown


def test_an_owners_password_locks_nobody_out() -> None:
    assert "Open" in parse(locked(pdf(page([(72, 700, "Open to all")])), ""), "a.pdf").markdown


def test_letters_that_say_nothing_are_not_kept() -> None:
    data = pdf(page([(72, 700, "\ue001\ue002\ue003\ue004\ue005\ue006")]), page([(72, 700, FOX)]))
    document = parse(data, "a.pdf")
    assert "\ue001" not in document.markdown and "fox" in document.markdown
    assert document.warnings == [{"code": "pages_unreadable", "pages": "1"}]


@pytest.mark.parametrize("keep", [30, 200])
def test_a_file_that_is_cut_off(keep: int) -> None:
    assert refused(pdf(page([(72, 700, FOX)]))[:keep]).code in ("damaged", "no_text")


def test_too_many_pages(settings: Any) -> None:
    settings.KB_MAX_PAGES = 2
    error = refused(pdf(*[page([(72, 700, FOX)])] * 3))
    assert error.code == "too_many_pages" and "3 pages" in str(error)


def test_reading_that_takes_too_long_is_stopped(settings: Any) -> None:
    settings.KB_PARSE_SECONDS = 1
    assert refused(pdf(*[page(prose(FOX * 20, 72, 800, width=90, pitch=4))] * 300)).code == "timeout"


def test_a_pdf_named_otherwise_is_read_as_what_it_is() -> None:
    document = parse(pdf(page([(72, 700, FOX)])), "notes.md")
    assert document.mime == "application/pdf"
    assert document.warnings == [{"code": "named_otherwise", "named": "Markdown", "kind": "PDF"}]
