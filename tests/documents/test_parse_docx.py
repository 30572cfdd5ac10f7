"""Word files come out with what Word shows: numbers, tables, notes, headers; without what it hides."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from documents.parsers import parse
from documents.parsers.docx.figures import chinese, figure
from kbsite.exceptions import UnreadableFile
from tests.documents.builders import cell, docx, numbered, p, table, zipped


def level(n: int, text: str, format: str = "decimal", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{n}"><w:start w:val="{start}"/><w:numFmt w:val="{format}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbering(*levels: str, more: str = "") -> str:
    made = f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>'
    return made + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>' + more


CLAUSES = numbering(level(0, "%1."), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"))
STYLES = (
    '<w:style w:styleId="a1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="a2"><w:name w:val="heading 2"/><w:basedOn w:val="a1"/></w:style>'
    '<w:style w:styleId="mine"><w:name w:val="Mine"/><w:basedOn w:val="a2"/></w:style>'
    '<w:style w:styleId="t"><w:name w:val="Title"/></w:style>'
)


def text(data: bytes, **given: Any) -> str:
    return parse(data, "a.docx", **given).markdown


def refused(data: bytes, **given: Any) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as error:
        parse(data, "a.docx", **given)
    return error.value


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def test_headings_by_style_inherited_and_by_outline() -> None:
    body = p("Rules", style("t")) + p("One", style("a1")) + p("Two", style("mine"))
    body += p("Three", '<w:outlineLvl w:val="2"/>') + p("Text")
    document = parse(docx(body, styles=STYLES), "a.docx")
    assert document.markdown == "# Rules\n\n## One\n\n### Two\n\n#### Three\n\nText"
    assert document.title == "Rules"


def test_a_file_without_styles_tells_headings_by_their_ids() -> None:
    assert text(docx(p("One", style("Heading1")) + p("Text"))) == "# One\n\nText"


def test_numbers_go_on_after_a_table() -> None:
    body = numbered("First") + table([cell("a"), cell("b")]) + numbered("Second") + numbered("Part", level=1)
    body += numbered("Letter", level=2) + numbered("Third")
    found = text(docx(body, numbering=CLAUSES))
    assert "1. First\n\n| a | b |" in found
    assert "2. Second\n   - 2.1 Part\n      - (a) Letter\n3. Third" in found


def test_chinese_clauses() -> None:
    parts = numbering(level(0, "第%1条", "chineseCounting", start=9))
    found = text(docx(numbered("适用范围") + numbered("标准") + numbered("附则"), numbering=parts))
    assert found == "第九条 适用范围\n\n第十条 标准\n\n第十一条 附则"


def test_a_list_that_starts_anew_is_another_list() -> None:
    more = (
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )
    body = numbered("a") + numbered("b") + numbered("c", 2) + numbered("d", 2)
    assert text(docx(body, numbering=numbering(level(0, "%1."), more=more))) == "1. a\n2. b\n1) c\n2) d"


def test_bullets_nest_and_a_deep_one_alone_stands_at_the_margin() -> None:
    parts = numbering(level(0, "•", "bullet"), level(1, "◦", "bullet"))
    body = numbered("a") + numbered("b", level=1) + p("between") + numbered("c", level=1)
    assert text(docx(body, numbering=parts)) == "- a\n   - b\n\nbetween\n\n- c"


def test_numbered_headings_keep_their_number() -> None:
    numbers = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'
    assert "## 1.1 Scope" in text(docx(p("Scope", style("Heading2") + numbers), numbering=CLAUSES))


def test_merged_cells_keep_their_columns() -> None:
    begins, goes_on, two = '<w:vMerge w:val="restart"/>', "<w:vMerge/>", '<w:gridSpan w:val="2"/>'
    rows = [
        [cell("City", begins), cell("Limit", two), cell("Note")],
        [cell("", goes_on), cell("low"), cell("high"), cell("x")],
        [cell("Bei|jing"), cell("1"), cell("2"), cell("")],
    ]
    assert text(docx(table(*rows))).splitlines() == [
        "| City | Limit |  | Note |",
        "| --- | --- | --- | --- |",
        "| City | low | high | x |",
        "| Bei\\|jing | 1 | 2 |  |",
    ]


def test_a_table_in_a_cell_is_not_lost() -> None:
    inner = table([cell("e"), cell("f")], [cell("g &amp;t"), cell("h")])
    found = text(docx(table([cell("a"), cell("&gt; b &lt;")], [cell(inner + p("after")), cell("i")])))
    assert "| e f; g &t h after | i |" in found and "> b <" in found


def test_a_table_of_one_cell_is_a_box() -> None:
    assert text(docx(table([cell(p("One") + p("Two"))]))) == "One\n\nTwo"


def test_tracked_deletions_go_and_insertions_stay() -> None:
    body = (
        '<w:p><w:r><w:t xml:space="preserve">kept </w:t></w:r>'
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p><w:del><w:p><w:r><w:t>moved</w:t></w:r></w:p></w:del>"
    )
    document = parse(docx(body), "a.docx")
    assert document.markdown == "kept new"
    assert document.warnings == [{"code": "deletions_dropped"}]


def test_notes_stand_at_the_end() -> None:
    body = (
        "<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:endnoteReference w:id='2'/></w:r></w:p>"
    )
    foot = '<w:footnote w:id="0"><w:p/></w:footnote><w:footnote w:id="2">' + p("My note.") + "</w:footnote>"
    end = '<w:endnote w:id="2">' + p("An endnote.") + "</w:endnote>"
    assert (
        text(docx(body, footnotes=foot, endnotes=end)) == "Text[^1][^2]\n\n[^1]: My note.\n[^2]: An endnote."
    )


def test_headers_and_footers_come_once_and_page_numbers_not_at_all() -> None:
    found = text(docx(p("Main"), header1=p("Example Ltd"), header2=p("Example Ltd"), footer1=p("12")))
    assert found == "Main\n\n---\n\nExample Ltd"


def test_comments_are_left_out_and_said() -> None:
    body = "<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:commentReference w:id='1'/></w:r></w:p>"
    document = parse(docx(body, comments='<w:comment w:id="1">' + p("why?") + "</w:comment>"), "a.docx")
    assert document.markdown == "Text" and document.warnings == [{"code": "comments_left_out", "count": 1}]


def test_text_boxes_and_content_controls() -> None:
    choice = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = f"<w:txbxContent>{p('In a box')}</w:txbxContent>"
    body = (
        f'<w:p><w:r><mc:AlternateContent xmlns:mc="{choice}"><mc:Choice>{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>Beside</w:t></w:r></w:p>"
        f"<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{p('Controlled')}</w:sdtContent></w:sdt></w:sdtContent></w:sdt>"
    )
    assert text(docx(body)) == "Beside\n\nIn a box\n\nControlled"


def test_fields_show_their_result_and_hidden_text_nothing() -> None:
    def field(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    body = (
        f"<w:p>{field('begin')}<w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:r><w:t>code</w:t></w:r>"
        f"{field('separate')}<w:r><w:t>7</w:t></w:r>{field('end')}</w:p>"
    )
    hidden = p("secret", run="<w:rPr><w:vanish/></w:rPr>")
    assert text(docx(body + hidden)) == "7"


def test_links_keep_safe_addresses_only() -> None:
    here = "<w:r><w:t>here</w:t></w:r>"
    body = "".join(f'<w:p><w:hyperlink r:id="{id}">{here}</w:hyperlink></w:p>' for id in "xy")
    found = text(docx(body, links=[("x", "https://example.com/a b"), ("y", "javascript:alert(1)")]))
    assert found == "[here](https://example.com/a%20b)\n\nhere"


def test_links_within_the_document_are_text() -> None:
    """Every line of a table of contents is one."""
    line = f'<w:p><w:hyperlink w:anchor="_Toc1" w:history="1">{p("Scope")[5:-6]}</w:hyperlink></w:p>'
    assert text(docx(line + "<w:p><w:hyperlink><w:r><w:t>Nowhere</w:t></w:r></w:hyperlink></w:p>")) == (
        "Scope\n\nNowhere"
    )


def test_equations_can_be_read() -> None:
    body = (
        "<w:p><m:oMath><m:r><m:t>A=π</m:t></m:r><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>"
        "<w:p><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></w:p>"
    )
    assert text(docx(body)) == "A=πr²\n\n$\\frac{a}{b}$"


def test_raised_figures_line_breaks_and_marks() -> None:
    high = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
    raised = f"<w:p><w:r><w:t>m</w:t></w:r><w:r>{high}<w:t>2</w:t></w:r></w:p>"
    broken = "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>"
    assert text(docx(raised + broken + p("# no heading"))) == "m²\n\na  \nb\n\n\\# no heading"


def test_strict_files() -> None:
    assert text(docx(p("One", style("Heading1")) + p("Some text"), strict=True)) == "# One\n\nSome text"


def test_a_locked_file_opens_with_its_password_only() -> None:
    out = io.BytesIO()
    # Small files come out broken from this encryption, which is only a test's.
    padding = "<w:x>" + random.Random(1).randbytes(20_000).hex() + "</w:x>"  # noqa: S311
    OOXMLFile(io.BytesIO(docx(p("Salaries"), padding=padding))).encrypt("secret", out)
    assert refused(out.getvalue()).code == "password"
    wrong = refused(out.getvalue(), password="wrong")
    assert wrong.code == "password" and "does not open" in str(wrong)
    document = parse(out.getvalue(), "a.docx", password="secret")
    assert document.markdown == "Salaries" and not document.warnings


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    bomb = zipped({"word/document.xml": b"<w>" + b"a" * 200_000_000})
    assert len(bomb) < 1_000_000
    error = refused(bomb)
    assert error.code == "too_large" and "unpacks" in str(error)


def test_too_many_entries_are_refused() -> None:
    many = zipped({"word/document.xml": b"<w/>", **{f"x{n}": b"" for n in range(10_001)}})
    assert refused(many).code == "too_large"


@pytest.mark.parametrize(
    "data",
    [
        docx(p("x"))[:200],
        zipped({"word/other.xml": b"<w/>"}),
        zipped({"word/document.xml": b"<w:document><w:body>"}),
        zipped({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'}),
        b"PK\x03\x04" + bytes(300),
    ],
)
def test_a_damaged_file_says_so(data: bytes) -> None:
    assert refused(data).code in ("damaged", "empty")


def test_nothing_and_pictures_only() -> None:
    assert refused(docx("<w:p/>")).code == "empty"
    with_picture = zipped({"word/document.xml": b"<w/>", "word/media/image1.png": b"x"})
    assert refused(with_picture).code == "no_text"


def test_figures() -> None:
    assert [chinese(n) for n in (10, 11, 20, 101, 110, 1001)] == [
        "十",
        "十一",
        "二十",
        "一百零一",
        "一百一十",
        "一千零一",
    ]
    assert [figure(n, "lowerLetter") for n in (1, 26, 27)] == ["a", "z", "aa"]
    assert [figure(n, "upperRoman") for n in (4, 9, 14)] == ["IV", "IX", "XIV"]
    assert [
        figure(3, f) for f in ("decimalZero", "decimalEnclosedCircle", "ideographTraditional", "odd")
    ] == [*("03", "③", "丙", "3")]
