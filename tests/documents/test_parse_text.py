"""Text and Markdown come out as they were typed, whatever they were saved as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.parsers import parse
from documents.parsers.decoding import decode
from kbsite.exceptions import UnreadableFile

SAVED_AS = [
    ("合同编号：甲-2024-017", "gb18030"),
    ("姓名,部门\n张三,财务部\n", "gb2312"),
    ("差旅", "gbk"),
    ("用Python写脚本，run it", "gbk"),
    ("臺灣網路資訊中心，請參閱本頁說明", "big5"),
    ("合約編號：甲-2024", "big5"),
    ("名前,年齢,住所\n髙橋淳,35,名古屋", "cp932"),
    ("これはテストです。日本語の文章", "euc_jp"),
    ("한국어 문서입니다", "cp949"),
    ("## können\n\nkönnen\n\näöüß\n", "latin-1"),
    ("L'été à la plage, ça va", "cp1252"),
    ("Preis: 15,50 €", "cp1252"),
    ("Привет, мир", "cp1251"),
    ("Настоящий договор заключён", "koi8_r"),
    ("Καλημέρα κόσμε", "cp1253"),
    ("你好 world\n", "utf-16"),
    ("你好 world\n", "utf-16-le"),
    ("姓名\t部门\n张三\t财务\n", "utf-16-be"),
    ("公司差旅费用报销办法。第一条为规范差旅管理，制定本办法" * 9, "utf-16-le"),
    ("合同编号", "utf-8-sig"),
    ("你好", "utf-32"),
]


@pytest.mark.parametrize(("text", "encoding"), SAVED_AS)
def test_text_in_any_encoding_comes_out_right(text: str, encoding: str) -> None:
    document = parse(text.encode(encoding), "a.txt")
    assert document.markdown == text
    assert document.encoding


@given(st.text(min_size=1).filter(lambda text: text.strip("\x00\ufeff") and "\r" not in text))
def test_utf8_is_never_mistaken(text: str) -> None:
    data = text.encode("utf-8", "ignore")
    if b"\x00" not in data and not data.startswith((b"\xef\xbb\xbf",)):
        assert decode(data).text == data.decode()


@given(st.binary())
def test_any_bytes_can_be_tried(data: bytes) -> None:
    assert isinstance(decode(data).text, str)


def test_nul_and_line_ends() -> None:
    assert parse(b"abc\x00def\r\nx\ry", "a.txt").markdown == "abcdef\nx\ny"


def test_a_few_broken_bytes_are_counted_and_said() -> None:
    data = "好的，可以".encode() * 50 + b"\xff" + "好的".encode() * 20
    document = parse(data, "a.txt")
    assert document.encoding == "utf-8"
    assert document.warnings == [{"code": "some_lost", "count": 1}]


def test_the_language_is_told() -> None:
    assert parse("本文是关于 RAG 与 LLM 的教程".encode(), "a.txt").language == "zh"
    assert parse(b"the quick brown fox", "a.txt").language == "en"
    assert parse("これはテストです".encode(), "a.txt").language == "ja"


def test_front_matter_is_metadata_and_a_later_rule_stays() -> None:
    document = parse(b"---\ntitle: Demo\ntags: [a, b]\n---\n# Heading\n\n---\n\nend", "a.md")
    assert document.markdown == "# Heading\n\n---\n\nend"
    assert document.title == "Demo" and document.metadata["tags"] == ["a", "b"]


@pytest.mark.parametrize(
    "head",
    ["a: [", "- one\n- two", "a: &x [1]\nb: *x", "just words", "{" * 5000, "a: !!python/object:os.system x"],
)
def test_front_matter_that_is_none_stays_text(head: str) -> None:
    text = f"---\n{head}\n---\n# Heading\n"
    document = parse(text.encode(), "a.md")
    assert document.markdown == text and document.title == "Heading"


def test_a_heading_in_a_fence_is_no_title() -> None:
    assert parse(b"```\n# not this\n```\n\n# This #\n", "a.md").title == "This"
    assert parse(b"Title\n=====\n\ntext", "a.md").title == "Title"


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b" \t", b"\x00\x00", b"---\ntitle: x\n---\n"])
def test_nothing_in_it(data: bytes) -> None:
    for name in ("a.txt", "a.md", "a.pdf", "a.docx"):
        if name == "a.md" or not data.startswith(b"---"):
            with pytest.raises(UnreadableFile) as refused:
                parse(data, name)
            assert refused.value.code == "empty"


@pytest.mark.parametrize(
    ("data", "name", "word"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a.png", "PNG"),
        (b"\x7fELF" + bytes(range(256)), "a.txt", "Programs"),
        (b"<!DOCTYPE html><p>hi", "a.html", "HTML"),
        (b"{\\rtf1 hi}", "a.rtf", "RTF"),
        (bytes(range(256)) * 20, "a.bin", "this kind"),
        (b"\x1f\x8b\x08" + bytes(20), "a.gz", "gzip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.doc", "Office 2003"),
    ],
)
def test_other_kinds_are_named(data: bytes, name: str, word: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        parse(data, name)
    assert refused.value.code == "unknown_type" and word in str(refused.value)


def test_content_decides_not_the_name() -> None:
    assert parse("# 标题\n".encode(), "notes").markdown == "# 标题\n"
    assert parse(b"plain words", "notes.pdf").mime == "text/plain"
